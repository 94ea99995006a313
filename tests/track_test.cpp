// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/track.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/core/random.h"
#include "tessera/surface/analysis.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

/// Once around the z axis in a unit of time.
struct Rotation {
  TESSERA_KERNEL Vec3d operator()(const Vec3d& p, double) const {
    return Vec3d{-p[1], p[0], 0} * (2 * std::numbers::pi);
  }
};

TEST(Track, AWholeTurnEndsWhereItBegan) {
  const TriangleSoup torus = generated(Shape::torus, 500);
  DynamicMesh mesh(test_device(), torus);
  const TriangleSoup before = mesh.to_soup();
  constexpr int steps = 100;
  for (int i = 0; i < steps; ++i) advect(mesh, Rotation{}, i * 1.0 / steps, 1.0 / steps);
  const TriangleSoup after = mesh.to_soup();
  for (std::size_t v = 0; v < before.positions.size(); ++v)
    EXPECT_LT(length(after.positions[v] - before.positions[v]), 1e-5);
}

TEST(Track, CurlNoiseHasNoSources) {
  const CurlNoise flow(7, 2, 3);
  const Random random(1);
  constexpr double h = 1e-5;
  double squares = 0;
  constexpr int points = 1000;
  for (std::uint64_t i = 0; i < points; ++i) {
    const Vec3d p{10 * random.uniform(4 * i), 10 * random.uniform(4 * i + 1),
                  10 * random.uniform(4 * i + 2)};
    const double time = random.uniform(4 * i + 3);
    double divergence = 0;
    for (int k = 0; k < 3; ++k) {
      Vec3d step{};
      step[k] = h;
      divergence += (flow(p + step, time)[k] - flow(p - step, time)[k]) / (2 * h);
    }
    EXPECT_NEAR(divergence, 0, 1e-4);
    squares += squared_length(flow(p, time));
  }
  EXPECT_NEAR(std::sqrt(squares / points), 3, 0.5);
}

TEST(Track, KeepsTopologyVolumeAndShapes) {
  const TriangleSoup sphere = generated(Shape::icosphere, 20000);
  const MeshInfo before = analyze(test_device(), sphere);
  TrackOptions options;
  options.speed = 0.05;
  SurfaceTracker tracker(test_device(), sphere, options);
  ImproveReport sum;
  for (int frame = 0; frame < 20; ++frame) {
    sum += tracker.advance();
    ASSERT_EQ(tracker.mesh().validate(), std::nullopt) << frame;
  }
  EXPECT_EQ(tracker.frame(), 20);
  EXPECT_GT(sum.splits, 100U);
  EXPECT_GT(sum.collapses, 100U);
  const MeshInfo after = analyze(test_device(), tracker.mesh().to_soup());
  EXPECT_EQ(after.euler_characteristic, 2);
  EXPECT_EQ(after.boundary_edges, 0U);
  EXPECT_GT(after.area, 1.05 * before.area);
  EXPECT_NEAR(after.volume.value_or(0), before.volume.value_or(0),
              0.01 * before.volume.value_or(0));
  EXPECT_GT(after.mean_quality, 0.8);
  EXPECT_GT(after.min_angle, 5);
  EXPECT_LT(after.max_edge_length, 2 * options.longest * before.mean_edge_length);
}

TEST(Track, WhereNothingMovesTheBorderStays) {
  const TriangleSoup grid = generated(Shape::plane, 2000);
  TrackOptions options;
  options.time_step = 0;
  SurfaceTracker tracker(test_device(), grid, options);
  for (int frame = 0; frame < 20; ++frame) tracker.advance();
  const MeshInfo after = analyze(test_device(), tracker.mesh().to_soup());
  EXPECT_NEAR(after.area, 1, 1e-3);
  EXPECT_GT(after.mean_quality, 0.8);
}

TEST(Track, KeepsTheTopologyOfEveryMesh) {
  for (const NamedMesh& named : surface_meshes()) {
    SurfaceTracker tracker(test_device(), named.mesh);
    const MeshInfo before = analyze(test_device(), tracker.mesh().to_soup());
    for (int frame = 0; frame < 3; ++frame) tracker.advance();
    EXPECT_EQ(tracker.mesh().validate(), std::nullopt) << named.name;
    const MeshInfo after = analyze(test_device(), tracker.mesh().to_soup());
    EXPECT_EQ(after.euler_characteristic, before.euler_characteristic) << named.name;
    EXPECT_EQ(after.boundary_loops, before.boundary_loops) << named.name;
    EXPECT_EQ(after.non_manifold_edges, before.non_manifold_edges) << named.name;
  }
}

TEST(Track, TheNumberOfThreadsChangesNothing) {
  const TriangleSoup grid = generated(Shape::plane, 20000);
  const auto run = [&](int threads) {
    SurfaceTracker tracker(exec::Device::cpu(threads), grid);
    for (int frame = 0; frame < 3; ++frame) tracker.advance();
    return tracker.mesh().to_soup();
  };
  const TriangleSoup one = run(1);
  const TriangleSoup three = run(3);
  EXPECT_TRUE(one.triangles == three.triangles);
  EXPECT_TRUE(one.positions == three.positions);
}

TEST(Track, RefusesWrongOptions) {
  const TriangleSoup mesh = tetrahedron();
  TrackOptions options;
  options.shortest = 1;
  EXPECT_THROW(SurfaceTracker(test_device(), mesh, options), InputError);
  options = {};
  options.speed = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(SurfaceTracker(test_device(), mesh, options), InputError);
  SurfaceTracker nothing(test_device(), TriangleSoup{});
  EXPECT_EQ(nothing.advance().splits, 0U);
}

}  // namespace
}  // namespace tessera::surface
