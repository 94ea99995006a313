// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// AdaptOptions::tolerance, beside looking at every edge.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/remesh/adapt.h"
#include "tessera/remesh/curvature_metric.h"
#include "tessera/surface/analysis.h"
#include "tessera/surface/bvh.h"
#include "test_device.h"

namespace tessera::remesh {
namespace {

using surface::Shape;

/// The edges of a mesh that leave another one by more than a limit at one of three places.
std::uint64_t edges_beyond(const TriangleSoup& mesh, const TriangleSoup& input, double limit) {
  Array<Vec3d> points;
  for (const auto& [edge, faces] : faces_at_edges(mesh)) {
    const Vec3d p = mesh.positions[edge.first];
    const Vec3d q = mesh.positions[edge.second];
    for (const double part : {0.25, 0.5, 0.75}) points.push_back(p + (q - p) * part);
  }
  const surface::Bvh tree(test_device(), input);
  const surface::ClosestPoints closest = surface::closest_points(test_device(), tree, points);
  std::uint64_t beyond = 0;
  for (std::size_t i = 0; i < points.size(); i += 3)
    if (*std::max_element(&closest.distances[i], &closest.distances[i] + 3) > limit) ++beyond;
  return beyond;
}

TEST(Tolerance, HoldsEdgesToTheInput) {
  // A fold of 30 degrees is no ridge, so vertices move across it.
  TriangleSoup sheet = generated(Shape::plane, 5000);
  for (Vec3d& p : sheet.positions) p[2] = 0.27 * std::abs(p[0] + 0.3 * p[1] - 0.6);
  const MetricField metric = uniform_metric(test_device(), sheet, 0.07);
  const auto share_beyond = [&](double tolerance, double limit) {
    AdaptOptions options;
    options.ground = Ground::flat;  // a curved one rises from the faces by up to as much
    options.tolerance = tolerance;
    const AdaptResult result = adapt(test_device(), sheet, metric, options);
    EXPECT_GT(surface::analyze(test_device(), result.mesh).min_angle, 3);
    const std::uint64_t beyond = edges_beyond(result.mesh, sheet, limit);
    if (tolerance == limit) {
      EXPECT_EQ(result.report.beyond_tolerance, beyond);
    }
    return static_cast<double>(beyond) / static_cast<double>(faces_at_edges(result.mesh).size());
  };
  EXPECT_GT(share_beyond(0, 4e-3), 0.01);
  EXPECT_LT(share_beyond(4e-3, 4e-3), 0.005);
  EXPECT_EQ(share_beyond(4e-3, 4.8e-3), 0);
  // Single edges in folds are left, where a split would make slivers.
  EXPECT_LT(share_beyond(1e-3, 1e-3), 0.04);
  EXPECT_LT(share_beyond(1e-3, 1.2e-3), 0.02);
  EXPECT_EQ(share_beyond(1e-3, 4e-3), 0);
}

TEST(Tolerance, HoldsRidgesThatTurnByARightAngle) {
  // Chords of the rims leave them by an eighth of their square: by 0.01.
  const TriangleSoup cylinder = generated(Shape::cylinder, 20000);
  const MetricField metric = uniform_metric(test_device(), cylinder, 0.28);
  AdaptOptions options;
  const TriangleSoup coarse = adapt(test_device(), cylinder, metric, options).mesh;
  options.tolerance = 4e-3;
  EXPECT_GT(edges_beyond(coarse, cylinder, options.tolerance), 20U);
  const AdaptResult result = adapt(test_device(), cylinder, metric, options);
  EXPECT_EQ(edges_beyond(result.mesh, cylinder, 1.05 * options.tolerance), 0U);
  EXPECT_EQ(result.report.beyond_tolerance, edges_beyond(result.mesh, cylinder, options.tolerance));
}

TEST(Tolerance, HoldsStretchedTriangles) {
  const TriangleSoup torus = generated(Shape::torus, 20000);
  CurvatureMetricOptions error;
  error.error = 1e-2;
  error.stretch = Stretch::along;
  const MetricField metric = curvature_metric(test_device(), torus, error);
  AdaptOptions options;
  const TriangleSoup coarse = adapt(test_device(), torus, metric, options).mesh;
  options.tolerance = 1e-2;
  const std::uint64_t before = edges_beyond(coarse, torus, options.tolerance);
  EXPECT_GT(before, 100U);
  const AdaptResult result = adapt(test_device(), torus, metric, options);
  const std::uint64_t after = edges_beyond(result.mesh, torus, options.tolerance);
  EXPECT_LT(after, before / 20);
  // On the device a point is nearest near where it started.
  EXPECT_NEAR(static_cast<double>(result.report.beyond_tolerance), static_cast<double>(after), 2);
}

}  // namespace
}  // namespace tessera::remesh
