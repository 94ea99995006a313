// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// What remeshing to a metric leaves of ridges and corners.
#include "ridges.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "tessera/io/triangles.h"
#include "tessera/remesh/adapt.h"
#include "tessera/remesh/curvature_metric.h"
#include "tessera/surface/analysis.h"
#include "tessera/surface/subdivide.h"
#include "test_device.h"

namespace tessera::remesh {
namespace {

/// A box with a saddle on top: corners, straight ridges and curved ones of changing sharpness.
TriangleSoup saddle_box() {
  surface::SubdivideOptions levels;
  levels.levels = 5;
  TriangleSoup box = surface::subdivide(test_device(), unit_cube(), levels);
  for (Vec3d& p : box.positions)
    p[2] *= 1 + 0.3 * (std::pow(p[0] - 0.5, 2) - std::pow(p[1] - 0.5, 2));
  return box;
}

void expect_kept(const TriangleSoup& input, const TriangleSoup& result, double angle,
                 double tolerance) {
  const Ridges before = Ridges::of(input, angle);
  ASSERT_FALSE(before.edges.empty());
  for (const Vec3d& corner : before.corners)
    EXPECT_TRUE(std::find(result.positions.begin(), result.positions.end(), corner) !=
                result.positions.end())
        << corner[0] << ' ' << corner[1] << ' ' << corner[2];
  // Where a ridge is hardly one, its faces may turn by less on longer edges.
  EXPECT_LT(before.distance_to(Ridges::of(result, angle / 2)), tolerance);
}

TEST(Ridges, OfABoxAndACylinderAreFound) {
  const Ridges box = Ridges::of(saddle_box(), 45);
  EXPECT_EQ(box.corners.size(), 8U);
  EXPECT_EQ(box.chains, 12U);
  const Ridges cylinder = Ridges::of(generated(surface::Shape::cylinder, 5000), 45);
  EXPECT_TRUE(cylinder.corners.empty());
  EXPECT_EQ(cylinder.chains, 2U);
}

TEST(Ridges, StayWhereverMetricsWantTheirPoints) {
  for (const TriangleSoup& mesh : {saddle_box(), generated(surface::Shape::cylinder, 5000)}) {
    const double length = surface::analyze(test_device(), mesh).mean_edge_length;
    for (const double scale : {0.6, 2.0}) {
      const AdaptResult result =
          adapt(test_device(), mesh, uniform_metric(test_device(), mesh, scale * length));
      const Ridges before = Ridges::of(mesh, 45);
      const Ridges after = Ridges::of(result.mesh, 45);
      EXPECT_EQ(after.chains, before.chains);
      EXPECT_EQ(after.corners.size(), before.corners.size());
      // They bend by at most one over 1, the edges of both meshes are chords of them, and edges
      // are up to one and a half times as long as wanted.
      const double longest = 1.5 * scale * length;
      const double given = before.longest_edge();
      expect_kept(mesh, result.mesh, 45, (longest * longest + given * given) / 8);
    }
  }
}

TEST(Ridges, OfTheFandiskStay) {
  const char* folder = std::getenv("TESSERA_TEST_DATA");
#ifdef TESSERA_TEST_DATA
  if (folder == nullptr) folder = TESSERA_TEST_DATA;
#endif
  if (folder == nullptr || !std::filesystem::exists(std::filesystem::path(folder) / "fandisk.obj"))
    GTEST_SKIP() << "no fandisk.obj in TESSERA_TEST_DATA";
  const TriangleSoup fandisk =
      io::read_triangles(std::filesystem::path(folder) / "fandisk.obj").mesh;
  const surface::MeshInfo info = surface::analyze(test_device(), fandisk);
  const double diagonal = length(info.bounding_box->max - info.bounding_box->min);
  AdaptOptions options;
  options.ridge_angle = 30;
  MetricField uniform = uniform_metric(test_device(), fandisk, info.mean_edge_length);
  const TriangleSoup even = adapt(test_device(), fandisk, uniform, options).mesh;
  expect_kept(fandisk, even, 30, 1e-3 * diagonal);
  EXPECT_EQ(Ridges::of(even, 30).chains, Ridges::of(fandisk, 30).chains);
  EXPECT_EQ(Ridges::of(even, 30).corners.size(), Ridges::of(fandisk, 30).corners.size());
  // Nor are there others.
  EXPECT_LT(Ridges::of(even, 30).distance_to(Ridges::of(fandisk, 25)), 1e-3 * diagonal);
  CurvatureMetricOptions error;
  error.error = 1e-3 * diagonal;
  error.ridge_angle = 30;
  error.stretch = Stretch::along;
  MetricField metric = curvature_metric(test_device(), fandisk, error);
  limit_gradation(test_device(), fandisk, metric, 1.5);
  expect_kept(fandisk, adapt(test_device(), fandisk, metric, options).mesh, 30, 2e-3 * diagonal);
}

}  // namespace
}  // namespace tessera::remesh
