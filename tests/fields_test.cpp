// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/view/fields.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "tessera/view/color_map.h"
#include "test_device.h"

namespace tessera::view {
namespace {

TEST(Fields, OfAttributes) {
  TriangleSoup mesh = tetrahedron();
  mesh.vertex_attributes.push_back({"height", 1, Array<double>{1, 2, 3, 4}});
  mesh.vertex_attributes.push_back(
      {"color", 3, Array<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2}});
  mesh.vertex_attributes.push_back({"normal", 3, Array<float>(12, 0.0F)});
  mesh.vertex_attributes.push_back({"force", 3, Array<float>{3, 4, 0, 0, 0, 1, 0, 0, 0, 1, 2, 2}});
  mesh.face_attributes.push_back({"patch", 1, Array<std::int32_t>{0, 1, 1, -1}});
  const std::vector<Field> fields = attribute_fields(mesh);
  ASSERT_EQ(fields.size(), 4u);
  EXPECT_EQ(std::get<Array<float>>(find(fields, "height")->values), (Array<float>{1, 2, 3, 4}));
  const auto& colors = std::get<Array<Rgb>>(find(fields, "color")->values);
  EXPECT_EQ(colors[1], (Rgb{{4, 5, 6}}));
  EXPECT_EQ(std::get<Array<float>>(find(fields, "force")->values), (Array<float>{5, 1, 0, 3}));
  const Field& patch = *find(fields, "patch");
  EXPECT_EQ(patch.on, FieldOn::faces);
  EXPECT_EQ(std::get<Array<std::uint32_t>>(patch.values),
            (Array<std::uint32_t>{0, 1, 1, no_index}));
  EXPECT_EQ(find(fields, "normal"), nullptr);
}

TEST(Fields, FloatColors) {
  const Attribute attribute{"color", 4, Array<float>{0, 0.5F, 1, 1, -1, 2, 0.2F, 0}};
  const auto field = attribute_field(attribute, FieldOn::vertices);
  const auto& colors = std::get<Array<Rgb>>(field->values);
  EXPECT_EQ(colors[0], (Rgb{{0, 128, 255}}));
  EXPECT_EQ(colors[1], (Rgb{{0, 255, 51}}));
}

TEST(Fields, OutliersAreNotShown) {
  Field field{"height", FieldOn::vertices, Array<float>(1000)};
  auto& values = std::get<Array<float>>(field.values);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 100);
  EXPECT_EQ(shown_range(field).max, 99);  // no outliers: all values
  values[7] = 1e6F;
  values[8] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(range_of(field).max, 1e6F);
  EXPECT_LE(shown_range(field).max, 99);
  EXPECT_GE(shown_range(field).max, 95);
  std::fill(values.begin(), values.end(), 3.0F);
  values[7] = 9;  // all the others are the same: the outlier is all there is to see
  EXPECT_EQ(shown_range(field).min, 3);
  EXPECT_EQ(shown_range(field).max, 9);
}

TEST(Fields, Computed) {
  const TriangleSoup mesh = generated(surface::Shape::torus, 3000);
  const Field quality = make_field(test_device(), mesh, "quality");
  EXPECT_EQ(quality.size(), mesh.triangles.size());
  EXPECT_GT(range_of(quality).min, 0);
  EXPECT_LE(range_of(quality).max, 1.0001F);
  const Field component = make_field(test_device(), mesh, "component");
  for (const auto c : std::get<Array<std::uint32_t>>(component.values)) EXPECT_EQ(c, 0u);
  const Field patch = make_field(test_device(), mesh, "patch");
  std::vector<int> count;
  for (const auto p : std::get<Array<std::uint32_t>>(patch.values)) {
    count.resize(std::max<std::size_t>(count.size(), p + 1));
    ++count[p];
  }
  EXPECT_GT(count.size(), 5u);
  for (const int faces : count) EXPECT_TRUE(faces > 0 && faces <= 512);
}

TEST(Fields, UnknownNameSaysWhatThereIs) {
  TriangleSoup mesh = tetrahedron();
  mesh.vertex_attributes.push_back({"height", 1, Array<double>{1, 2, 3, 4}});
  try {
    make_field(test_device(), mesh, "depth");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "there is nothing called 'depth' to colour by; there are height, quality, "
                 "component, patch");
  }
}

TEST(Fields, RangeLeavesOutWhatIsNoNumber) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Field field{"f", FieldOn::faces, Array<float>{nan, 2, -infinity, -1, infinity}};
  EXPECT_EQ(range_of(field).min, -1);
  EXPECT_EQ(range_of(field).max, 2);
  field.values = Array<float>{nan};
  EXPECT_EQ(range_of(field).min, 0);
  EXPECT_EQ(range_of(field).max, 0);
}

TEST(ColorMap, RunsFromEndToEnd) {
  EXPECT_EQ(color_map("viridis").colors.front(), (Rgb{{0x44, 0x01, 0x54}}));
  EXPECT_EQ(color_map("viridis").colors.back(), (Rgb{{0xfd, 0xe7, 0x25}}));
  EXPECT_THROW(color_map("rainbow"), InputError);
  // Neighbouring labels have different colours.
  for (std::uint32_t label = 0; label < 1000; ++label) {
    EXPECT_LT(palette_place(label), static_cast<std::uint32_t>(palette_size));
    EXPECT_NE(palette_place(label), palette_place(label + 1));
  }
}

}  // namespace
}  // namespace tessera::view
