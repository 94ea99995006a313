// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/remesh/curved_triangle.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "tessera/core/random.h"

namespace tessera::remesh {
namespace {

/// Calls f(parts) for points all over a triangle, its sides and corners among them.
void visit_triangle(int steps, const std::function<void(const Vec3d&)>& f) {
  for (int i = 0; i <= steps; ++i)
    for (int j = 0; i + j <= steps; ++j)
      f({double(i) / steps, double(j) / steps, double(steps - i - j) / steps});
}

Vec3d unit(const Vec3d& a) {
  return a * (1 / length(a));
}

SurfacePoint on_sphere(const Vec3d& direction) {
  const Vec3d n = unit(direction);
  return {n, n};
}

/// Radii 1 and 0.4, by two angles.
SurfacePoint on_torus(double s, double t) {
  const Vec3d outwards{std::cos(s), std::sin(s), 0};
  const Vec3d normal = outwards * std::cos(t) + Vec3d{0, 0, std::sin(t)};
  return {outwards + normal * 0.4, normal};
}
double distance_from_torus(const Vec3d& p) {
  const double around = std::hypot(p[0], p[1]) - 1;
  return std::abs(std::hypot(around, p[2]) - 0.4);
}

TEST(CurvedTriangle, IsExactOnAPlane) {
  const Vec3d normal = unit({1, 2, 3});
  const Vec3d x = unit(cross(normal, {0, 0, 1}));
  const Vec3d y = cross(normal, x);
  const SurfacePoint corners[3] = {
      {normal * 5, normal}, {normal * 5 + 3 * x, normal}, {normal * 5 + x + 2 * y, normal}};
  const CurvedTriangle triangle = CurvedTriangle::smooth(corners);
  visit_triangle(8, [&](const Vec3d& parts) {
    const SurfacePoint p = triangle.at(parts);
    EXPECT_NEAR(dot(p.position, normal), 5, 1e-13);
    EXPECT_LT(length(p.normal - normal), 1e-13);
    const Vec3d flat = corners[0].position * parts[0] + corners[1].position * parts[1] +
                       corners[2].position * parts[2];
    EXPECT_LT(length(p.position - flat), 1e-13);
  });
}

TEST(CurvedTriangle, HasItsCornersAndTheirNormals) {
  const SurfacePoint corners[3] = {on_sphere({1, 0.1, 0}), on_sphere({0.2, 1, 0.3}),
                                   on_sphere({0.1, 0.2, 1})};
  const CurvedTriangle triangle = CurvedTriangle::smooth(corners);
  for (int k = 0; k < 3; ++k) {
    Vec3d parts{};
    parts[k] = 1;
    const SurfacePoint p = triangle.at(parts);
    EXPECT_LT(length(p.position - corners[k].position), 1e-14);
    EXPECT_LT(length(p.normal - corners[k].normal), 1e-12);
  }
}

/// How far patches are from a surface and its normals, for triangles of a size at random places.
struct Error {
  double distance = 0;
  double angle = 0;
};

Error error_on_sphere(double size) {
  Error worst;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const Random random(i);
    const Vec3d at =
        unit({random.uniform(0) - 0.5, random.uniform(1) - 0.5, random.uniform(2) + 0.1});
    const Vec3d x = unit(cross(at, {0.3, 1, 0.2}));
    const Vec3d y = cross(at, x);
    const SurfacePoint corners[3] = {on_sphere(at), on_sphere(at + size * x),
                                     on_sphere(at + size * (0.3 * x + 0.9 * y))};
    const CurvedTriangle triangle = CurvedTriangle::smooth(corners);
    visit_triangle(10, [&](const Vec3d& parts) {
      const SurfacePoint p = triangle.at(parts);
      worst.distance = std::max(worst.distance, std::abs(length(p.position) - 1));
      worst.angle = std::max(worst.angle, length(cross(p.normal, unit(p.position))));
    });
  }
  return worst;
}

Error error_on_torus(double size) {
  Error worst;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const Random random(i);
    const double s = 6 * random.uniform(0);
    const double t = 6 * random.uniform(1);
    const SurfacePoint corners[3] = {on_torus(s, t), on_torus(s + size, t + 0.2 * size),
                                     on_torus(s + 0.1 * size, t + 2 * size)};
    const CurvedTriangle triangle = CurvedTriangle::smooth(corners);
    visit_triangle(10, [&](const Vec3d& parts) {
      const SurfacePoint p = triangle.at(parts);
      worst.distance = std::max(worst.distance, distance_from_torus(p.position));
    });
  }
  return worst;
}

TEST(CurvedTriangle, ErrorsFallAtThirdOrderAtLeast) {
  const Error coarse = error_on_sphere(0.4);
  const Error fine = error_on_sphere(0.2);
  EXPECT_LT(fine.distance, coarse.distance / 7.9);
  EXPECT_LT(fine.distance, 1e-4);
  EXPECT_LT(fine.angle, coarse.angle / 3.9);
  EXPECT_LT(error_on_torus(0.1).distance, error_on_torus(0.2).distance / 7.9);
  EXPECT_LT(error_on_torus(0.05).distance, error_on_torus(0.1).distance / 7.9);
}

TEST(CurvedTriangle, NeighboursJoinWithoutAKink) {
  // Normals of no surface in particular.
  const Random random(7);
  SurfacePoint p[4];
  const Vec3d positions[4] = {{0, 0, 0}, {1, 0, 0.1}, {0.4, 1, -0.1}, {0.5, -0.9, 0.2}};
  for (std::uint64_t i = 0; i < 4; ++i)
    p[i] = {positions[i],
            unit({random.uniform(2 * i) - 0.5, random.uniform(2 * i + 1) - 0.5, 1.2})};
  const SurfacePoint left[3] = {p[0], p[1], p[2]};
  const SurfacePoint right[3] = {p[1], p[0], p[3]};
  const CurvedTriangle a = CurvedTriangle::smooth(left);
  const CurvedTriangle b = CurvedTriangle::smooth(right);
  for (int i = 0; i <= 10; ++i) {
    const SurfacePoint from_a = a.at({1 - i / 10.0, i / 10.0, 0});
    const SurfacePoint from_b = b.at({i / 10.0, 1 - i / 10.0, 0});
    EXPECT_LT(length(from_a.position - from_b.position), 1e-14) << i;
    EXPECT_LT(length(from_a.normal - from_b.normal), 1e-12) << i;
  }
}

TEST(CurvedTriangle, WithoutAreaItIsStillFinite) {
  const SurfacePoint corners[3] = {{{0, 0, 0}, {0, 0, 1}}, {{1, 0, 0}, {0, 0, 1}}, {{1, 0, 0}, {}}};
  const SurfacePoint p = CurvedTriangle::smooth(corners).at({0.2, 0.3, 0.5});
  for (int k = 0; k < 3; ++k)
    EXPECT_TRUE(std::isfinite(p.position[k]) && std::isfinite(p.normal[k]));
}

}  // namespace
}  // namespace tessera::remesh
