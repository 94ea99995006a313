// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// What is written into the viewer page, read back by other means.
#include "tessera/io/page.h"

#include <cstring>
#include <stdexcept>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include "io_support.h"
#include "read_png.h"
#include "surface_meshes.h"
#include "tessera/io/detail/scene_blocks.h"
#include "tessera/io/png.h"
#include "tessera/view/scene.h"
#include "test_device.h"

namespace tessera::io {
namespace {

using testing::TemporaryFolder;

std::vector<std::uint8_t> inflate_raw(const Array<char>& block) {
  std::vector<std::uint8_t> out(1 << 16);
  z_stream stream{};
  inflateInit2(&stream, -15);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(block.data()));
  stream.avail_in = static_cast<uInt>(block.size());
  int status = Z_OK;
  while (status == Z_OK) {
    if (stream.total_out == out.size()) out.resize(2 * out.size());
    stream.next_out = out.data() + stream.total_out;
    stream.avail_out = static_cast<uInt>(out.size() - stream.total_out);
    status = inflate(&stream, Z_NO_FLUSH);
  }
  out.resize(stream.total_out);
  inflateEnd(&stream);
  if (status != Z_STREAM_END || stream.avail_in != 0) throw std::runtime_error("not one stream");
  return out;
}

std::vector<std::uint32_t> decode_words(const Array<char>& block, std::size_t stride) {
  const auto bytes = inflate_raw(block);
  const std::size_t n = bytes.size() / 4;
  std::vector<std::uint32_t> words(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t plane = 0; plane < 4; ++plane)
      words[i] |= std::uint32_t{bytes[plane * n + i]} << (8 * plane);
    if (i >= stride) words[i] ^= words[i - stride];
  }
  return words;
}

std::vector<std::uint32_t> decode_varints(const Array<char>& block) {
  std::vector<std::uint32_t> numbers;
  std::uint32_t value = 0;
  int shift = 0;
  std::uint32_t last = 0;
  for (const std::uint8_t byte : inflate_raw(block)) {
    value |= std::uint32_t{byte & 0x7fU} << shift;
    shift += 7;
    if (byte >= 0x80) continue;
    last += (value >> 1) ^ (0 - (value & 1));
    numbers.push_back(last);
    value = 0;
    shift = 0;
  }
  return numbers;
}

TEST(SceneBlocks, ComeBack) {
  const Random random(3);
  for (const std::size_t n : {0, 1, 2, 1000, 700000}) {
    std::vector<std::uint32_t> numbers;
    for (std::size_t i = 0; i < n; ++i)
      numbers.push_back(i % 7 == 0 ? static_cast<std::uint32_t>(random.bits(i))
                                   : static_cast<std::uint32_t>(i));
    EXPECT_EQ(decode_words(detail::encode_words(numbers, 3), 3), numbers);
    EXPECT_EQ(decode_varints(detail::encode_varints(numbers)), numbers);
    const std::vector<std::uint8_t> bytes(numbers.begin(), numbers.end());
    EXPECT_EQ(inflate_raw(detail::encode_bytes(bytes)), bytes);
  }
}

TEST(SceneBlocks, Base64) {
  const auto encode = [](std::string_view text) {
    const Array<char> letters = detail::base64(text);
    return std::string(letters.begin(), letters.end());
  };
  // The examples of RFC 4648.
  EXPECT_EQ(encode(""), "");
  EXPECT_EQ(encode("f"), "Zg==");
  EXPECT_EQ(encode("fo"), "Zm8=");
  EXPECT_EQ(encode("foo"), "Zm9v");
  EXPECT_EQ(encode("foobar"), "Zm9vYmFy");
  EXPECT_EQ(encode("\xff\xfe\xfd"), "//79");
}

TEST(Page, HoldsTheScene) {
  TriangleSoup mesh = generated(surface::Shape::plane, 500);
  for (Vec3d& p : mesh.positions) p += Vec3d{5e5, 5.4e6, 300};
  mesh.positions.push_back({0, 0, 0});  // no face has it
  Scene scene = view::empty_scene("a </script><b> <!--<script> title");
  scene.layers.push_back(view::make_layer(test_device(), mesh, "plane"));
  scene.color = "quality";
  const EncodedScene encoded = encode_scene(scene);
  EXPECT_EQ(encoded.json.find('<'), std::string::npos);
  const auto json = nlohmann::json::parse(encoded.json);
  EXPECT_EQ(json["title"], "a </script><b> <!--<script> title");
  EXPECT_EQ(json["settings"]["color"], "quality");
  EXPECT_EQ(json["palette"].size(), 32u);
  EXPECT_EQ(json["colormaps"]["viridis"].get<std::string>().size(), 6 * 256u);
  const auto& layer = json["layers"][0];
  EXPECT_EQ(layer["faces"], mesh.triangles.size());
  // A stray vertex far away costs no digits.
  const auto words = decode_words(encoded.blocks[layer["positions"]["block"]], 3);
  ASSERT_EQ(words.size(), 3 * mesh.positions.size());
  for (std::size_t v = 0; v + 1 < mesh.positions.size(); ++v)
    for (std::size_t i = 0; i < 3; ++i) {
      float x = 0;
      std::memcpy(&x, &words[3 * v + i], 4);
      EXPECT_NEAR(x + layer["origin"][i].get<double>(), mesh.positions[v][static_cast<int>(i)],
                  1e-6);
    }
  const auto corners = decode_varints(encoded.blocks[layer["triangles"]["block"]]);
  ASSERT_EQ(corners.size(), 3 * mesh.triangles.size());
  EXPECT_EQ(std::memcmp(corners.data(), mesh.triangles.data(), 4 * corners.size()), 0);
  EXPECT_FALSE(layer["sides"].is_null());
  std::vector<std::string> names;
  for (const auto& field : layer["fields"]) names.push_back(field["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"quality", "component", "patch"}));
  std::uint64_t counted = 0;
  for (const std::uint64_t n : layer["histograms"]["quality"]["counts"]) counted += n;
  EXPECT_EQ(counted, mesh.triangles.size());
}

TEST(Page, LargeMeshesAreSimplified) {
  const TriangleSoup mesh = generated(surface::Shape::icosphere, 20000);
  view::LayerOptions options;
  options.max_faces = 1000;
  const SceneLayer layer = view::make_layer(test_device(), mesh, "sphere", options);
  EXPECT_LE(layer.triangles.size(), 1000u);
  ASSERT_TRUE(layer.simplified_from);
  EXPECT_EQ(layer.simplified_from->faces, mesh.triangles.size());
  // Figures are of the mesh, not of what is shown.
  std::uint64_t counted = 0;
  for (const std::uint64_t n : layer.histograms[0].counts) counted += n;
  EXPECT_EQ(counted, mesh.triangles.size());
}

TEST(Page, AnyMeshMakesALayer) {
  for (const NamedMesh& named : surface_meshes()) {
    SCOPED_TRACE(named.name);
    Scene scene = view::empty_scene(named.name);
    scene.layers.push_back(view::make_layer(test_device(), named.mesh, named.name));
    EXPECT_NO_THROW(nlohmann::json::parse(encode_scene(scene).json));
  }
}

TEST(Page, IsWrittenAroundItsPlace) {
  const TemporaryFolder folder;
  const EncodedScene scene{"{}", {Array<char>{'f', 'o', 'o'}}};
  write_page(folder / "page.html", "before<!--TESSERA-SCENE-->after", scene);
  EXPECT_EQ(testing::read_bytes(folder / "page.html"),
            "before<script type=\"application/json\" id=\"tessera-scene\">{}</script>\n"
            "<script type=\"application/octet-stream\" id=\"tessera-block-0\">Zm9v</script>\n"
            "after");
  EXPECT_THROW(write_page(folder / "other.html", "no place", scene), std::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(folder / "other.html"));
}

TEST(Png, ComesBack) {
  const TemporaryFolder folder;
  Image image(17, 5);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      image.at(x, y) = {{static_cast<std::uint8_t>(15 * x), static_cast<std::uint8_t>(50 * y), 7,
                         static_cast<std::uint8_t>(255 - x)}};
  write_png(folder / "a.png", image);
  const Image read = read_png(folder / "a.png");
  EXPECT_EQ(read.width, 17);
  EXPECT_EQ(read.height, 5);
  EXPECT_EQ(read.pixels, image.pixels);
  EXPECT_THROW(write_png(folder / "none" / "a.png", image), InputError);
}

}  // namespace
}  // namespace tessera::io
