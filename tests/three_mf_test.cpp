// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "io_support.h"

namespace tessera::io::testing {
namespace {

/// Tests of what a build without lib3mf does not have.
class ThreeMf : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!reads_three_mf()) GTEST_SKIP() << "this build has no lib3mf";
  }
};

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = ~0u;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

/// A ZIP archive of uncompressed files.
class Zip {
 public:
  void add(const std::string& name, const std::string& content) {
    const std::string common = bytes(20, 2) + bytes(0, 2) + bytes(0, 2) + bytes(0, 2) +
                               bytes(0x21, 2) + bytes(crc32(content), 4) +
                               bytes(content.size(), 4) + bytes(content.size(), 4) +
                               bytes(name.size(), 2) + bytes(0, 2);
    directory_ += "PK\1\2" + bytes(20, 2) + common + bytes(0, 2) + bytes(0, 2) + bytes(0, 2) +
                  bytes(0, 4) + bytes(files_.size(), 4) + name;
    files_ += "PK\3\4" + common + name + content;
    ++count_;
  }

  std::string finish() const {
    return files_ + directory_ + "PK\5\6" + bytes(0, 4) + bytes(count_, 2) + bytes(count_, 2) +
           bytes(directory_.size(), 4) + bytes(files_.size(), 4) + bytes(0, 2);
  }

 private:
  static std::string bytes(std::size_t number, int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += static_cast<char>(number >> (8 * i));
    return out;
  }

  std::string files_;
  std::string directory_;
  std::size_t count_ = 0;
};

const std::string content_types =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Types "
    "xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Default "
    "Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>"
    "<Default Extension=\"model\" "
    "ContentType=\"application/vnd.ms-package.3dmanufacturing-3dmodel+xml\"/></Types>";

const std::string relationships =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Relationships "
    "xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship "
    "Target=\"/3D/3dmodel.model\" Id=\"rel0\" "
    "Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/></Relationships>";

std::string package(const std::string& resources, const std::string& build,
                    const std::string& unit = "millimeter") {
  Zip zip;
  zip.add("[Content_Types].xml", content_types);
  zip.add("_rels/.rels", relationships);
  zip.add("3D/3dmodel.model",
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<model unit=\"" + unit +
              "\" xml:lang=\"en-US\" "
              "xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\"><resources>" +
              resources + "</resources><build>" + build + "</build></model>");
  return zip.finish();
}

std::string object(int id, const std::string& content) {
  return "<object id=\"" + std::to_string(id) + "\" type=\"model\">" + content + "</object>";
}

/// A tetrahedron, with the last corner of its last triangle as given.
std::string tetrahedron(const std::string& coordinate = "1", const std::string& corner = "3") {
  return "<mesh><vertices><vertex x=\"0\" y=\"0\" z=\"0\"/><vertex x=\"" + coordinate +
         "\" y=\"0\" z=\"0\"/><vertex x=\"0\" y=\"1\" z=\"0\"/><vertex x=\"0\" y=\"0\" z=\"1\"/>"
         "</vertices><triangles><triangle v1=\"0\" v2=\"2\" v3=\"1\"/><triangle v1=\"0\" v2=\"1\" "
         "v3=\"3\"/><triangle v1=\"1\" v2=\"2\" v3=\"3\"/><triangle v1=\"2\" v2=\"0\" v3=\"" +
         corner + "\"/></triangles></mesh>";
}

double volume(const TriangleSoup& mesh) {
  double sum = 0;
  for (const Triangle& t : mesh.triangles)
    sum += dot(cross(mesh.positions[t[0]], mesh.positions[t[1]]), mesh.positions[t[2]]) / 6;
  return sum;
}

TEST_F(ThreeMf, ReadsOneMesh) {
  const ReadResult result =
      parse(package(object(1, tetrahedron()), "<item objectid=\"1\"/>"), Format::three_mf);
  EXPECT_EQ(result.mesh.positions, (Array<Vec3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
  EXPECT_EQ(result.mesh.triangles, (Array<Triangle>{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}));
  EXPECT_EQ(result.mesh.precision, Precision::float32);
  EXPECT_TRUE(result.notes.empty()) << result.notes[0];
}

TEST_F(ThreeMf, PlacesComponentsAndItems) {
  // Object 2 holds the tetrahedron twice: stretched by 2, 3, 4, and moved by 10, 20, 30. It is
  // built twice: quarter-turned about z (x becomes y), and mirrored.
  const std::string resources =
      object(1, tetrahedron()) +
      object(2,
             "<components><component objectid=\"1\" transform=\"2 0 0 0 3 0 0 0 4 0 0 0\"/>"
             "<component objectid=\"1\" transform=\"1 0 0 0 1 0 0 0 1 10 20 30\"/></components>");
  const ReadResult result =
      parse(package(resources,
                    "<item objectid=\"2\" transform=\"0 1 0 -1 0 0 0 0 1 0 0 5\"/>"
                    "<item objectid=\"2\" transform=\"-1 0 0 0 1 0 0 0 1 0 0 0\"/>"),
            Format::three_mf);
  ASSERT_EQ(result.mesh.positions.size(), 16u);
  ASSERT_EQ(result.mesh.triangles.size(), 16u);
  EXPECT_EQ(result.mesh.positions[1], (Vec3d{0, 2, 5}));
  EXPECT_EQ(result.mesh.positions[2], (Vec3d{-3, 0, 5}));
  EXPECT_EQ(result.mesh.positions[3], (Vec3d{0, 0, 9}));
  EXPECT_EQ(result.mesh.positions[4], (Vec3d{-20, 10, 35}));
  EXPECT_EQ(result.mesh.positions[9], (Vec3d{-2, 0, 0}));
  EXPECT_EQ(result.mesh.validate(), std::nullopt);
  EXPECT_NEAR(volume(result.mesh), 2 * (24 + 1) / 6.0, 1e-9) << "mirrored parts are turned too";
}

TEST_F(ThreeMf, WithoutABuildAllMeshesAreRead) {
  const ReadResult result =
      parse(package(object(1, tetrahedron()) + object(2, tetrahedron("2")), ""), Format::three_mf);
  EXPECT_EQ(result.mesh.positions.size(), 8u);
  EXPECT_EQ(result.mesh.triangles.size(), 8u);
}

TEST_F(ThreeMf, NotesTheUnit) {
  const ReadResult result =
      parse(package(object(1, tetrahedron()), "<item objectid=\"1\"/>", "inch"), Format::three_mf);
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_NE(result.notes[0].find("inch"), std::string::npos);
}

TEST_F(ThreeMf, RefusesMoreCopiesThanMemoryHolds) {
  // A mesh of 4000 triangles, then 16 times the one before, again and again.
  std::string mesh = tetrahedron();
  const std::size_t end = mesh.find("</triangles>");
  for (int i = 0; i < 3996; ++i) mesh.insert(end, "<triangle v1=\"0\" v2=\"2\" v3=\"1\"/>");
  std::string resources = object(1, mesh);
  for (int id = 2; id <= 6; ++id) {
    std::string components;
    for (int i = 0; i < 16; ++i)
      components += "<component objectid=\"" + std::to_string(id - 1) + "\"/>";
    resources += object(id, "<components>" + components + "</components>");
  }
  expect_refused(package(resources, "<item objectid=\"6\"/>"), Format::three_mf, "32-bit");
  expect_refused(package(resources, "<item objectid=\"5\"/>"), Format::three_mf, "not credible");
  const ReadResult some = parse(package(resources, "<item objectid=\"2\"/>"), Format::three_mf);
  EXPECT_EQ(some.mesh.triangles.size(), 64000u);
}

TEST_F(ThreeMf, RoundTrip) {
  const TemporaryFolder folder;
  TriangleSoup mesh = rounded(random_soup(3, 20000, 30000));
  mesh.triangles[7] = {1, 1, 2};
  const WriteResult written = write_triangles(folder / "mesh.3mf", mesh);
  EXPECT_EQ(written.bytes, std::filesystem::file_size(folder / "mesh.3mf"));
  std::erase_if(mesh.triangles,
                [](const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
  ASSERT_EQ(written.notes.size(), 1u);
  EXPECT_NE(written.notes[0].find("equal corners"), std::string::npos);
  expect_same(read_triangles(folder / "mesh.3mf").mesh, mesh);
}

TEST_F(ThreeMf, MeshesWithoutFacesBecomeEmptyPackages) {
  const TemporaryFolder folder;
  for (const std::uint32_t vertices : {0u, 10u}) {
    const TriangleSoup mesh = vertices == 0 ? TriangleSoup{} : random_soup(4, vertices, 0);
    const WriteResult written = write_triangles(folder / "mesh.3mf", mesh);
    EXPECT_EQ(written.notes.size(), vertices == 0 ? 0u : 1u);
    EXPECT_TRUE(read_triangles(folder / "mesh.3mf").mesh.positions.empty());
  }
}

TEST_F(ThreeMf, NotesAttributesItCannotKeep) {
  const TemporaryFolder folder;
  TriangleSoup mesh = parse(package(object(1, tetrahedron()), ""), Format::three_mf).mesh;
  mesh.face_attributes = {random_attribute<std::int32_t>("ref", 1, 4, 1)};
  EXPECT_EQ(write_triangles(folder / "mesh.3mf", mesh).notes.size(), 1u);
}

TEST_F(ThreeMf, RefusesBadFiles) {
  const std::string build = "<item objectid=\"1\"/>";
  const auto refused = [](const std::string& bytes, std::string_view part) {
    expect_refused(bytes, Format::three_mf, part);
  };
  refused("", "empty");
  refused("garbage", "lib3mf");
  refused(std::string(1000, '\0'), "lib3mf");
  refused(package(object(1, tetrahedron("nan")), build), "test: ");
  refused(package(object(1, tetrahedron("inf")), build), "test: ");
  refused(package(object(1, tetrahedron("1e99")), build), "test: ");
  refused(package(object(1, tetrahedron("1", "4")), build), "lib3mf");
  refused(package(object(1, tetrahedron("1", "4000000000")), build), "lib3mf");
  refused(package(object(1, tetrahedron("1", "-1")), build), "lib3mf");
  refused(package(object(1, tetrahedron()), "<item objectid=\"2\"/>"), "lib3mf");
  Zip no_relationships;
  no_relationships.add("[Content_Types].xml", content_types);
  refused(no_relationships.finish(), "lib3mf");
  Zip no_model;
  no_model.add("[Content_Types].xml", content_types);
  no_model.add("_rels/.rels", relationships);
  refused(no_model.finish(), "lib3mf");
  Zip half_model = no_model;
  half_model.add("3D/3dmodel.model", "<?xml version=\"1.0\"?><model><resources>");
  refused(half_model.finish(), "lib3mf");
}

TEST_F(ThreeMf, SurvivesTruncation) {
  const std::string bytes = package(object(1, tetrahedron()), "<item objectid=\"1\"/>");
  EXPECT_EQ(expect_survives_truncation(bytes, Format::three_mf), bytes.size());
}

TEST_F(ThreeMf, ReadsRealBeamLattices) {
  const std::filesystem::path folder =
      std::filesystem::path(__FILE__).parent_path() / "../../shared/data";
  bool any = false;
  for (const char* name :
       {"lattice-pyramid.3mf", "lattice-spinal-implant.3mf", "lattice-variable-voronoi.3mf"}) {
    if (!std::filesystem::exists(folder / name)) continue;
    any = true;
    const ReadResult result = read_triangles(folder / name);
    EXPECT_EQ(result.mesh.validate(), std::nullopt);
    EXPECT_TRUE(std::any_of(result.notes.begin(), result.notes.end(), [](const std::string& note) {
      return note.find("a beam lattice of ") == 0;
    })) << name;
  }
  if (!any) GTEST_SKIP() << "no such files here";
}

TEST(ThreeMfMissing, SaysHowToGetIt) {
  if (reads_three_mf()) GTEST_SKIP() << "this build has lib3mf";
  expect_refused("anything", Format::three_mf, "lib3mf-dev");
}

TEST(ThreeMfWriter, WritesTheSameBytesOnAnyNumberOfThreads) {
  const TemporaryFolder folder;
  const TriangleSoup mesh = random_soup(5, 50000, 90000);
  std::array<std::string, 2> bytes;
  for (const int threads : {1, 2}) {
    WriteOptions options;
    options.threads = threads;
    write_triangles(folder / "mesh.3mf", mesh, options);
    bytes[static_cast<std::size_t>(threads - 1)] = read_bytes(folder / "mesh.3mf");
  }
  EXPECT_FALSE(bytes[0].empty());
  EXPECT_TRUE(bytes[0] == bytes[1]);
}

TEST(ThreeMfWriter, RefusesWhatSinglePrecisionCannotHold) {
  const TemporaryFolder folder;
  TriangleSoup mesh = random_soup(6, 100, 100);
  mesh.positions[3][1] = 1e300;
  EXPECT_THROW(write_triangles(folder / "mesh.3mf", mesh), InputError);
  EXPECT_FALSE(std::filesystem::exists(folder / "mesh.3mf"));
}

}  // namespace
}  // namespace tessera::io::testing
