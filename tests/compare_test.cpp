// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/compare.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "tessera/surface/subdivide.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

CompareOptions with_samples(std::uint64_t samples) {
  CompareOptions options;
  options.samples = samples;
  return options;
}

Comparison compared(const TriangleSoup& a, const TriangleSoup& b, std::uint64_t samples = 20000) {
  return compare(test_device(), a, b, with_samples(samples));
}

TriangleSoup moved(TriangleSoup mesh, const Vec3d& offset, double scale = 1) {
  for (Vec3d& p : mesh.positions) p = p * scale + offset;
  return mesh;
}

/// An axis-aligned cube of twelve faces.
TriangleSoup cube(double size) {
  return moved(unit_cube(), {0, 0, 0}, size);
}

TEST(Compare, IdenticalMeshes) {
  for (const NamedMesh& named : surface_meshes()) {
    if (named.mesh.triangles.empty()) continue;
    SCOPED_TRACE(named.name);
    for (const std::uint64_t samples : {0, 5000}) {
      const Comparison found = compared(named.mesh, named.mesh, samples);
      EXPECT_LT(found.max, 1e-14 * found.diagonal);
      EXPECT_LT(found.a_to_b.vertex_max, 1e-16 * found.diagonal);
      EXPECT_EQ(found.a_to_b.samples,
                found.a.degenerate_faces < found.a.faces ? samples : 0);  // of no area, none
      EXPECT_EQ(found.area_change, 0);
      EXPECT_EQ(found.volume_change.has_value(), found.a.volume.has_value());
    }
  }
  // Where no face touches another, each sample finds its own.
  const Comparison found = compared(generated(Shape::torus, 2000), generated(Shape::torus, 2000));
  EXPECT_EQ(found.a_to_b.normals.samples, 20000U);
  EXPECT_LT(found.normals.mean, 0.01);
}

TEST(Compare, TranslatedPlane) {
  const TriangleSoup plane = generated(Shape::plane, 200);
  for (const std::uint64_t samples : {0, 5000}) {
    const Comparison found = compared(plane, moved(plane, {0, 0, 0.25}), samples);
    for (const SurfaceDistance* way : {&found.a_to_b, &found.b_to_a}) {
      EXPECT_NEAR(way->mean, 0.25, 1e-14);
      EXPECT_NEAR(way->rms, 0.25, 1e-14);
      EXPECT_NEAR(way->max, 0.25, 1e-14);
      EXPECT_NEAR(way->vertex_max, 0.25, 1e-14);
      EXPECT_NEAR(length(way->farthest.point - way->farthest.nearest), 0.25, 1e-14);
      EXPECT_EQ(way->normals.max, 0);
      EXPECT_EQ(way->normals.samples, samples);
    }
    EXPECT_NEAR(found.mean, 0.25, 1e-14);
    EXPECT_NEAR(found.max, 0.25, 1e-14);
  }
}

TEST(Compare, ReversedFacesHaveOppositeNormals) {
  const TriangleSoup sphere = generated(Shape::icosphere, 500);
  TriangleSoup reversed = sphere;
  for (Triangle& t : reversed.triangles) std::swap(t[0], t[1]);
  const Comparison found = compared(sphere, reversed);
  EXPECT_GT(found.normals.mean, 179);
  EXPECT_NEAR(*found.volume_change, -2 * *found.a.volume, 1e-12);
}

TEST(Compare, ConcentricSpheres) {
  const TriangleSoup sphere = generated(Shape::icosphere, 20000);
  const Comparison found = compared(sphere, moved(sphere, {0, 0, 0}, 1.1));
  // Edges of 0.03 lie at most 0.0002 inside the sphere.
  EXPECT_NEAR(found.a_to_b.mean, 0.1, 3e-4);
  EXPECT_NEAR(found.b_to_a.mean, 0.1, 3e-4);
  EXPECT_NEAR(found.max, 0.1, 3e-4);
  EXPECT_GE(found.b_to_a.max, found.b_to_a.vertex_max);
  EXPECT_LT(found.normals.mean, 2);
  EXPECT_NEAR(length(found.b_to_a.farthest.point), 1.1, 1e-3);
  EXPECT_NEAR(length(found.b_to_a.farthest.nearest), 1, 1e-3);
}

TEST(Compare, ScaledCube) {
  const Comparison found = compared(cube(1), cube(2), 0);
  EXPECT_NEAR(found.a.area, 6, 1e-14);
  EXPECT_NEAR(found.area_change, 18, 1e-13);
  ASSERT_TRUE(found.volume_change);
  EXPECT_NEAR(*found.volume_change, 7, 1e-13);
  EXPECT_NEAR(found.diagonal, std::sqrt(12.0), 1e-14);
  EXPECT_NEAR(found.a_to_b.max, 1, 1e-14);  // from the corner (1, 1, 1)
  EXPECT_NEAR(found.b_to_a.max, std::sqrt(3.0), 1e-14);
  EXPECT_EQ(found.b_to_a.farthest.point, (Vec3d{2, 2, 2}));
  EXPECT_EQ(found.b_to_a.farthest.nearest, (Vec3d{1, 1, 1}));
}

TEST(Compare, OpenMeshesHaveNoVolume) {
  const Comparison found = compared(generated(Shape::plane, 50), cube(1), 100);
  EXPECT_FALSE(found.volume_change);
  EXPECT_NEAR(found.area_change, 5, 1e-12);
}

TEST(Compare, SubdividedMeshIsTheSame) {
  const TriangleSoup mesh = generated(Shape::noisy_sphere, 2000);
  SubdivideOptions subdivision;
  subdivision.levels = 2;
  const Comparison found = compared(mesh, subdivide(test_device(), mesh, subdivision));
  EXPECT_LT(found.max, 1e-14);
}

TEST(Compare, PatchOfAPlane) {
  // The lower left quarter of a square lies in it; the square reaches 0.5 sqrt(2) beyond.
  const TriangleSoup whole = generated(Shape::plane, 800);
  const TriangleSoup part = moved(whole, {0, 0, 0}, 0.5);
  const Comparison found = compared(part, whole, 100000);
  EXPECT_LT(found.a_to_b.max, 1e-15);
  EXPECT_NEAR(found.b_to_a.max, std::sqrt(0.5), 1e-14);
  // Quarters beside it: mean 1/4 each; beyond the corner the mean of |(x, y)| over a square.
  const double diagonal = (std::sqrt(2.0) + std::asinh(1.0)) / 3 * 0.5;
  EXPECT_NEAR(found.b_to_a.mean, (0.25 + 0.25 + diagonal) / 4, 1e-4);
  // Squares: 1/12 beside it (1/3 of 1/4), twice that beyond the corner.
  EXPECT_NEAR(found.b_to_a.rms, std::sqrt((1 / 12.0 + 1 / 12.0 + 1 / 6.0) / 4), 1e-4);
  EXPECT_NEAR(found.mean, found.b_to_a.mean * 0.8, 1e-4);  // areas 1 and 1/4
  EXPECT_EQ(found.max, found.b_to_a.max);
  EXPECT_EQ(found.b_to_a.farthest.point, (Vec3d{1, 1, 0}));
}

TEST(Compare, SamplesFollowTheArea) {
  // A large face in the plane z = 1, many small ones at z = 0, degenerate ones at z = 5.
  TriangleSoup mesh = moved(generated(Shape::plane, 200), {0, 0, 0}, 1);
  const auto v = static_cast<Index>(mesh.positions.size());
  for (const Vec3d& p : {Vec3d{0, 0, 1}, Vec3d{3, 0, 1}, Vec3d{0, 2, 1}, Vec3d{0, 0, 5}})
    mesh.positions.push_back(p);
  mesh.triangles.push_back({v, v + 1, v + 2});
  mesh.triangles.push_back({v + 3, v + 3, v + 3});
  TriangleSoup floor =
      make_mesh({{-9, -9, 0}, {9, -9, 0}, {-9, 9, 0}, {9, 9, 0}}, {{0, 1, 2}, {1, 3, 2}});
  const Comparison found = compared(mesh, floor, 1000);
  EXPECT_NEAR(found.a_to_b.mean, 0.75, 1e-3);  // of areas 1 and 3, at 0 and 1
  EXPECT_EQ(found.a_to_b.max, 5);
  EXPECT_EQ(found.a_to_b.vertex_max, 5);
}

TEST(Compare, UnreferencedVerticesAreNoPartOfTheSurface) {
  TriangleSoup mesh = cube(1);
  mesh.positions.push_back({7, 0, 0});
  CompareOptions options = with_samples(0);
  options.vertex_distances = true;
  const Comparison found = compare(test_device(), mesh, cube(1), options);
  EXPECT_EQ(found.max, 0);
  ASSERT_EQ(found.a_to_b.vertex_distances.size(), 9U);
  EXPECT_EQ(found.a_to_b.vertex_distances[8], 6);
  EXPECT_EQ(found.b_to_a.vertex_distances.size(), 8U);
}

TEST(Compare, DegenerateMeshes) {
  const TriangleSoup point = make_mesh({{2, 0.5, 0.5}}, {{0, 0, 0}});
  const Comparison found = compared(point, cube(1));
  EXPECT_EQ(found.a_to_b.samples, 0U);
  EXPECT_EQ(found.a_to_b.mean, 1);
  EXPECT_EQ(found.a_to_b.max, 1);
  EXPECT_NEAR(found.b_to_a.max, std::sqrt(4.5), 1e-14);
}

TEST(Compare, RoundingIsNoArea) {
  // Corners in a line, as far as double can say that: cross products are not zero.
  const Vec3d along{0.1, 0.7, -0.3};
  TriangleSoup line = make_mesh({}, {{0, 1, 2}, {1, 2, 3}, {0, 3, 1}});
  for (const double t : {0.1, 1.0 / 3, 0.7, 0.9}) line.positions.push_back(along * t);
  const TriangleSoup far_line = moved(line, {5, 0, 0});
  for (const std::uint64_t samples : {0, 1000}) {
    for (const TriangleSoup& other : {far_line, cube(1)}) {
      const Comparison found = compared(line, other, samples);
      EXPECT_EQ(found.a_to_b.samples, 0U);
      EXPECT_GT(found.a_to_b.mean, 0);
      EXPECT_GE(found.a_to_b.rms, found.a_to_b.mean * (1 - 1e-12));
      EXPECT_LE(found.a_to_b.rms, found.a_to_b.max);
      EXPECT_TRUE(std::isfinite(found.mean) && std::isfinite(found.rms));
    }
    // Beside a face with area they have no weight.
    TriangleSoup mesh = make_mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {3, 4, 5}});
    for (int v = 0; v < 3; ++v) mesh.positions.push_back(far_line.positions[v] * 1e3);
    const TriangleSoup floor = make_mesh({{-9, -9, 0}, {9, -9, 0}, {0, 9, 0}}, {{0, 1, 2}});
    EXPECT_LT(compared(mesh, floor, samples).a_to_b.mean, 1e-12);
    EXPECT_GT(compared(mesh, floor, samples).a_to_b.max, 1000);
  }
}

TEST(Compare, HistogramsOnRequest) {
  CompareOptions options = with_samples(0);
  EXPECT_FALSE(compare(test_device(), cube(1), cube(2), options).a_shape);
  options.histogram_bins = 10;
  const Comparison found = compare(test_device(), cube(1), cube(2), options);
  EXPECT_EQ(found.a_shape->quality.counts.size(), 10U);
  EXPECT_EQ(found.b_shape->edge_length.max, 2 * found.a_shape->edge_length.max);
}

TEST(Compare, SameOnAnyNumberOfThreads) {
  const TriangleSoup a = generated(Shape::noisy_sphere, 20000);
  const TriangleSoup b = generated(Shape::icosphere, 10000);
  CompareOptions options = with_samples(30000);
  options.vertex_distances = true;
  const Comparison one = compare(exec::Device::cpu(1), a, b, options);
  const Comparison two = compare(exec::Device::cpu(2), a, b, options);
  EXPECT_GT(one.mean, 0);
  EXPECT_EQ(one.mean, two.mean);
  EXPECT_EQ(one.rms, two.rms);
  EXPECT_EQ(one.max, two.max);
  EXPECT_EQ(one.normals.mean, two.normals.mean);
  EXPECT_EQ(one.normals.rms, two.normals.rms);
  EXPECT_EQ(one.normals.max, two.normals.max);
  EXPECT_EQ(one.a_to_b.farthest.point, two.a_to_b.farthest.point);
  EXPECT_EQ(one.a_to_b.farthest.other_face, two.a_to_b.farthest.other_face);
  EXPECT_EQ(one.a_to_b.vertex_distances, two.a_to_b.vertex_distances);
  options.seed = 2;
  EXPECT_NE(compare(test_device(), a, b, options).mean, one.mean);
}

TEST(Compare, RefusesAndStops) {
  const TriangleSoup mesh = cube(1);
  EXPECT_THROW(compared({}, mesh), InputError);
  EXPECT_THROW(compared(mesh, make_mesh({{0, 0, 0}}, {})), InputError);
  EXPECT_THROW(compared(mesh, moved(mesh, {0, 0, 0}, 1e200)), InputError);
  EXPECT_THROW(compared(mesh, mesh, (std::uint64_t{1} << 32) + 1), InputError);
  TriangleSoup wrong = mesh;
  wrong.triangles[0][0] = 99;
  EXPECT_THROW(compared(wrong, mesh), InputError);
  CompareOptions options = with_samples(1000);
  options.histogram_bins = -1;
  EXPECT_THROW(compare(test_device(), mesh, mesh, options), InputError);
  options.histogram_bins = 0;
  options.progress = [](std::string_view stage, double) {
    return stage == "comparing" ? Continue::no : Continue::yes;
  };
  EXPECT_THROW(compare(test_device(), mesh, mesh, options), Cancelled);
}

}  // namespace
}  // namespace tessera::surface
