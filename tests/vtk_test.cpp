// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <cstring>
#include <map>

#include <gtest/gtest.h>

#include "io_support.h"

namespace tessera::io::testing {
namespace {

struct DataArray {
  std::string type;
  int components = 0;
  std::string bytes;

  template <class T>
  Array<T> values() const {
    Array<T> out(bytes.size() / sizeof(T));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  }
};

/// Reads what the writer writes, and checks that the appended blocks lie end to end.
struct VtkFile {
  std::string xml;
  std::map<std::string, DataArray> arrays;

  explicit VtkFile(const std::string& bytes) {
    const std::string mark = "<AppendedData encoding=\"raw\">\n_";
    const std::size_t appended = bytes.find(mark);
    xml = bytes.substr(0, appended);
    const std::string tail = "\n</AppendedData>\n</VTKFile>\n";
    EXPECT_TRUE(bytes.ends_with(tail));
    const std::string data =
        bytes.substr(appended + mark.size(), bytes.size() - appended - mark.size() - tail.size());
    std::uint64_t end = 0;
    for (std::size_t at = xml.find("<DataArray"); at != std::string::npos;
         at = xml.find("<DataArray", at + 1)) {
      const std::string element = xml.substr(at, xml.find("/>", at) - at);
      const std::uint64_t offset = std::stoull(value(element, "offset"));
      EXPECT_EQ(offset, end);
      std::uint64_t size = 0;
      std::memcpy(&size, data.data() + offset, sizeof size);
      end = offset + sizeof size + size;
      if (end > data.size()) {
        ADD_FAILURE() << "array past the end";
        return;
      }
      arrays[value(element, "Name")] = {value(element, "type"), components_of(element),
                                        data.substr(offset + sizeof size, size)};
    }
    EXPECT_EQ(end, data.size());
  }

  static int components_of(const std::string& element) {
    const bool told = element.find(" NumberOfComponents=") != std::string::npos;
    return told ? std::stoi(value(element, "NumberOfComponents")) : 1;
  }

  static std::string value(const std::string& element, const std::string& key) {
    const std::size_t at = element.find(" " + key + "=\"") + key.size() + 3;
    return element.substr(at, element.find('"', at) - at);
  }
};

VtkFile write(const TriangleSoup& mesh, const char* name) {
  const TemporaryFolder folder;
  const WriteResult written = write_triangles(folder / name, mesh);
  EXPECT_TRUE(written.notes.empty());
  EXPECT_EQ(written.bytes, std::filesystem::file_size(folder / name));
  return VtkFile(read_bytes(folder / name));
}

Array<std::int32_t> corners_of(const TriangleSoup& mesh) {
  Array<std::int32_t> corners;
  for (const Triangle& t : mesh.triangles)
    for (const Index corner : t.v) corners.push_back(static_cast<std::int32_t>(corner));
  return corners;
}

class Vtk : public ::testing::TestWithParam<const char*> {};

TEST_P(Vtk, StoresPositionsAndTriangles) {
  const TriangleSoup mesh = random_soup(1, 30000, 70000);
  const VtkFile file = write(mesh, GetParam());
  const DataArray& points = file.arrays.at("Points");
  EXPECT_EQ(points.type, "Float64");
  EXPECT_EQ(points.components, 3);
  const auto numbers = points.values<double>();
  ASSERT_EQ(numbers.size(), 90000u);
  EXPECT_EQ(std::memcmp(numbers.data(), mesh.positions.data(), numbers.size() * 8), 0);
  EXPECT_EQ(file.arrays.at("connectivity").type, "Int32");
  EXPECT_EQ(file.arrays.at("connectivity").values<std::int32_t>(), corners_of(mesh));
  const auto offsets = file.arrays.at("offsets").values<std::int32_t>();
  ASSERT_EQ(offsets.size(), 70000u);
  for (std::size_t f = 0; f < offsets.size(); ++f)
    ASSERT_EQ(offsets[f], static_cast<std::int32_t>(3 * f + 3));
}

TEST_P(Vtk, StoresSinglePrecision) {
  const TriangleSoup mesh = rounded(random_soup(2, 30000, 10));
  const VtkFile file = write(mesh, GetParam());
  EXPECT_EQ(file.arrays.at("Points").type, "Float32");
  const auto numbers = file.arrays.at("Points").values<float>();
  ASSERT_EQ(numbers.size(), 90000u);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    ASSERT_EQ(double{numbers[i]}, mesh.positions[i / 3][static_cast<int>(i % 3)]);
}

TEST_P(Vtk, StoresAttributesOfAllTypes) {
  TriangleSoup mesh = random_soup(3, 1000, 2000);
  mesh.vertex_attributes = {random_attribute<std::int8_t>("i8", 1, 1000, 1),
                            random_attribute<std::uint8_t>("color", 4, 1000, 2),
                            random_attribute<std::int16_t>("i16", 2, 1000, 3),
                            random_attribute<std::uint16_t>("u16", 1, 1000, 4),
                            random_attribute<float>("normal", 3, 1000, 5)};
  mesh.face_attributes = {random_attribute<std::int32_t>("ref", 1, 2000, 6),
                          random_attribute<std::uint32_t>("u32", 1, 2000, 7),
                          random_attribute<double>("a<b>&\"c\"", 6, 2000, 8)};
  const VtkFile file = write(mesh, GetParam());
  EXPECT_NE(file.xml.find("<PointData Normals=\"normal\" Scalars=\"color\">"), std::string::npos);
  const std::map<std::string, std::string> types = {
      {"i8", "Int8"},        {"color", "UInt8"},
      {"i16", "Int16"},      {"u16", "UInt16"},
      {"ref", "Int32"},      {"u32", "UInt32"},
      {"normal", "Float32"}, {"a&lt;b&gt;&amp;&quot;c&quot;", "Float64"}};
  for (const auto& [name, type] : types) {
    ASSERT_TRUE(file.arrays.contains(name)) << name;
    EXPECT_EQ(file.arrays.at(name).type, type);
  }
  for (const Attributes* attributes : {&mesh.vertex_attributes, &mesh.face_attributes})
    for (const Attribute& a : *attributes) {
      const DataArray& stored =
          file.arrays.at(a.name[0] == 'a' ? "a&lt;b&gt;&amp;&quot;c&quot;" : a.name);
      EXPECT_EQ(stored.components, a.components);
      std::visit(
          [&]<class T>(const Array<T>& values) { EXPECT_EQ(stored.values<T>(), values) << a.name; },
          a.values);
    }
}

TEST_P(Vtk, StoresAnEmptyMesh) {
  const VtkFile file = write({}, GetParam());
  EXPECT_TRUE(file.arrays.at("Points").bytes.empty());
  EXPECT_TRUE(file.arrays.at("connectivity").bytes.empty());
}

INSTANTIATE_TEST_SUITE_P(Formats, Vtk, ::testing::Values("mesh.vtp", "mesh.vtu"),
                         [](const auto& parameter) {
                           return std::string(parameter.param).substr(5);
                         });

TEST(Vtu, CellsAreTriangles) {
  const VtkFile file = write(random_soup(4, 100, 300000), "mesh.vtu");
  EXPECT_NE(file.xml.find("type=\"UnstructuredGrid\""), std::string::npos);
  EXPECT_NE(file.xml.find("NumberOfCells=\"300000\""), std::string::npos);
  EXPECT_EQ(file.arrays.at("types").values<std::uint8_t>(), Array<std::uint8_t>(300000, 5));
}

TEST(Vtp, CountsItsPolygons) {
  const VtkFile file = write(random_soup(4, 100, 200), "mesh.vtp");
  EXPECT_NE(file.xml.find("type=\"PolyData\""), std::string::npos);
  EXPECT_NE(file.xml.find("NumberOfPoints=\"100\""), std::string::npos);
  EXPECT_NE(file.xml.find("NumberOfPolys=\"200\""), std::string::npos);
  EXPECT_FALSE(file.arrays.contains("types"));
}

}  // namespace
}  // namespace tessera::io::testing
