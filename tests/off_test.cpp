// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "io_support.h"

namespace tessera::io::testing {
namespace {

const std::string tetrahedron =
    "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n";

ReadResult round_trip(const TriangleSoup& mesh, WriteResult* written = nullptr) {
  const TemporaryFolder folder;
  const WriteResult result = write_triangles(folder / "mesh.off", mesh);
  if (written != nullptr) *written = result;
  EXPECT_EQ(result.bytes, std::filesystem::file_size(folder / "mesh.off"));
  return read_triangles(folder / "mesh.off");
}

std::string with_crlf(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return out;
}

TEST(Off, ReadsTriangles) {
  const TriangleSoup mesh = parse(tetrahedron, Format::off).mesh;
  ASSERT_EQ(mesh.positions.size(), 4u);
  EXPECT_EQ(mesh.positions[3], (Vec3d{0, 0, 1}));
  ASSERT_EQ(mesh.triangles.size(), 4u);
  EXPECT_EQ(mesh.triangles[0], (Triangle{0, 2, 1}));
}

TEST(Off, ReadsTheSameWhateverTheLayout) {
  const TriangleSoup expected = parse(tetrahedron, Format::off).mesh;
  const std::string counts_beside = "OFF 4 4 6" + tetrahedron.substr(9);
  const std::string without_end = tetrahedron.substr(0, tetrahedron.size() - 1);
  const std::string commented =
      "# a comment\n\n  OFF # header\n\n#\n4 4 # no edges\n 0 0 0\n\n1\t0 0 # x\n0 1 0\n#y\n0 0 "
      "+1.0e0\n3 0 2 1\n3 0 1 3\n  3   1 2 3\n3 2 0 3\n\n# end";
  for (const std::string& text :
       {counts_beside, without_end, commented, with_crlf(tetrahedron), with_crlf(commented)}) {
    const ReadResult result = parse(text, Format::off);
    expect_same(result.mesh, expected);
    EXPECT_TRUE(result.notes.empty());
  }
}

TEST(Off, RoundTripKeepsEveryBit) {
  for (const std::uint32_t vertices : {1u, 3u, 1000u, 40000u}) {
    const TriangleSoup mesh = random_soup(vertices, vertices, 2 * vertices);
    expect_same(round_trip(mesh).mesh, mesh);
  }
}

TEST(Off, SinglePrecisionRoundTrip) {
  const TriangleSoup mesh = rounded(random_soup(7, 500, 900));
  TriangleSoup back = round_trip(mesh).mesh;
  for (Vec3d& p : back.positions) p = cast<double>(cast<float>(p));
  EXPECT_TRUE(back.positions == mesh.positions);
}

TEST(Off, EmptyMeshRoundTrip) {
  const ReadResult result = round_trip({});
  EXPECT_TRUE(result.mesh.positions.empty());
  EXPECT_TRUE(result.mesh.triangles.empty());
}

TEST(Off, AttributesRoundTrip) {
  TriangleSoup mesh = random_soup(3, 2000, 3000);
  mesh.vertex_attributes = {random_attribute<float>("normal", 3, 2000, 1),
                            random_attribute<std::uint8_t>("color", 4, 2000, 2),
                            random_attribute<float>("texcoord", 2, 2000, 3)};
  mesh.face_attributes = {random_attribute<std::uint8_t>("color", 3, 3000, 4)};
  WriteResult written;
  expect_same(round_trip(mesh, &written).mesh, mesh);
  EXPECT_TRUE(written.notes.empty());

  mesh.vertex_attributes = {random_attribute<float>("color", 3, 2000, 2)};
  mesh.face_attributes = {random_attribute<float>("color", 4, 3000, 4)};
  expect_same(round_trip(mesh).mesh, mesh);
}

TEST(Off, NotesAttributesItCannotKeep) {
  TriangleSoup mesh = random_soup(3, 20, 30);
  mesh.vertex_attributes = {random_attribute<double>("heat", 1, 20, 1)};
  mesh.face_attributes = {random_attribute<std::int32_t>("ref", 1, 30, 1)};
  WriteResult written;
  EXPECT_TRUE(round_trip(mesh, &written).mesh.vertex_attributes.empty());
  ASSERT_EQ(written.notes.size(), 2u);
  EXPECT_NE(written.notes[0].find("vertex attribute \"heat\""), std::string::npos);
  EXPECT_NE(written.notes[1].find("face attribute \"ref\""), std::string::npos);
}

TEST(Off, ReadsPolygonsOfAllKinds) {
  const ReadResult result = parse(
      "OFF\n6 4 0\n0 0 0\n2 0 0\n2 2 0\n0 2 0\n1 3 0\n9 9 9\n5 0 1 2 4 3\n3 0 1 2\n1 5\n4 0 1 2 "
      "3\n",
      Format::off);
  ASSERT_EQ(result.mesh.triangles.size(), 3u + 1u + 1u + 2u);
  EXPECT_EQ(result.polygons, 2u);
  EXPECT_EQ(result.mesh.triangles[3], (Triangle{0, 1, 2}));
  EXPECT_EQ(result.mesh.triangles[4], (Triangle{5, 5, 5}));
  double area = 0;
  for (int f = 0; f < 3; ++f) {
    const Triangle& t = result.mesh.triangles[static_cast<std::size_t>(f)];
    const auto& p = result.mesh.positions;
    area += cross(p[t[1]] - p[t[0]], p[t[2]] - p[t[0]])[2] / 2;
  }
  EXPECT_DOUBLE_EQ(area, 5.0);
}

TEST(Off, ColoursOfPolygonsGoToTheirTriangles) {
  const ReadResult result = parse(
      "OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3 10 20 30\n3 0 1 2 255 0 1\n", Format::off);
  const Attribute* color = find(result.mesh.face_attributes, "color");
  ASSERT_NE(color, nullptr);
  EXPECT_EQ(std::get<Array<std::uint8_t>>(color->values),
            (Array<std::uint8_t>{10, 20, 30, 10, 20, 30, 255, 0, 1}));
}

TEST(Off, FacesOfDifferentColourKindsAreNoted) {
  const std::string start = "OFF\n3 2 0\n0 0 0\n1 0 0\n1 1 0\n";
  for (const char* faces :
       {"3 0 1 2 1 2 3\n3 0 1 2\n", "3 0 1 2\n3 0 1 2 1 2 3\n",
        "3 0 1 2 0.5 1 1\n3 0 1 2 100 0 0\n", "3 0 1 2 7\n3 0 1 2 8\n",
        "3 0 1 2 1 2 300\n3 0 1 2 1 2 3\n", "3 0 1 2 1 2 3 4\n3 0 1 2 1 2 3\n"}) {
    const ReadResult result = parse(start + faces, Format::off);
    EXPECT_TRUE(result.mesh.face_attributes.empty()) << faces;
    EXPECT_EQ(result.mesh.triangles.size(), 2u);
    EXPECT_EQ(result.notes.size(), 1u) << faces;
  }
}

TEST(Off, ReadsColoursAsBytesOrFractions) {
  const ReadResult bytes = parse("COFF\n2 0 0\n0 0 0 255 0 1 128\n1 1 1 1 1 1 1\n", Format::off);
  EXPECT_EQ(std::get<Array<std::uint8_t>>(bytes.mesh.vertex_attributes.at(0).values),
            (Array<std::uint8_t>{255, 0, 1, 128, 1, 1, 1, 1}));
  const ReadResult fractions = parse("COFF\n2 0 0\n0 0 0 1 0 1\n1 1 1 0 0.25 0\n", Format::off);
  EXPECT_EQ(std::get<Array<float>>(fractions.mesh.vertex_attributes.at(0).values),
            (Array<float>{1, 0, 1, 0, 0.25f, 0}));
}

TEST(Off, MoreNumbersThanTheHeaderNamesAreNoted) {
  const ReadResult result = parse("OFF\n1 0 0\n1 2 3 4 5 6\n", Format::off);
  EXPECT_EQ(result.mesh.positions.at(0), (Vec3d{1, 2, 3}));
  EXPECT_EQ(result.notes.size(), 1u);
  EXPECT_EQ(parse(tetrahedron + "some edges\n", Format::off).notes.size(), 1u);
}

TEST(Off, RefusesBadFiles) {
  const std::string three = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n";
  expect_refused("", Format::off, "empty");
  expect_refused("\n# nothing\n\n", Format::off, "empty");
  expect_refused("ply\n", Format::off, "test:1: not an OFF file");
  expect_refused(std::string("\0\1\2\xff garbage", 11), Format::off, "not an OFF file");
  expect_refused("4 4 6\n0 0 0\n", Format::off, "not an OFF file");
  expect_refused("4OFF\n1 0 0\n0 0 0 1\n", Format::off, "dimensions");
  expect_refused("OFF BINARY\n1 0 0\n", Format::off, "binary");
  expect_refused("OFF\n", Format::off, "ends before");
  expect_refused("OFF\nthree one\n", Format::off, "test:2: expected the numbers");
  expect_refused("OFF\n-3 1 0\n", Format::off, "expected the numbers");
  expect_refused("OFF\n4000000000 4 0\n0 0 0\n", Format::off, "only 1 lines follow");
  expect_refused("OFF\n1 1400000000 0\n0 0 0\n", Format::off, "only 1 lines follow");
  expect_refused("OFF\n5000000000 0 0\n0 0 0\n", Format::off, "32-bit");
  expect_refused("OFF\n18446744073709551615 1 0\n0 0 0\n", Format::off, "32-bit");
  expect_refused("OFF\n99999999999999999999999 1 0\n0 0 0\n", Format::off, "expected the numbers");
  expect_refused(three, Format::off, "only 3 lines");
  expect_refused(three + "3 0 1 3\n", Format::off, "test:6: face 0 refers to vertex 3");
  expect_refused(three + "3 0 1 -1\n", Format::off, "lacks a vertex number");
  expect_refused(three + "3 0 1\n", Format::off, "test:6: face 0 lacks a vertex number");
  expect_refused(three + "4 0 1 2\n", Format::off, "lacks a vertex number");
  expect_refused(three + "0\n", Format::off, "number of corners");
  expect_refused(three + "4000000000 0 1 2\n", Format::off, "lacks a vertex number");
  expect_refused("OFF\n1 0 0\n0 nan 0\n", Format::off, "test:3: vertex 0 has a coordinate");
  expect_refused("OFF\n1 0 0\n0 0 -inf\n", Format::off, "not finite");
  expect_refused("OFF\n1 0 0\n0 0 1e999\n", Format::off, "not finite");
  expect_refused("OFF\n2 0 0\n0 0 0\n0 0\n", Format::off, "test:4: vertex 1 needs 3 numbers");
  expect_refused("OFF\n1 0 0\n0 0 zero\n", Format::off, "needs 3 numbers");
  expect_refused("OFF\n1 0 0\n0 0 0 zero\n", Format::off, "bad number");
  expect_refused("COFF\n1 0 0\n0 0 0\n", Format::off, "numbers");
  expect_refused("NOFF\n1 0 0\n0 0 0 1\n", Format::off, "needs 6 numbers");
}

TEST(Off, SurvivesTruncation) {
  EXPECT_GT(expect_survives_truncation(tetrahedron, Format::off), tetrahedron.size() * 9 / 10);
  expect_survives_truncation("STCNOFF\n1 1 0\n0 1 2 0 0 1 0.5 1 1 0 1\n4 0 0 0 0 1 2 3\n",
                             Format::off);
}

TEST(Off, TheFirstErrorIsReportedOnAnyNumberOfThreads) {
  std::string text = "OFF\n200000 0 0\n";
  for (int v = 0; v < 200000; ++v) text += v % 50000 == 49999 ? "0 0 oops\n" : "0.125 1.5 2.25\n";
  for (const int threads : {1, 2, 8}) {
    try {
      parse(text, Format::off, threads);
      FAIL();
    } catch (const InputError& error) {
      EXPECT_EQ(std::string_view(error.what()), "test:50002: vertex 49999 needs 3 numbers");
    }
  }
}

TEST(Off, CanBeCancelled) {
  std::string text = "OFF\n200000 0 0\n";
  for (int v = 0; v < 200000; ++v) text += "0.125 1.5 2.25\n";
  ReadOptions options;
  options.progress = [](std::string_view stage, double) {
    return stage == "reading" ? Continue::no : Continue::yes;
  };
  EXPECT_THROW(parse_triangles({text.data(), text.size()}, Format::off, "test", options),
               Cancelled);
}

}  // namespace
}  // namespace tessera::io::testing
