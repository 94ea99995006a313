// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io_support.h"

namespace tessera::io {
namespace {

using testing::expect_refused;
using testing::expect_same;
using testing::expect_same_attributes;
using testing::random_attribute;

ReadResult parse_ply(std::string_view text, int threads = 0) {
  return testing::parse(text, Format::ply, threads);
}

/// Binary data by hand, in either byte order.
class Bytes {
 public:
  explicit Bytes(bool big_endian) : big_endian_(big_endian) {}
  template <class T>
  Bytes& put(std::initializer_list<T> values) {
    for (const T value : values) {
      char raw[sizeof(T)];
      std::memcpy(raw, &value, sizeof(T));
      if (big_endian_) std::reverse(raw, raw + sizeof(T));
      text_.append(raw, sizeof(T));
    }
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  bool big_endian_;
  std::string text_;
};

constexpr std::string_view square =
    "ply\nformat ascii 1.0\ncomment made by hand\nobj_info nothing\nelement vertex 4\n"
    "property float x\nproperty float y\nproperty float z\n"
    "element face 2\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n";

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result(text);
  const std::size_t at = result.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return result.replace(at, from.size(), to);
}

std::string with_line_ends(std::string_view text, std::string_view line_end) {
  std::string result;
  for (const char c : text) {
    if (c == '\n')
      result += line_end;
    else
      result += c;
  }
  return result;
}

void expect_square(const ReadResult& result) {
  EXPECT_EQ(result.mesh.positions, (Array<Vec3d>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}));
  EXPECT_EQ(result.mesh.triangles, (Array<Triangle>{{0, 1, 2}, {0, 2, 3}}));
}

TEST(Ply, ReadsAnEmptyMesh) {
  // Found by the fuzzer: no vertices, so no memory for their coordinates to go to.
  const std::string_view text =
      "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\n"
      "property float z\nproperty float nx\nproperty float ny\nproperty float nz\nelement face 0\n"
      "property list uchar int vertex_indices\nend_header\n";
  const ReadResult result = testing::parse(text, Format::ply);
  EXPECT_TRUE(result.mesh.positions.empty());
  EXPECT_TRUE(result.mesh.triangles.empty());
}

TEST(Ply, ReadsText) {
  const ReadResult result = parse_ply(square);
  expect_square(result);
  EXPECT_EQ(result.mesh.precision, Precision::float32);
  EXPECT_TRUE(result.notes.empty());
  expect_square(parse_ply(with_line_ends(square, "\r\n")));
  expect_square(parse_ply(square.substr(0, square.size() - 1)));
  expect_square(parse_ply(replaced(square, "vertex_indices", "vertex_index")));
  expect_square(parse_ply(replaced(square, "1 1 0\n", "1 1.0 0e0\n\n")));
}

TEST(Ply, ReadsElementsInAnyOrderAndSkipsOthers) {
  const std::string text =
      "ply\nformat ascii 1.0\nelement edge 1\nproperty int a\nproperty int b\n"
      "element face 2\nproperty list uchar int vertex_indices\n"
      "element empty 5\n"
      "element list 2\nproperty list int float values\n"
      "element vertex 4\nproperty double x\nproperty uchar y\nproperty int z\nend_header\n"
      "0 1\n3 0 1 2\n3 0 2 3\n2 0.5 1.5\n0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\nmore\n";
  const ReadResult result = parse_ply(text);
  expect_square(result);
  EXPECT_EQ(result.mesh.precision, Precision::float64);
  EXPECT_EQ(
      result.notes,
      (std::vector<std::string>{
          "1 of element \"edge\" were not read", "5 of element \"empty\" were not read",
          "2 of element \"list\" were not read", "1 lines behind the last element were not read"}));
  for (const bool big : {false, true}) {
    std::string header = text.substr(0, text.find("end_header\n") + 11);
    header = replaced(header, "ascii", big ? "binary_big_endian" : "binary_little_endian");
    Bytes bytes(big);
    bytes.put<std::int32_t>({0, 1});
    bytes.put<std::uint8_t>({3}).put<std::int32_t>({0, 1, 2});
    bytes.put<std::uint8_t>({3}).put<std::int32_t>({0, 2, 3});
    bytes.put<std::int32_t>({2}).put<float>({0.5F, 1.5F}).put<std::int32_t>({0});
    for (const Vec3d& p : result.mesh.positions)
      bytes.put<double>({p[0]})
          .put<std::uint8_t>({static_cast<std::uint8_t>(p[1])})
          .put<std::int32_t>({static_cast<std::int32_t>(p[2])});
    const ReadResult binary = parse_ply(header + bytes.text());
    expect_square(binary);
    EXPECT_EQ(binary.notes.size(), 3U);
    EXPECT_EQ(parse_ply(header + bytes.text() + "xy").notes.back(),
              "2 bytes behind the last element were not read");
  }
}

TEST(Ply, ReadsAllTypesUnderBothNames) {
  for (const auto& types : {std::vector<std::string>{"char", "uchar", "short", "ushort", "int",
                                                     "uint", "float", "double"},
                            std::vector<std::string>{"int8", "uint8", "int16", "uint16", "int32",
                                                     "uint32", "float32", "float64"}}) {
    std::string header = "ply\nformat binary_big_endian 1.0\nelement vertex 1\n";
    for (const char* axis : {"x", "y", "z"}) header += "property " + types[6] + " " + axis + "\n";
    for (const std::string& type : types) header += "property " + type + " a_" + type + "\n";
    Bytes bytes(true);
    bytes.put<float>({1, 2, 3});
    bytes.put<std::int8_t>({-5}).put<std::uint8_t>({250}).put<std::int16_t>({-500});
    bytes.put<std::uint16_t>({65000}).put<std::int32_t>({-70000}).put<std::uint32_t>({4000000000});
    bytes.put<float>({0.1F}).put<double>({0.1});
    const TriangleSoup mesh = parse_ply(header + "end_header\n" + bytes.text()).mesh;
    EXPECT_EQ(mesh.positions[0], (Vec3d{1, 2, 3}));
    ASSERT_EQ(mesh.vertex_attributes.size(), 8U);
    const AttributeValues expected[] = {
        Array<std::int8_t>{-5},      Array<std::uint8_t>{250},    Array<std::int16_t>{-500},
        Array<std::uint16_t>{65000}, Array<std::int32_t>{-70000}, Array<std::uint32_t>{4000000000},
        Array<float>{0.1F},          Array<double>{0.1}};
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(mesh.vertex_attributes[i].name, "a_" + types[i]);
      EXPECT_TRUE(mesh.vertex_attributes[i].values == expected[i]) << types[i];
    }
  }
}

TEST(Ply, GroupsProperties) {
  auto names = [](const std::vector<std::string>& properties) {
    std::string text =
        "ply\nformat ascii 1.0\nelement vertex 1\n"
        "property float x\nproperty float y\nproperty float z\n";
    for (const std::string& p : properties) text += "property " + p + "\n";
    text += "end_header\n1 2 3";
    for (std::size_t i = 0; i < properties.size(); ++i)
      text.append(1, ' ').append(std::to_string(i));
    std::string result;
    for (const Attribute& a : parse_ply(text + "\n").mesh.vertex_attributes)
      result += a.name + std::to_string(a.components) + " ";
    return result;
  };
  EXPECT_EQ(names({"float nx", "float ny", "float nz"}), "normal3 ");
  EXPECT_EQ(names({"float nx", "float ny", "double nz"}), "nx1 ny1 nz1 ");
  EXPECT_EQ(names({"uchar red", "uchar green", "uchar blue"}), "color3 ");
  EXPECT_EQ(names({"uchar red", "uchar green", "uchar blue", "uchar alpha"}), "color4 ");
  EXPECT_EQ(names({"uchar red", "uchar green", "uchar blue", "float alpha"}), "color3 alpha1 ");
  EXPECT_EQ(names({"uchar red", "uchar green"}), "red1 green1 ");
  EXPECT_EQ(names({"float s", "float t"}), "texcoord2 ");
  EXPECT_EQ(names({"float u", "float v"}), "texcoord2 ");
  EXPECT_EQ(names({"float texture_u", "float texture_v"}), "texcoord2 ");
  EXPECT_EQ(names({"float s", "float t", "float u", "float v"}), "texcoord2 u1 v1 ");
  EXPECT_EQ(names({"int a", "int b_0", "int b_1", "int b_2", "int c_1"}), "a1 b3 c_11 ");
  EXPECT_EQ(names({"int b_0", "float b_1"}), "b_01 b_11 ");
  EXPECT_EQ(names({"int b", "int b_0", "int b_1"}), "b1 b_01 b_11 ");
  EXPECT_EQ(names({"int b_1", "int b_0"}), "b_11 b_01 ");
}

/// All encodings of: polygons, an extra list of constant length, one of varying length.
std::string polygons(Encoding encoding) {
  const char* format = encoding == Encoding::text     ? "ascii"
                       : encoding == Encoding::binary ? "binary_little_endian"
                                                      : "binary_big_endian";
  const std::string header = std::string("ply\nformat ") + format +
                             " 1.0\nelement vertex 5\n"
                             "property double x\nproperty double y\nproperty double z\n"
                             "element face 4\nproperty short ref\n"
                             "property list ushort uint vertex_indices\n"
                             "property list uchar float pair\nproperty list uchar int many\n"
                             "end_header\n";
  const double positions[5][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {1, 0.5, 0}, {0, 2, 0}};
  const std::vector<std::vector<std::uint32_t>> faces{
      {0, 1, 2, 3, 4}, {0, 1, 2}, {2, 3, 4, 0}, {1}};
  Bytes bytes(encoding == Encoding::binary_big_endian);
  std::string text;
  for (const auto& p : positions) {
    bytes.put<double>({p[0], p[1], p[2]});
    text += std::to_string(p[0]) + ' ' + std::to_string(p[1]) + ' ' + std::to_string(p[2]) + '\n';
  }
  for (std::size_t f = 0; f < 4; ++f) {
    bytes.put<std::int16_t>({static_cast<std::int16_t>(f)});
    text += std::to_string(f) + ' ' + std::to_string(faces[f].size());
    bytes.put<std::uint16_t>({static_cast<std::uint16_t>(faces[f].size())});
    for (const std::uint32_t corner : faces[f]) {
      bytes.put<std::uint32_t>({corner});
      text.append(1, ' ').append(std::to_string(corner));
    }
    bytes.put<std::uint8_t>({2}).put<float>({static_cast<float>(f), 0.5F});
    text += " 2 " + std::to_string(f) + " 0.5 " + std::to_string(f);
    bytes.put<std::uint8_t>({static_cast<std::uint8_t>(f)});
    for (std::size_t i = 0; i < f; ++i) {
      bytes.put<std::int32_t>({7});
      text += " 7";
    }
    text += '\n';
  }
  return header + (encoding == Encoding::text ? text : bytes.text());
}

TEST(Ply, ReadsPolygonsAndListsInAllEncodings) {
  for (const Encoding encoding : {Encoding::text, Encoding::binary, Encoding::binary_big_endian}) {
    const ReadResult result = parse_ply(polygons(encoding));
    EXPECT_EQ(result.polygons, 2U);
    ASSERT_EQ(result.mesh.triangles.size(), 7U);
    EXPECT_EQ(result.mesh.triangles[3], (Triangle{0, 1, 2}));
    EXPECT_EQ(result.mesh.triangles[6], (Triangle{1, 1, 1}));
    EXPECT_EQ(result.mesh.validate(), std::nullopt);
    expect_same_attributes(
        result.mesh.face_attributes,
        {{"ref", 1, Array<std::int16_t>{0, 0, 0, 1, 2, 2, 3}},
         {"pair", 2, Array<float>{0, .5F, 0, .5F, 0, .5F, 1, .5F, 2, .5F, 2, .5F, 3, .5F}}});
    ASSERT_EQ(result.notes.size(), 1U);
    EXPECT_NE(result.notes[0].find("\"many\""), std::string::npos);
  }
}

TEST(Ply, ReadsFacesOfFourCornersEach) {
  const std::string text =
      replaced(replaced(square, "face 2", "face 1"), "3 0 1 2\n3 0 2 3\n", "4 0 1 2 3\n");
  EXPECT_EQ(parse_ply(text).mesh.triangles.size(), 2U);
  std::string header = text.substr(0, text.find("end_header\n") + 11);
  header = replaced(header, "ascii", "binary_little_endian");
  Bytes bytes(false);
  bytes.put<float>({0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0});
  bytes.put<std::uint8_t>({4}).put<std::int32_t>({0, 1, 2, 3});
  const ReadResult result = parse_ply(header + bytes.text());
  EXPECT_EQ(result.mesh.triangles.size(), 2U);
  EXPECT_EQ(result.polygons, 1U);
}

TEST(Ply, ReadsStripsOfTriangles) {
  const std::string text =
      "ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty float y\n"
      "property float z\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n"
      "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n1 2 0\n10 0 1 2 3 4 -1 3 5 4 -1\n";
  const Array<Triangle> expected{{0, 1, 2}, {2, 1, 3}, {2, 3, 4}, {3, 5, 4}};
  EXPECT_EQ(parse_ply(text).mesh.triangles, expected);
  expect_refused(replaced(text, "-1 3 5", "-1 3 6"), Format::ply, "does not exist");
  expect_refused(replaced(text, "-1 3 5", "-2 3 5"), Format::ply, "does not exist");
}

TEST(Ply, RefusesBadHeaders) {
  expect_refused("", Format::ply, "empty");
  expect_refused("garbage", Format::ply, "not a PLY file");
  expect_refused("ply\n", Format::ply, "no end_header");
  expect_refused(std::string("ply\ncomment ") + std::string(1 << 20, 'x'), Format::ply,
                 "no end_header");
  expect_refused("ply\nend_header\n", Format::ply, "does not say the format");
  expect_refused("ply\nformat ascii 1.0\nend_header\n", Format::ply, "no element \"vertex\"");
  expect_refused(replaced(square, "format ascii", "format klingon"), Format::ply, "test:2:");
  expect_refused(replaced(square, "ascii 1.0", "ascii 2.0"), Format::ply, "test:2:");
  expect_refused(replaced(square, "vertex 4", "vertex -4"), Format::ply, "test:5:");
  expect_refused(replaced(square, "vertex 4", "vertex"), Format::ply, "test:5:");
  expect_refused(replaced(square, "vertex 4", "vertex 4.5"), Format::ply, "test:5:");
  expect_refused(replaced(square, "vertex 4", "vertex 99999999999999999999"), Format::ply,
                 "test:5:");
  expect_refused(replaced(square, "float x", "quad x"), Format::ply, "test:6:");
  expect_refused(replaced(square, "float y", "float x"), Format::ply, "declared twice");
  expect_refused(replaced(square, "float y", "float w"), Format::ply, "no property \"y\"");
  expect_refused(replaced(square, "list uchar", "list float"), Format::ply, "test:10:");
  expect_refused(replaced(square, "int vertex_indices", "float vertex_indices"), Format::ply,
                 "integer");
  expect_refused(replaced(square, "vertex_indices", "corners"), Format::ply, "vertex_indices");
  expect_refused(replaced(square, "element face 2", "element vertex 2"), Format::ply, "twice");
  expect_refused(replaced(square, "comment", "remark"), Format::ply, "test:3:");
}

TEST(Ply, RefusesCountsBeyondTheFile) {
  for (const char* count : {"4000000000", "4294967295", "18446744073709551615"}) {
    const std::string vertices = std::string("vertex ") + count;
    const std::string faces = std::string("face ") + count;
    expect_refused(replaced(square, "vertex 4", vertices), Format::ply, "vert");
    expect_refused(replaced(square, "face 2", faces), Format::ply, count);
    const std::string binary = replaced(square, "ascii", "binary_little_endian");
    expect_refused(replaced(binary, "vertex 4", vertices), Format::ply, "vert");
    expect_refused(replaced(binary, "vertex 4", "vertex 0\nelement x 4\nproperty list uint int y"),
                   Format::ply, "");
  }
  // As many short lines as announced, each far short of its thousand numbers.
  std::string wide = "ply\nformat ascii 1.0\nelement vertex 100000\n";
  for (int i = 0; i < 1000; ++i) wide += "property double p" + std::to_string(i) + "\n";
  wide += "property float x\nproperty float y\nproperty float z\nend_header\n";
  for (int i = 0; i < 100000; ++i) wide += "1\n";
  expect_refused(wide, Format::ply, "the file ends");
}

TEST(Ply, RefusesBadData) {
  expect_refused(replaced(square, "1 1 0\n", "1 nan 0\n"), Format::ply, "test:14: vertex 2");
  expect_refused(replaced(square, "1 1 0\n", "1 inf 0\n"), Format::ply, "test:14: vertex 2");
  expect_refused(replaced(square, "1 1 0\n", "1 1\n"), Format::ply, "test:14: expected a number");
  expect_refused(replaced(square, "1 1 0\n", "1 1 0 0\n"), Format::ply, "test:14: there are more");
  expect_refused(replaced(square, "1 1 0\n", "1 1 x\n"), Format::ply, "test:14: expected a number");
  expect_refused(replaced(square, "3 0 2 3", "3 0 2 4"), Format::ply, "test:17: face 1");
  expect_refused(replaced(square, "3 0 2 3", "3 0 2 -1"), Format::ply, "test:17: face 1");
  expect_refused(replaced(square, "3 0 2 3", "3 0 2"), Format::ply, "test:17: expected a number");
  expect_refused(replaced(square, "3 0 2 3", "-3 0 2 3"), Format::ply, "test:17:");
  expect_refused(replaced(square, "3 0 2 3", "300 0 2 3"), Format::ply, "does not fit type uchar");
  expect_refused(replaced(square, "3 0 2 3", "3 0 2 2.5"), Format::ply, "does not fit type int");
  expect_refused(replaced(square, "3 0 2 3", "0"), Format::ply, "no corners");
  expect_refused(replaced(square, "3 0 2 3\n", ""), Format::ply, "the file ends");

  const testing::TemporaryFolder folder;
  write_triangles(folder / "a.ply", testing::rounded(testing::random_soup(1, 4, 2)));
  const std::string good = testing::read_bytes(folder / "a.ply");
  const std::size_t data = good.find("end_header\n") + 11;
  auto with = [&](std::size_t offset, auto value) {
    std::string bytes = good;
    std::memcpy(bytes.data() + data + offset, &value, sizeof value);
    return bytes;
  };
  expect_refused(with(12 + 4, std::numeric_limits<float>::quiet_NaN()), Format::ply, "vertex 1");
  expect_refused(with(12 + 8, std::numeric_limits<float>::infinity()), Format::ply, "vertex 1");
  expect_refused(with(48 + 13 + 5, std::int32_t{4}), Format::ply, "face 1");
  expect_refused(with(48 + 13 + 5, std::int32_t{-1}), Format::ply, "face 1");
  expect_refused(with(48 + 13, std::uint8_t{0}), Format::ply, "face 1 has no corners");
  expect_refused(with(48 + 13, std::uint8_t{200}), Format::ply, "ends within an element");
  expect_refused(good.substr(0, good.size() - 1), Format::ply, "");
}

TEST(Ply, SurvivesTruncation) {
  for (const Encoding encoding : {Encoding::text, Encoding::binary, Encoding::binary_big_endian}) {
    const std::string bytes = polygons(encoding);
    const std::size_t refused = testing::expect_survives_truncation(bytes, Format::ply);
    // Text may end before its last line end, or within a number.
    EXPECT_GE(refused, encoding == Encoding::text ? bytes.size() - 4 : bytes.size());
  }
}

/// Attributes of every type and of the names with a meaning.
TriangleSoup decorated(std::uint32_t vertices, std::uint32_t faces) {
  TriangleSoup soup = testing::random_soup(8, vertices, faces);
  soup.vertex_attributes = {random_attribute<float>("normal", 3, vertices, 1),
                            random_attribute<std::uint8_t>("color", 4, vertices, 2),
                            random_attribute<double>("texcoord", 2, vertices, 3),
                            random_attribute<std::int16_t>("tensor", 6, vertices, 4),
                            random_attribute<double>("heat", 1, vertices, 5)};
  soup.face_attributes = {random_attribute<float>("color", 3, faces, 6),
                          random_attribute<std::int8_t>("i8", 1, faces, 7),
                          random_attribute<std::uint16_t>("u16", 2, faces, 8),
                          random_attribute<std::int32_t>("ref", 1, faces, 9),
                          random_attribute<std::uint32_t>("u32", 1, faces, 10)};
  std::get<Array<double>>(soup.vertex_attributes[4].values)[0] =
      std::numeric_limits<double>::infinity();
  return soup;
}

TEST(Ply, RoundTrip) {
  const testing::TemporaryFolder folder;
  const TriangleSoup soup = decorated(20000, 50000);
  for (const Encoding encoding : {Encoding::text, Encoding::binary, Encoding::binary_big_endian})
    for (const Precision precision : {Precision::float64, Precision::float32}) {
      WriteOptions options;
      options.encoding = encoding;
      options.precision = precision;
      const WriteResult written = write_triangles(folder / "a.ply", soup, options);
      EXPECT_TRUE(written.notes.empty());
      for (const int threads : {1, 2}) {
        ReadOptions read;
        read.threads = threads;
        const ReadResult result = read_triangles(folder / "a.ply", read);
        EXPECT_EQ(result.bytes, written.bytes);
        EXPECT_TRUE(result.notes.empty());
        if (precision == Precision::float32)
          expect_same(testing::rounded(result.mesh), testing::rounded(soup));
        else
          expect_same(result.mesh, soup);
        EXPECT_EQ(result.mesh.precision, precision);
      }
    }
}

TEST(Ply, RoundTripOfNothing) {
  const testing::TemporaryFolder folder;
  for (const Encoding encoding : {Encoding::text, Encoding::binary, Encoding::binary_big_endian}) {
    WriteOptions options;
    options.encoding = encoding;
    write_triangles(folder / "a.ply", {}, options);
    expect_same(read_triangles(folder / "a.ply").mesh, {});
  }
}

TEST(Ply, RefusesNamesThatAHeaderCannotHold) {
  const testing::TemporaryFolder folder;
  for (const char* name : {"", "two words", "line\nend", "x", "vertex"}) {
    TriangleSoup soup = testing::random_soup(1, 4, 2);
    soup.vertex_attributes.push_back(random_attribute<int>(name, 1, 4, 1));
    if (name == std::string_view("vertex"))
      EXPECT_NO_THROW(write_triangles(folder / "a.ply", soup));
    else
      EXPECT_THROW(write_triangles(folder / "a.ply", soup), InputError) << name;
  }
  TriangleSoup soup = testing::random_soup(1, 4, 2);
  soup.face_attributes.push_back(random_attribute<int>("vertex_indices", 1, 2, 1));
  EXPECT_THROW(write_triangles(folder / "a.ply", soup), InputError);
  soup.face_attributes = {random_attribute<int>("a", 2, 2, 1),
                          random_attribute<int>("a_1", 1, 2, 1)};
  EXPECT_THROW(write_triangles(folder / "a.ply", soup), InputError);
}

}  // namespace
}  // namespace tessera::io
