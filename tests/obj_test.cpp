// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io_support.h"

namespace tessera::io {
namespace {

using testing::expect_refused;
using testing::expect_same;
using testing::parse;

constexpr std::string_view square =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
    "f 1 2 3\nf 1 3 4\n";

ReadResult parse_obj(std::string_view text, int threads = 0) {
  return parse(text, Format::obj, threads);
}

/// The slow twin: one line after the other, through streams; triangles only.
TriangleSoup parse_slowly(const std::string& text) {
  TriangleSoup soup;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string keyword;
    words >> keyword;
    if (keyword == "v") {
      Vec3d p{};
      words >> p[0] >> p[1] >> p[2];
      soup.positions.push_back(p);
    } else if (keyword == "f") {
      Triangle t{};
      for (Index& corner : t.v) {
        std::string word;
        words >> word;
        const long reference = std::stol(word);
        corner = static_cast<Index>(
            reference > 0 ? reference - 1 : static_cast<long>(soup.positions.size()) + reference);
      }
      soup.triangles.push_back(t);
    }
  }
  return soup;
}

TEST(Obj, ReadsTriangles) {
  const ReadResult result = parse_obj(square);
  ASSERT_EQ(result.mesh.positions.size(), 4U);
  EXPECT_EQ(result.mesh.positions[2], (Vec3d{1, 1, 0}));
  EXPECT_EQ(result.mesh.triangles, (Array<Triangle>{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(result.polygons, 0U);
  EXPECT_TRUE(result.notes.empty());
}

TEST(Obj, ReadsTheSameHoweverItIsWritten) {
  const TriangleSoup expected = parse_obj(square).mesh;
  for (const char* text :
       {"v 0 0 0\r\nv 1 0 0\r\nv 1 1 0\r\nv 0 1 0\r\nf 1 2 3\r\nf 1 3 4\r\n",
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4",
        "f 1 2 3\nf 1 3 4\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n",
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nf -3 -2 -1\nv 0 1 0\nf -4 -2 -1\n",
        "# C:\\path\\\nv 0 0 0 # zero\n\n  v\t1.0 0 0e0\nv 1 1 0\nv 0 1 0\nf 1/1 2/2 3/3\n"
        "f 1//1 3//2 4//3\n",
        "v 0 \\\n0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1/1 \\\r\n2/2/2 3/3/3\nf 1 3 \\\n 4",
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/ 2/ 3/\nf 1/-1/-2 3/1/1 4/2/2 # end"})
    expect_same(parse_obj(text).mesh, expected);
}

TEST(Obj, ReadsPolygons) {
  const ReadResult result = parse_obj(
      "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 0.5 0\nv 0 2 0\n"
      "f 1 2 3 4 5\nf 1 2 3\nf 1 2\nf 3\n");
  EXPECT_EQ(result.mesh.triangles.size(), 6U);
  EXPECT_EQ(result.polygons, 1U);
  EXPECT_EQ(result.mesh.triangles[3], (Triangle{0, 1, 2}));
  EXPECT_EQ(result.mesh.triangles[4], (Triangle{0, 1, 1}));
  EXPECT_EQ(result.mesh.triangles[5], (Triangle{2, 2, 2}));
}

TEST(Obj, ReadsColours) {
  const ReadResult result = parse_obj("v 0 0 0 1 0.5 0\nv 1 0 0\nv 0 1 0 0 0 0.25 1\n");
  const Attribute* color = find(result.mesh.vertex_attributes, "color");
  ASSERT_NE(color, nullptr);
  EXPECT_EQ(color->components, 3);
  EXPECT_EQ(std::get<Array<float>>(color->values),
            (Array<float>{1, 0.5F, 0, 1, 1, 1, 0, 0, 0.25F}));
  EXPECT_EQ(result.notes.size(), 1U);
}

TEST(Obj, NotesWhatItLeavesOut) {
  const ReadResult result = parse_obj(
      "mtllib a.mtl\no thing\ng part\nusemtl red\ns 1\nvt 0 0\nvt 1 1\nvn 0 0 1\nvp 1\n"
      "v 0 0 0 1\nl 1 1\np 1\ncurv2 1\n");
  EXPECT_EQ(
      result.notes,
      (std::vector<std::string>{
          "2 texture coordinates (vt) were not read", "1 normals (vn) were not read",
          "1 parameter space vertices (vp) were not read", "2 group names (g, o) were not read",
          "1 smoothing groups were not read", "2 material statements were not read",
          "1 polylines (l) were not read", "1 point elements (p) were not read",
          "1 other statements were not read; the first is \"curv2\"",
          "weights of 1 vertices were not read"}));
}

TEST(Obj, RefusesBadInput) {
  expect_refused("", Format::obj, "empty");
  expect_refused("%PDF-1.4 garbage\n", Format::obj, "test:1:");
  expect_refused(std::string("\0\1\2\3", 4), Format::obj, "test:1:");
  expect_refused("v 0 0 0\nv 1 0\n", Format::obj, "test:2:");
  expect_refused("v 0 0 zero\n", Format::obj, "test:1:");
  expect_refused("v 0 0 1x\n", Format::obj, "test:1:");
  expect_refused("v 0 0 nan\n", Format::obj, "not finite");
  expect_refused("v 0 0 0\nv 0 -inf 0\n", Format::obj, "test:2: a coordinate is not finite");
  expect_refused("v 1e999 0 0\n", Format::obj, "not finite");
  expect_refused("v 0 0 0 1 1\n", Format::obj, "test:1:");
  expect_refused("v 0 0 0 1 1 1 1 1\n", Format::obj, "test:1:");
  const std::string head(square);
  expect_refused(head + "f 1 2 0\n", Format::obj, "test:7: a face refers to vertex 0");
  expect_refused(head + "f 1 2 5\n", Format::obj, "test:7:");
  expect_refused(head + "f 1 2 -5\n", Format::obj, "test:7:");
  expect_refused(head + "f 1 2 99999999999999999999\n", Format::obj, "test:7:");
  expect_refused(head + "f 1 2 4294967297\n", Format::obj, "test:7:");
  expect_refused(head + "f\n", Format::obj, "test:7: a face has no corners");
  expect_refused(head + "f 1 2 3x\n", Format::obj, "test:7:");
  expect_refused(head + "f 1 2 3/x\n", Format::obj, "test:7:");
  expect_refused(head + "f 1 2 3/1/1/1\n", Format::obj, "test:7:");
  expect_refused(head + "f 1.5 2 3\n", Format::obj, "test:7:");
}

TEST(Obj, SurvivesTruncation) {
  testing::expect_survives_truncation(
      "# cube\nv 0 0 0 1 0 0\nv 1 0 0\nv 1 1e-3 0\nvt 1 1\nf 1/1 2/1 \\\n3/1\nf -1 -2 -3 -1\n",
      Format::obj);
}

TEST(Obj, AgreesWithTheSlowTwinAndReportsTheFirstErrorOnAnyNumberOfThreads) {
  const TriangleSoup soup = testing::random_soup(1, 40000, 80000);
  std::string text;
  char line[128];
  for (std::size_t i = 0; i < soup.positions.size(); ++i) {
    const Vec3d& p = soup.positions[i];
    std::snprintf(line, sizeof line, "v %.*g %.9g %.17g\n", 1 + static_cast<int>(i % 17), p[0],
                  p[1], p[2]);
    text += line;
    if (i < 10) continue;
    const auto n = static_cast<Index>(i);
    std::snprintf(line, sizeof line, "f %u/1/1 -%u//2 %u\n", n % 7 + 1, n % 5 + 1, n);
    text += line;
  }
  const TriangleSoup expected = parse_slowly(text);
  for (const int threads : {1, 2, 3}) expect_same(parse_obj(text, threads).mesh, expected);

  const std::size_t middle = text.find("\nv ", text.size() / 2);
  std::string broken = text;
  broken[middle + 3] = 'x';
  broken += "f 0 0 0\nv nan nan nan\n";
  const auto lines = 2 + std::count(text.begin(), text.begin() + static_cast<long>(middle), '\n');
  for (int i = 0; i < 5; ++i)
    expect_refused(broken, Format::obj, "test:" + std::to_string(lines) + ":");
}

TEST(Obj, RoundTrip) {
  const testing::TemporaryFolder folder;
  TriangleSoup soup = testing::random_soup(2, 30000, 60000);
  soup.vertex_attributes.push_back(testing::random_attribute<float>("color", 3, 30000, 3));
  write_triangles(folder / "a.obj", soup);
  expect_same(read_triangles(folder / "a.obj").mesh, soup);

  WriteOptions options;
  options.precision = Precision::float32;
  options.threads = 1;
  write_triangles(folder / "b.obj", soup, options);
  // The fewest digits that tell one float from the next are not all digits of that float.
  const TriangleSoup single = testing::rounded(soup);
  const TriangleSoup again = testing::rounded(read_triangles(folder / "b.obj").mesh);
  expect_same(again, single);
  EXPECT_LT(testing::read_bytes(folder / "b.obj").size(),
            testing::read_bytes(folder / "a.obj").size());
}

TEST(Obj, RoundTripOfNothing) {
  const testing::TemporaryFolder folder;
  write_triangles(folder / "a.obj", {});
  expect_same(read_triangles(folder / "a.obj").mesh, {});
}

TEST(Obj, NotesAttributesWithoutRoom) {
  const testing::TemporaryFolder folder;
  TriangleSoup soup = testing::random_soup(2, 10, 10);
  soup.vertex_attributes.push_back(testing::random_attribute<std::uint8_t>("color", 4, 10, 3));
  soup.vertex_attributes.push_back(testing::random_attribute<double>("heat", 1, 10, 3));
  soup.face_attributes.push_back(testing::random_attribute<int>("ref", 1, 10, 3));
  const WriteResult result = write_triangles(folder / "a.obj", soup);
  EXPECT_EQ(result.notes,
            (std::vector<std::string>{"OBJ files have no room for vertex attribute \"heat\"",
                                      "OBJ files have no room for face attribute \"ref\"",
                                      "OBJ files have no room for the opacity of colours"}));
  EXPECT_EQ(result.bytes, testing::read_bytes(folder / "a.obj").size());
  const TriangleSoup again = read_triangles(folder / "a.obj").mesh;
  const auto& bytes = std::get<Array<std::uint8_t>>(soup.vertex_attributes[0].values);
  const auto& colors = std::get<Array<float>>(again.vertex_attributes.at(0).values);
  for (std::size_t i = 0; i < 10; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_FLOAT_EQ(colors[3 * i + k], static_cast<float>(bytes[4 * i + k]) / 255);
}

}  // namespace
}  // namespace tessera::io
