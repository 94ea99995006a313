// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include "io_support.h"
#include "tessera/io/detail/weld.h"

namespace tessera::io {
namespace {

using testing::expect_refused;
using testing::expect_same;

ReadResult parse_stl(std::string_view text, int threads = 0) {
  return testing::parse(text, Format::stl, threads);
}

/// A binary file by hand: nine floats for each face.
std::string binary(const std::vector<float>& numbers, std::uint16_t attribute = 0,
                   std::string_view title = "") {
  std::string bytes(80, '\0');
  title.copy(bytes.data(), title.size());
  const auto faces = static_cast<std::uint32_t>(numbers.size() / 9);
  bytes.append(reinterpret_cast<const char*>(&faces), 4);
  for (std::size_t f = 0; f < faces; ++f) {
    bytes.append(12, '\0');
    bytes.append(reinterpret_cast<const char*>(&numbers[9 * f]), 36);
    bytes.append(reinterpret_cast<const char*>(&attribute), 2);
  }
  return bytes;
}

const std::vector<float> two_faces{0, 0, 0, 1, 0, 0, 1, 1, 0, -0.0F, 0, 0, 1, 1, -0.0F, 0, 1, 0};

constexpr std::string_view two_faces_text =
    "solid a name facet\n"
    "  facet normal 0 0 1\n    outer loop\n      vertex 0 0 0\n      vertex 1 0 0\n"
    "      vertex 1 1 0\n    endloop\n  endfacet\n"
    "  facet normal 0 0 1\n    outer loop\n      vertex -0.0 0 0\n      vertex 1 1.0 -0e0\n"
    "      vertex 0 1 0\n    endloop\n  endfacet\n"
    "endsolid a name\n";

/// The slow twin of welding.
TriangleSoup weld_slowly(const std::vector<Vec3f>& corners) {
  TriangleSoup soup;
  soup.precision = Precision::float32;
  std::map<std::tuple<float, float, float>, Index> known;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec3f& p = corners[i];
    const auto [place, is_new] =
        known.try_emplace(std::tuple(p[0], p[1], p[2]), static_cast<Index>(soup.positions.size()));
    if (is_new) soup.positions.push_back(cast<double>(p));
    if (i % 3 == 0) soup.triangles.push_back({});
    soup.triangles.back()[static_cast<int>(i % 3)] = place->second;
  }
  return soup;
}

TEST(Stl, ReadsBinaryAndText) {
  for (const std::string& bytes : {binary(two_faces), std::string(two_faces_text),
                                   binary(two_faces, 0, "solid looks like text")}) {
    const ReadResult result = parse_stl(bytes);
    EXPECT_EQ(result.mesh.positions, (Array<Vec3d>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}));
    EXPECT_EQ(result.mesh.triangles, (Array<Triangle>{{0, 1, 2}, {0, 2, 3}}));
    EXPECT_EQ(result.mesh.precision, Precision::float32);
    EXPECT_TRUE(result.notes.empty());
    EXPECT_TRUE(result.mesh.face_attributes.empty());
  }
}

TEST(Stl, ReadsTextHoweverItIsWritten) {
  const TriangleSoup expected = parse_stl(two_faces_text).mesh;
  std::string upper(two_faces_text);
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  expect_same(parse_stl(upper).mesh, expected);
  std::string windows;
  for (const char c : two_faces_text) {
    if (c == '\n') windows += '\r';
    windows += c;
  }
  expect_same(parse_stl(windows).mesh, expected);
  std::string one_line(two_faces_text);
  for (std::size_t i = one_line.find('\n') + 1; i < one_line.size(); ++i)
    if (one_line[i] == '\n') one_line[i] = ' ';
  expect_same(parse_stl(one_line).mesh, expected);

  const ReadResult twice = parse_stl(std::string(two_faces_text) + std::string(two_faces_text));
  EXPECT_EQ(twice.mesh.positions, expected.positions);
  EXPECT_EQ(twice.mesh.triangles.size(), 4U);
  EXPECT_EQ(twice.notes, (std::vector<std::string>{"2 solids became one mesh"}));
}

TEST(Stl, NotesTrailingBytesAndKeepsAttributes) {
  const ReadResult result = parse_stl(binary(two_faces, 7) + "rest");
  EXPECT_EQ(result.mesh.triangles.size(), 2U);
  EXPECT_EQ(result.notes,
            (std::vector<std::string>{"4 bytes behind the last triangle were not read"}));
  ASSERT_EQ(result.mesh.face_attributes.size(), 1U);
  EXPECT_EQ(std::get<Array<std::uint16_t>>(result.mesh.face_attributes[0].values),
            (Array<std::uint16_t>{7, 7}));
}

TEST(Stl, RefusesBadInput) {
  expect_refused("", Format::stl, "empty");
  expect_refused("garbage", Format::stl, "too few");
  expect_refused(std::string(100, 'x'), Format::stl, "announces 2021161080 triangles");
  std::string cut = binary(two_faces);
  cut.resize(cut.size() - 1);
  expect_refused(cut, Format::stl, "announces 2 triangles, but there are only 1");
  std::string huge = binary({});
  huge.replace(80, 4, "\xff\xff\xff\xff");
  expect_refused(huge, Format::stl, "announces 4294967295 triangles, but there are only 0");
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<float> numbers = two_faces;
    numbers[13] = bad;
    expect_refused(binary(numbers), Format::stl, "at byte 146: triangle 1 has a coordinate");
  }
  auto broken = [](std::string_view from, std::string_view to) {
    std::string text(two_faces_text);
    return text.replace(text.find(from), from.size(), to);
  };
  expect_refused(broken("1 1.0 -0e0", "1 nan 0"), Format::stl, "test:12:");
  expect_refused(broken("1 1.0 -0e0", "1 1e39 0"), Format::stl, "test:12:");
  expect_refused(broken("1 1.0 -0e0", "1 1"), Format::stl, "test:13:");
  expect_refused(broken("1 1.0 -0e0", "1 1 0x"), Format::stl, "test:12: expected a number");
  expect_refused(broken("endloop", "vertex 0 0 1\nendloop"), Format::stl,
                 "test:7: expected \"endloop\" behind three vertices");
  expect_refused(broken("      vertex 1 1 0\n", ""), Format::stl, "test:6:");
  expect_refused(broken("endfacet", "endfact"), Format::stl, "test:8:");
  expect_refused(broken("outer", "inner"), Format::stl, "test:3:");
}

TEST(Stl, SurvivesTruncation) {
  testing::expect_survives_truncation(two_faces_text, Format::stl);
  const std::string bytes = binary(two_faces, 1);
  EXPECT_EQ(testing::expect_survives_truncation(bytes, Format::stl), bytes.size());
  const std::string misleading = binary(two_faces, 1, "solid");
  EXPECT_EQ(testing::expect_survives_truncation(misleading, Format::stl), misleading.size());
}

TEST(Stl, CutTextIsAnError) {
  const std::string_view cut = two_faces_text.substr(0, two_faces_text.find("endsolid"));
  try {
    parse_stl(cut);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("cut short"), std::string::npos) << error.what();
  }
}

TEST(Stl, WeldsAsTheSlowTwinOnAnyNumberOfThreads) {
  // More threads than this machine may have, so that they do get into each other's way.
  const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 8);
  const Random random(4);
  for (const std::uint32_t places : {1U, 10U, 1000U, 100000U}) {
    std::vector<Vec3f> corners(3 * 60000);
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const std::uint32_t place = random.below(i, places);
      corners[i] = {static_cast<float>(place % 10) - 5, static_cast<float>(place / 10),
                    i % 2 == 0 ? 0.0F : -0.0F};
    }
    const TriangleSoup expected = weld_slowly(corners);
    std::vector<float> numbers;
    for (const Vec3f& p : corners) numbers.insert(numbers.end(), p.v, p.v + 3);
    const std::string bytes = binary(numbers);
    for (const int threads : {1, 2, 8}) expect_same(parse_stl(bytes, threads).mesh, expected);
  }
}

TEST(Stl, WeldsAllDifferentCorners) {
  std::vector<float> numbers(9 * 50000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  const TriangleSoup mesh = parse_stl(binary(numbers)).mesh;
  ASSERT_EQ(mesh.positions.size(), 150000U);
  EXPECT_EQ(mesh.triangles.back(), (Triangle{149997, 149998, 149999}));
  EXPECT_EQ(mesh.validate(), std::nullopt);
}

/// What reading back a written file must give: vertices in the order of the corners.
TriangleSoup renumbered(const TriangleSoup& soup) {
  std::vector<Vec3f> corners;
  for (const Triangle& t : soup.triangles)
    for (const Index corner : t.v) corners.push_back(cast<float>(soup.positions[corner]));
  return weld_slowly(corners);
}

TEST(Stl, RoundTrip) {
  const testing::TemporaryFolder folder;
  TriangleSoup soup = testing::random_soup(5, 3000, 30000);
  TriangleSoup expected = renumbered(soup);
  for (const Encoding encoding : {Encoding::binary, Encoding::text}) {
    WriteOptions options;
    options.encoding = encoding;
    write_triangles(folder / "a.stl", soup, options);
    for (const int threads : {1, 2}) {
      ReadOptions read;
      read.threads = threads;
      expect_same(read_triangles(folder / "a.stl", read).mesh, expected);
    }
  }
  soup.face_attributes.push_back(
      testing::random_attribute<std::uint16_t>("attribute", 1, soup.triangles.size(), 6));
  expected.face_attributes = soup.face_attributes;
  EXPECT_TRUE(write_triangles(folder / "a.stl", soup).notes.empty());
  expect_same(read_triangles(folder / "a.stl").mesh, expected);
}

TEST(Stl, RoundTripOfNothing) {
  const testing::TemporaryFolder folder;
  for (const Encoding encoding : {Encoding::binary, Encoding::text}) {
    WriteOptions options;
    options.encoding = encoding;
    write_triangles(folder / "a.stl", {}, options);
    EXPECT_EQ(read_triangles(folder / "a.stl").mesh.triangles.size(), 0U);
  }
}

TEST(Stl, WritesUnitNormals) {
  const testing::TemporaryFolder folder;
  TriangleSoup soup;
  soup.positions = {{0, 0, 0}, {2, 0, 0}, {0, 3, 0}};
  soup.triangles = {{0, 1, 2}, {0, 2, 1}, {0, 1, 1}};
  write_triangles(folder / "a.stl", soup);
  const std::string bytes = testing::read_bytes(folder / "a.stl");
  const float expected[] = {1, -1, 0};
  for (std::size_t f = 0; f < 3; ++f) {
    Vec3f normal;
    std::memcpy(&normal, bytes.data() + 84 + 50 * f, sizeof normal);
    EXPECT_EQ(normal, (Vec3f{0, 0, expected[f]}));
  }
}

}  // namespace
}  // namespace tessera::io
