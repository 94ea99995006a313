// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <cstring>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "io_support.h"

namespace tessera::io::testing {
namespace {

using nlohmann::json;

/// Reads what the writer writes, and checks the frame of the file.
struct GlbFile {
  json document;
  std::string binary;

  explicit GlbFile(const std::string& bytes) {
    EXPECT_EQ(bytes.substr(0, 4), "glTF");
    EXPECT_EQ(number(bytes, 4), 2u);
    EXPECT_EQ(number(bytes, 8), bytes.size());
    const std::uint32_t size = number(bytes, 12);
    EXPECT_EQ(size % 4, 0u);
    EXPECT_EQ(bytes.substr(16, 4), "JSON");
    document = json::parse(bytes.substr(20, size));
    if (bytes.size() == 20 + size) return;
    EXPECT_EQ(bytes.substr(24 + size, 4), std::string("BIN\0", 4));
    binary = bytes.substr(28 + size);
    EXPECT_EQ(number(bytes, 20 + size), binary.size());
    EXPECT_EQ(binary.size() % 4, 0u);
    EXPECT_EQ(document["buffers"].size(), 1u);
    EXPECT_EQ(document["buffers"][0]["byteLength"], binary.size());
  }

  static std::uint32_t number(const std::string& bytes, std::size_t at) {
    std::uint32_t out = 0;
    std::memcpy(&out, bytes.data() + at, sizeof out);
    return out;
  }

  const json& primitive() const { return document["meshes"][0]["primitives"][0]; }

  const json& accessor(const char* attribute) const {
    return document["accessors"][primitive()["attributes"][attribute].get<std::size_t>()];
  }

  template <class T>
  Array<T> values(const json& accessor) const {
    const json& view = document["bufferViews"][accessor["bufferView"].get<std::size_t>()];
    const auto offset = view["byteOffset"].get<std::size_t>();
    const auto size = view["byteLength"].get<std::size_t>();
    EXPECT_EQ(offset % 4, 0u);
    EXPECT_LE(offset + size, binary.size());
    Array<T> out(size / sizeof(T));
    std::memcpy(out.data(), binary.data() + offset, size);
    return out;
  }
};

GlbFile write(const TriangleSoup& mesh, WriteResult* written = nullptr) {
  const TemporaryFolder folder;
  const WriteResult result = write_triangles(folder / "mesh.glb", mesh);
  if (written != nullptr) *written = result;
  return GlbFile(read_bytes(folder / "mesh.glb"));
}

TEST(Glb, StoresPositionsAndTriangles) {
  TriangleSoup mesh = rounded(random_soup(1, 30000, 50000));
  mesh.positions[0] = {0, 0, 0};
  const GlbFile file = write(mesh);
  const json& positions = file.accessor("POSITION");
  EXPECT_EQ(positions["componentType"], 5126);
  EXPECT_EQ(positions["type"], "VEC3");
  EXPECT_EQ(positions["count"], 30000);
  const auto numbers = file.values<Vec3f>(positions);
  Vec3f low = numbers[0];
  Vec3f high = numbers[0];
  for (std::size_t v = 0; v < numbers.size(); ++v) {
    ASSERT_EQ(cast<double>(numbers[v]), mesh.positions[v]);
    for (int i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], numbers[v][i]);
      high[i] = std::max(high[i], numbers[v][i]);
    }
  }
  EXPECT_EQ(positions["min"], json({low[0], low[1], low[2]}));
  EXPECT_EQ(positions["max"], json({high[0], high[1], high[2]}));
  const json& indices = file.document["accessors"][file.primitive()["indices"].get<std::size_t>()];
  EXPECT_EQ(indices["componentType"], 5125);
  EXPECT_EQ(indices["count"], 150000);
  EXPECT_EQ(file.values<Triangle>(indices), mesh.triangles);
  EXPECT_FALSE(file.document["nodes"][0].contains("translation"));
}

TEST(Glb, KeepsThePrecisionOfMeshesFarAway) {
  TriangleSoup mesh = random_soup(2, 1000, 1000);
  const Random random(3);
  for (std::size_t v = 0; v < 1000; ++v)
    mesh.positions[v] = {4.5e6 + random.uniform(3 * v), -7e5 + random.uniform(3 * v + 1),
                         random.uniform(3 * v + 2)};
  const GlbFile file = write(mesh);
  const json& t = file.document["nodes"][0]["translation"];
  const Vec3d translation = {t[0].get<double>(), t[1].get<double>(), t[2].get<double>()};
  const auto numbers = file.values<Vec3f>(file.accessor("POSITION"));
  for (std::size_t v = 0; v < 1000; ++v)
    ASSERT_LT(length(cast<double>(numbers[v]) + translation - mesh.positions[v]), 1e-7);
}

TEST(Glb, StoresNormalsColoursAndTextureCoordinates) {
  TriangleSoup mesh = random_soup(3, 1000, 1000);
  mesh.vertex_attributes = {random_attribute<double>("normal", 3, 1000, 1),
                            random_attribute<std::uint8_t>("color", 3, 1000, 2),
                            random_attribute<float>("texcoord", 2, 1000, 3)};
  WriteResult written;
  const GlbFile file = write(mesh, &written);
  EXPECT_TRUE(written.notes.empty());
  for (const Vec3f& n : file.values<Vec3f>(file.accessor("NORMAL")))
    ASSERT_NEAR(length(n), 1.0, 1e-6);
  const json& color = file.accessor("COLOR_0");
  EXPECT_EQ(color["type"], "VEC4");
  EXPECT_EQ(color["componentType"], 5121);
  EXPECT_EQ(color["normalized"], true);
  const auto stored = file.values<std::uint8_t>(color);
  const auto& bytes = std::get<Array<std::uint8_t>>(mesh.vertex_attributes[1].values);
  ASSERT_EQ(stored.size(), 4000u);
  for (std::size_t i = 0; i < 4000; ++i)
    ASSERT_EQ(stored[i], i % 4 == 3 ? 255 : bytes[i / 4 * 3 + i % 4]);
  const auto uv = file.values<float>(file.accessor("TEXCOORD_0"));
  const auto& given = std::get<Array<float>>(mesh.vertex_attributes[2].values);
  ASSERT_EQ(uv.size(), given.size());
  EXPECT_EQ(uv[10], given[10]);
  EXPECT_EQ(uv[11], 1 - given[11]) << "glTF counts from the top";

  mesh.vertex_attributes = {random_attribute<float>("color", 4, 1000, 2)};
  const GlbFile floats = write(mesh);
  EXPECT_EQ(floats.accessor("COLOR_0")["type"], "VEC4");
  EXPECT_EQ(floats.values<float>(floats.accessor("COLOR_0")),
            std::get<Array<float>>(mesh.vertex_attributes[0].values));
}

TEST(Glb, NotesAttributesItCannotKeep) {
  TriangleSoup mesh = random_soup(3, 10, 20);
  mesh.vertex_attributes = {random_attribute<float>("normal", 2, 10, 1),
                            random_attribute<std::int32_t>("color", 3, 10, 1)};
  mesh.face_attributes = {random_attribute<float>("color", 3, 20, 1)};
  WriteResult written;
  const GlbFile file = write(mesh, &written);
  EXPECT_EQ(written.notes.size(), 3u);
  EXPECT_EQ(file.primitive()["attributes"].size(), 1u);
}

TEST(Glb, AnEmptyMeshIsASceneOfNothing) {
  const GlbFile file = write({});
  EXPECT_TRUE(file.binary.empty());
  EXPECT_FALSE(file.document.contains("meshes"));
  EXPECT_FALSE(file.document.contains("buffers"));
}

TEST(Glb, VerticesWithoutFacesArePoints) {
  const GlbFile file = write(random_soup(4, 10, 0));
  EXPECT_EQ(file.primitive()["mode"], 0);
  EXPECT_FALSE(file.primitive().contains("indices"));
  EXPECT_EQ(file.accessor("POSITION")["count"], 10);
}

TEST(Glb, RefusesWhatSinglePrecisionCannotHold) {
  TriangleSoup mesh = random_soup(4, 10, 10);
  mesh.positions[3][1] = 1e300;
  const TemporaryFolder folder;
  EXPECT_THROW(write_triangles(folder / "mesh.glb", mesh), InputError);
  EXPECT_FALSE(std::filesystem::exists(folder / "mesh.glb"));
}

}  // namespace
}  // namespace tessera::io::testing
