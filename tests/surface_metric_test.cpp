// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/remesh/surface_metric.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "tessera/core/random.h"

namespace tessera::remesh {
namespace {

constexpr double pi = std::numbers::pi;

Vec3d unit(const Vec3d& a) {
  return a * (1 / length(a));
}

SurfaceMetric random_metric(const Random& random, const Vec3d& normal) {
  const Vec3d x = SurfaceMetric::any_tangent(normal);
  const double angle = 7 * random.uniform(10);
  return {std::cos(angle) * x + std::sin(angle) * cross(normal, x),
          std::exp(8 * random.uniform(11) - 4), std::exp(8 * random.uniform(12) - 4)};
}

/// Points on the unit sphere from a to b, on the great circle.
std::vector<Vec3d> great_circle(const Vec3d& a, const Vec3d& b, int steps) {
  const double angle = std::acos(dot(a, b));
  std::vector<Vec3d> points;
  for (int i = 0; i <= steps; ++i) {
    const double t = angle * i / steps;
    points.push_back((a * std::sin(angle - t) + b * std::sin(t)) * (1 / std::sin(angle)));
  }
  return points;
}

/// Schild's ladder on the unit sphere, as the paper has it, with rungs of a length: the slow twin.
Vec3d ladder_step(const Vec3d& tangent, const Vec3d& p, const Vec3d& q, double rung) {
  const Vec3d r = std::cos(rung) * p + std::sin(rung) * tangent;
  const Vec3d m = unit(r + q);
  const Vec3d s = 2 * dot(p, m) * m - p;  // twice as far from p on the same circle
  return unit((s - q) - q * dot(s - q, q));
}

TEST(SurfaceMetric, TransportAroundATriangleTurnsByItsArea) {
  // An eighth of the sphere, and a smaller triangle by Girard's theorem.
  const Vec3d triangles[2][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                 {unit({1, 0.2, 0}), unit({0.3, 1, 0.2}), unit({0.2, 0.5, 1})}};
  for (const auto& corners : triangles) {
    double area = -pi;
    for (int k = 0; k < 3; ++k) {
      const Vec3d& a = corners[k];
      const Vec3d left = cross(a, corners[(k + 1) % 3]);
      const Vec3d right = cross(a, corners[(k + 2) % 3]);
      area += std::acos(dot(left, right) / (length(left) * length(right)));
    }
    for (const int steps : {1, 8}) {
      SurfaceMetric metric = random_metric(Random(3), corners[0]);
      const SurfaceMetric start = metric;
      for (int k = 0; k < 3; ++k) {
        const std::vector<Vec3d> path = great_circle(corners[k], corners[(k + 1) % 3], steps);
        for (std::size_t i = 0; i + 1 < path.size(); ++i)
          metric = transported(metric, path[i], path[i + 1]);
      }
      const double c = dot(metric.axis, start.axis);
      const double s = dot(metric.axis, cross(corners[0], start.axis));
      EXPECT_NEAR(std::atan2(s, c), area, 1e-12) << steps;
      EXPECT_EQ(metric.along, start.along);
      EXPECT_EQ(metric.across, start.across);
      EXPECT_NEAR(length(metric.axis), 1, 1e-14);
      EXPECT_NEAR(dot(metric.axis, corners[0]), 0, 1e-14);
    }
  }
}

TEST(SurfaceMetric, SchildsLadderTendsToTheSame) {
  const Vec3d a = unit({1, 0.3, 0.2});
  const Vec3d b = unit({0.2, 1, 0.5});
  const Vec3d tangent = unit(cross(a, {0, 0.2, 1}));
  const Vec3d exact = transported(tangent, a, b);
  for (const double rung : {1e-2, 1e-3, 1e-4}) {
    Vec3d moved = tangent;
    const std::vector<Vec3d> path = great_circle(a, b, 16);
    for (std::size_t i = 0; i + 1 < path.size(); ++i)
      moved = ladder_step(moved, path[i], path[i + 1], rung);
    EXPECT_LT(length(moved - exact), rung);
    EXPECT_GT(length(moved - exact), rung / 100);  // and no faster
  }
}

TEST(SurfaceMetric, LengthsAreThoseOfTheMatrix) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    const Random random(i);
    const Vec3d normal =
        unit({random.uniform(0) - 0.5, random.uniform(1) - 0.5, random.uniform(2) - 0.5});
    const SurfaceMetric metric = random_metric(random, normal);
    const Vec3d across = cross(normal, metric.axis);
    const Vec3d edge = 0.3 * metric.axis + 0.7 * across;
    const double expected = 0.09 * metric.along + 0.49 * metric.across;
    EXPECT_NEAR(metric.squared_length_of(normal, edge), expected, 1e-12 * expected);
    // Out of the plane: as long as if it were turned into it.
    const Vec3d out = edge * 0.8 + normal * (0.6 * length(edge));
    EXPECT_NEAR(metric.squared_length_of(normal, out), expected, 1e-12 * expected);
    // There and back through any frame.
    const Vec3d tangent = SurfaceMetric::any_tangent(normal);
    const SurfaceMetric same =
        SurfaceMetric::from_frame(metric.in_frame(normal, tangent), normal, tangent);
    EXPECT_NEAR(same.squared_length_of(normal, edge), expected, 1e-10 * expected);
  }
}

TEST(SurfaceMetric, MeansAreGeometric) {
  const Vec3d normal{0, 0, 1};
  MetricMean mean(normal);
  mean.add({{1, 0, 0}, 4, 1}, 0.5);
  mean.add({{0, 1, 0}, 16, 1}, 0.5);  // 1 along x, 16 along y
  const SurfaceMetric result = mean.mean();
  EXPECT_NEAR(result.squared_length_of(normal, {1, 0, 0}), 2, 1e-12);
  EXPECT_NEAR(result.squared_length_of(normal, {0, 1, 0}), 4, 1e-12);
}

TEST(SurfaceMetric, BetweenTwoThatAreTheSameItIsTheSame) {
  const Vec3d a = unit({1, 0.1, 0.2});
  const Vec3d b = unit({0.8, 0.3, 0.5});
  const Vec3d middle = unit(a + b);
  const SurfaceMetric at_a = random_metric(Random(5), a);
  const SurfaceMetric at_b = transported(at_a, a, b);
  const SurfaceMetric there = between(at_a, a, at_b, b, 0.5, middle);
  const SurfaceMetric expected = transported(at_a, a, middle);
  EXPECT_NEAR(std::max(there.along, there.across), std::max(expected.along, expected.across),
              1e-12 * std::max(expected.along, expected.across));
  const Vec3d edge = 0.2 * expected.axis + 0.1 * cross(middle, expected.axis);
  EXPECT_NEAR(there.squared_length_of(middle, edge), expected.squared_length_of(middle, edge),
              1e-12 * expected.squared_length_of(middle, edge));
}

TEST(SurfaceMetric, IntersectionsAreNoLongerThanEitherAndTouchBoth) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Random random(i);
    const Vec3d normal =
        unit({random.uniform(0) - 0.5, random.uniform(1) - 0.5, random.uniform(2) - 0.5});
    const SurfaceMetric a = random_metric(random, normal);
    const SurfaceMetric b = random_metric(Random(i + 1000), normal);
    const SurfaceMetric both = intersected(a, b, normal);
    const Vec3d x = SurfaceMetric::any_tangent(normal);
    double closest = 1e300;
    for (int k = 0; k < 360; ++k) {
      const Vec3d edge = std::cos(pi * k / 360) * x + std::sin(pi * k / 360) * cross(normal, x);
      const double here = both.squared_length_of(normal, edge);
      const double larger =
          std::max(a.squared_length_of(normal, edge), b.squared_length_of(normal, edge));
      ASSERT_GE(here, larger * (1 - 1e-9)) << i;
      closest = std::min(closest, here / larger);
    }
    EXPECT_LT(closest, 1.02) << i;
  }
}

TEST(SurfaceMetric, LengthsOfGradedEdgesLieBetween) {
  EXPECT_EQ(mean_length(2, 2), 2);
  EXPECT_NEAR(mean_length(1, 4), 3 / std::log(4), 1e-15);
  EXPECT_NEAR(mean_length(1, 1.0001), mean_length(1, 1.00011), 1e-5);
}

}  // namespace
}  // namespace tessera::remesh
