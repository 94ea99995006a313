// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/transfer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "tessera/surface/isotropic_remesh.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

double height(const Vec3d& p) {
  return 3 * p[0] - 2 * p[1] + 1;
}

/// A sheet with a linear field, numbers of vertices, and faces that know on which side they are.
TriangleSoup sheet_with_attributes() {
  TriangleSoup sheet = generated(Shape::plane, 800);
  Array<double> heights(sheet.positions.size());
  Array<std::int32_t> numbers(sheet.positions.size());
  for (std::size_t v = 0; v < heights.size(); ++v) {
    heights[v] = height(sheet.positions[v]);
    numbers[v] = static_cast<std::int32_t>(v);
  }
  Array<std::uint8_t> sides(sheet.triangles.size());
  for (std::size_t f = 0; f < sides.size(); ++f) {
    const Triangle& t = sheet.triangles[f];
    sides[f] = sheet.positions[t[0]][0] + sheet.positions[t[1]][0] + sheet.positions[t[2]][0] > 1.5;
  }
  sheet.vertex_attributes = {{"height", 1, heights}, {"number", 1, numbers}};
  sheet.face_attributes = {{"side", 1, sides}};
  return sheet;
}

TEST(Transfer, InterpolatesBetweenCornersAndTakesTheNearest) {
  const TriangleSoup from = sheet_with_attributes();
  TriangleSoup to = generated(Shape::plane, 5000);
  to.vertex_attributes = {{"height", 1, Array<float>(to.positions.size())},
                          {"own", 1, Array<float>(to.positions.size())}};
  transfer_attributes(test_device(), from, to);
  ASSERT_EQ(to.validate(), std::nullopt);
  ASSERT_EQ(to.vertex_attributes.size(), 3U);
  const auto& heights = std::get<Array<double>>(find(to.vertex_attributes, "height")->values);
  const auto& numbers = std::get<Array<std::int32_t>>(find(to.vertex_attributes, "number")->values);
  EXPECT_NE(find(to.vertex_attributes, "own"), nullptr);
  for (std::size_t v = 0; v < heights.size(); ++v) {
    ASSERT_NEAR(heights[v], height(to.positions[v]), 1e-6);
    const Vec3d nearest = from.positions[static_cast<std::size_t>(numbers[v])];
    ASSERT_LT(length(nearest - to.positions[v]), 0.05);  // the size of a face
  }
  const auto& sides = std::get<Array<std::uint8_t>>(find(to.face_attributes, "side")->values);
  for (std::size_t f = 0; f < sides.size(); ++f) {
    const Triangle& t = to.triangles[f];
    const double x = (to.positions[t[0]][0] + to.positions[t[1]][0] + to.positions[t[2]][0]) / 3;
    if (std::abs(x - 0.5) > 0.05) {
      ASSERT_EQ(sides[f], x > 0.5) << x;
    }
  }
}

TEST(Transfer, RemeshingKeepsAttributes) {
  const TriangleSoup from = sheet_with_attributes();
  IsotropicRemeshOptions options;
  options.length = 0.03;
  const TriangleSoup mesh = isotropic_remesh(test_device(), from, options).mesh;
  const auto& heights = std::get<Array<double>>(find(mesh.vertex_attributes, "height")->values);
  for (std::size_t v = 0; v < heights.size(); ++v)
    ASSERT_NEAR(heights[v], height(mesh.positions[v]), 1e-6);
  EXPECT_EQ(find(mesh.face_attributes, "side")->size(), mesh.triangles.size());
}

TEST(Transfer, FromFacesWithoutAreaOnly) {
  TriangleSoup line;
  line.positions = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  line.triangles = {{0, 1, 2}};
  line.vertex_attributes = {{"value", 1, Array<double>{1, 2, 3}}};
  TriangleSoup to = tetrahedron();
  transfer_attributes(test_device(), line, to);
  const auto& values = std::get<Array<double>>(to.vertex_attributes[0].values);
  for (std::size_t v = 0; v < values.size(); ++v)
    EXPECT_NEAR(values[v], 1 + std::clamp(to.positions[v][0], 0.0, 2.0), 1e-12) << v;
}

/// A slim triangle: the corner with the largest part is not the nearest one.
TEST(Transfer, WhatIsNotBlendedIsThatOfTheNearestCorner) {
  TriangleSoup slim;
  slim.positions = {{0, 0, 0}, {10, 0, 0}, {10, 0.1, 0}};
  slim.triangles = {{0, 1, 2}};
  slim.vertex_attributes = {
      {"number", 1, Array<std::int32_t>{7, 8, 8}},
      {"far", 1, Array<double>{std::numeric_limits<double>::infinity(), 1, 2}}};
  TriangleSoup to = slim;
  to.vertex_attributes.clear();
  to.positions = {{6, 0.03, 0}, {10, 0.05, 0}, {0, 0, 0}};
  transfer_attributes(test_device(), slim, to);
  const auto& numbers = std::get<Array<std::int32_t>>(to.vertex_attributes[0].values);
  EXPECT_EQ(numbers[0], 8);
  EXPECT_EQ(numbers[2], 7);
  // Where there is nothing of a corner, its infinity does not matter.
  const auto& far = std::get<Array<double>>(to.vertex_attributes[1].values);
  EXPECT_TRUE(std::isinf(far[0]));
  EXPECT_NEAR(far[1], 1.5, 1e-6);
}

TEST(Transfer, CanBeCancelled) {
  TriangleSoup to = tetrahedron();
  const auto refuse = [](std::string_view, double) { return Continue::no; };
  EXPECT_THROW(transfer_attributes(test_device(), sheet_with_attributes(), to, refuse), Cancelled);
  EXPECT_TRUE(to.vertex_attributes.empty());
}

TEST(Transfer, WithoutFacesNothingIsGiven) {
  TriangleSoup none;
  none.vertex_attributes = {{"value", 1, Array<double>{}}};
  TriangleSoup to = tetrahedron();
  transfer_attributes(test_device(), none, to);
  EXPECT_TRUE(to.vertex_attributes.empty());
  TriangleSoup empty;
  transfer_attributes(test_device(), sheet_with_attributes(), empty);
  EXPECT_EQ(empty.validate(), std::nullopt);
}

TEST(Transfer, RefusesMeshesThatAreNotValid) {
  TriangleSoup wrong = tetrahedron();
  wrong.triangles[0][0] = 99;
  EXPECT_THROW(transfer_attributes(test_device(), sheet_with_attributes(), wrong), InputError);
  EXPECT_TRUE(wrong.vertex_attributes.empty());
}

}  // namespace
}  // namespace tessera::surface
