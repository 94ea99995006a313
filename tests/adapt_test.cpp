// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/remesh/adapt.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "cancel.h"
#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "tessera/core/random.h"
#include "tessera/remesh/curvature_metric.h"
#include "tessera/surface/analysis.h"
#include "tessera/surface/bvh.h"
#include "tessera/surface/dynamic_mesh.h"
#include "tessera/surface/patched_mesh.h"
#include "tessera/surface/smooth.h"
#include "tessera/surface/subdivide.h"
#include "test_device.h"

namespace tessera::remesh {
namespace {

using surface::analyze;
using surface::MeshInfo;
using surface::Shape;

TEST(Adapt, MakesUnitEdgesOnASphere) {
  const TriangleSoup sphere = generated(Shape::icosphere, 2000);
  for (const double size : {0.04, 0.1, 0.2}) {
    const MetricField metric = uniform_metric(test_device(), sphere, size);
    const AdaptResult result = adapt(test_device(), sphere, metric);
    const MeshInfo info = analyze(test_device(), result.mesh);
    EXPECT_EQ(info.euler_characteristic, 2);
    // Any length from 0.71 to 1.41 of it will do: the input of 0.12 stays for 0.1.
    EXPECT_NEAR(info.mean_edge_length, size, 0.25 * size);
    EXPECT_GT(info.min_angle, 15) << size;
    EXPECT_GT(result.report.unit_edges, 0.97) << size;
    EXPECT_GT(result.report.mean_quality, 0.93) << size;
    EXPECT_NEAR(static_cast<double>(result.mesh.positions.size()), points_of(sphere, metric),
                0.35 * points_of(sphere, metric));
    // On the sphere, not on the faces of the input, which leave it by 0.002.
    for (const Vec3d& p : result.mesh.positions) EXPECT_NEAR(length(p), 1, 2e-4);
    // The result says what its metric is.
    ASSERT_EQ(result.metric.metrics.size(), result.mesh.positions.size());
    for (const SurfaceMetric& m : result.metric.metrics)
      EXPECT_NEAR(m.along * size * size, 1, 1e-6);
  }
}

TEST(Adapt, PutsPointsWhereTheSurfaceBends) {
  const TriangleSoup torus = generated(Shape::torus, 20000);
  CurvatureMetricOptions options;
  options.error = 2e-3;
  options.largest = 1;
  for (const Stretch stretch : {Stretch::none, Stretch::along}) {
    options.stretch = stretch;
    const MetricField metric = curvature_metric(test_device(), torus, options);
    const AdaptResult result = adapt(test_device(), torus, metric);
    EXPECT_EQ(analyze(test_device(), result.mesh).euler_characteristic, 0);
    EXPECT_GT(result.report.unit_edges, 0.9);
    EXPECT_GT(result.report.mean_quality, 0.85);
    EXPECT_GT(result.report.least_quality, 0.2);
  }
}

TEST(Adapt, KeepsRidgesAndCorners) {
  surface::SubdivideOptions three;
  three.levels = 3;
  const TriangleSoup box = surface::subdivide(test_device(), unit_cube(), three);
  const AdaptResult result = adapt(test_device(), box, uniform_metric(test_device(), box, 0.09));
  const MeshInfo info = analyze(test_device(), result.mesh);
  EXPECT_NEAR(info.area, 6, 1e-6);
  EXPECT_NEAR(info.volume.value_or(0), 1, 1e-6);
  EXPECT_GT(result.report.least_quality, 0.3);
}

/// A front: short edges across it, long ones along.
TEST(Adapt, CellsAreStretchedAlongAFront) {
  const TriangleSoup sheet = generated(Shape::plane, 20000);
  MetricField metric = uniform_metric(test_device(), sheet, 0.2);
  const auto across = [](double x) { return 0.005 + 0.3 * std::abs(x - 0.5); };
  for (std::size_t v = 0; v < metric.metrics.size(); ++v) {
    const double size = across(sheet.positions[v][0]);
    metric.metrics[v] = {{1, 0, 0}, 1 / (size * size), 1 / (0.2 * 0.2)};
  }
  AdaptOptions options;
  options.rounds = 8;
  const AdaptResult result = adapt(test_device(), sheet, metric, options);
  const TriangleSoup& mesh = result.mesh;
  EXPECT_GT(result.report.unit_edges, 0.97);
  EXPECT_GT(result.report.mean_quality, 0.9);
  EXPECT_NEAR(analyze(test_device(), mesh).area, 1, 1e-9);
  // The aspect of a triangle: its longest side over the height on it.
  double aspects = 0;
  std::size_t count = 0;
  for (const Triangle& t : mesh.triangles) {
    const Vec3d p[3] = {mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]};
    if (std::abs((p[0][0] + p[1][0] + p[2][0]) / 3 - 0.5) > 0.005) continue;
    Vec3d longest{};
    for (int k = 0; k < 3; ++k)
      if (squared_length(p[(k + 1) % 3] - p[k]) > squared_length(longest))
        longest = p[(k + 1) % 3] - p[k];
    aspects += squared_length(longest) / length(cross(p[1] - p[0], p[2] - p[0]));
    EXPECT_GT(std::abs(longest[1]), 0.99 * length(longest));  // along the front
    ++count;
  }
  ASSERT_GT(count, 3U);
  EXPECT_GT(aspects / static_cast<double>(count), 20);
}

/// Sizes and directions that change faster than cells can follow.
TEST(Adapt, NoCellIsTurnedOver) {
  const TriangleSoup sheet = generated(Shape::plane, 30000);
  MetricField metric = uniform_metric(test_device(), sheet, 0.15);
  for (std::size_t v = 0; v < metric.metrics.size(); ++v) {
    const Vec3d p = sheet.positions[v];
    const Vec3d along{0.4 * p[1], -1, 0};
    const double size = 0.002 + std::abs(p[0] - 0.6 + 0.2 * p[1] * p[1]) / 3;
    const Vec3d across = Vec3d{1, 0.4 * p[1], 0} * (1 / length(along));
    metric.metrics[v] = {across, 1 / (size * size), 1 / (0.15 * 0.15)};
  }
  AdaptOptions options;
  options.rounds = 6;
  const TriangleSoup mesh = adapt(test_device(), sheet, metric, options).mesh;
  double least = 1;
  for (const Triangle& t : mesh.triangles) {
    const Vec3d p = mesh.positions[t[0]];
    least = std::min(least, cross(mesh.positions[t[1]] - p, mesh.positions[t[2]] - p)[2]);
  }
  EXPECT_GT(least, 0);
  EXPECT_NEAR(analyze(test_device(), mesh).area, 1, 1e-9);
}

/// Root mean square distance of vertices from the unit sphere.
double error_on_sphere(const Array<Vec3d>& positions) {
  double squares = 0;
  for (const Vec3d& p : positions) squares += (length(p) - 1) * (length(p) - 1);
  return std::sqrt(squares / static_cast<double>(positions.size()));
}

TEST(Adapt, SmoothingDeformsLessThanTaubinsAtTheSameQuality) {
  // A sphere whose vertices lie on it, but not evenly: no edge is so long or short that it would be
  // split or collapsed.
  TriangleSoup sphere = generated(Shape::icosphere, 5000);
  const double size = analyze(test_device(), sphere).mean_edge_length;
  const Random random(3);
  for (std::size_t v = 0; v < sphere.positions.size(); ++v) {
    Vec3d& p = sphere.positions[v];
    for (int k = 0; k < 3; ++k)
      p[k] += 0.14 * size * (random.uniform(3 * v + static_cast<std::size_t>(k)) - 0.5);
    p *= 1 / length(p);
  }
  AdaptOptions options;
  options.rounds = 1;
  const AdaptResult ours =
      adapt(test_device(), sphere, uniform_metric(test_device(), sphere, 0.95 * size), options);
  EXPECT_EQ(ours.report.splits + ours.report.collapses, 0U);
  const double quality = analyze(test_device(), ours.mesh).mean_quality;
  EXPECT_GT(quality, analyze(test_device(), sphere).mean_quality + 0.01);

  // As many of Taubin's steps as that takes, if it gets there at all.
  const surface::PatchedMesh patched(test_device(), sphere);
  surface::VertexAttribute<Vec3f> positions = surface::positions_of(patched, sphere);
  TriangleSoup theirs = sphere;
  surface::TaubinOptions step;
  step.iterations = 1;
  for (int i = 0; i < 50 && analyze(test_device(), theirs).mean_quality < quality; ++i) {
    surface::taubin_smooth(patched, positions, step);
    const auto moved = surface::attribute_to_host(patched, positions);
    for (std::size_t v = 0; v < moved.size(); ++v) theirs.positions[v] = cast<double>(moved[v]);
  }
  // It hardly gets there, and has shrunk more on its way.
  EXPECT_GT(analyze(test_device(), theirs).mean_quality, quality - 0.002);
  EXPECT_LT(error_on_sphere(ours.mesh.positions), error_on_sphere(theirs.positions) / 3);
}

TEST(Adapt, WorksFarFromTheOrigin) {
  // Searches along the surface that end at the first face find what is two to three times as far.
  const TriangleSoup near = generated(Shape::torus, 20000);
  TriangleSoup far = near;
  for (Vec3d& p : far.positions) p += Vec3d{5e6, 4e6, -3e6};
  const auto last_round = [](const TriangleSoup& mesh, std::size_t& faces) {
    AdaptRound last;
    AdaptOptions options;
    options.tolerance = 3e-3;
    options.on_round = [&last](const AdaptRound& round) { last = round; };
    const MetricField metric = uniform_metric(test_device(), mesh, 0.1);
    faces = adapt(test_device(), mesh, metric, options).mesh.triangles.size();
    return last;
  };
  std::size_t faces_here = 0;
  std::size_t faces_there = 0;
  const AdaptRound here = last_round(near, faces_here);
  const AdaptRound there = last_round(far, faces_there);
  EXPECT_NEAR(there.error, here.error, 0.05 * here.error);
  EXPECT_NEAR(there.mean_quality, here.mean_quality, 0.003);
  EXPECT_NEAR(static_cast<double>(faces_there), static_cast<double>(faces_here),
              0.05 * static_cast<double>(faces_here));
}

TEST(Adapt, SaysHowRoundsWent) {
  const TriangleSoup torus = generated(Shape::torus, 4000);
  std::vector<AdaptRound> rounds;
  AdaptOptions options;
  options.rounds = 3;
  options.on_round = [&](const AdaptRound& round) { rounds.push_back(round); };
  const MetricField metric = uniform_metric(test_device(), torus, 0.1);
  const AdaptResult result = adapt(test_device(), torus, metric, options);
  ASSERT_EQ(rounds.size(), 3U);
  EXPECT_EQ(rounds.back().mean_quality, result.report.mean_quality);
  EXPECT_EQ(rounds.back().unit_edges, result.report.unit_edges);
  // The same by way of every edge's middle.
  const surface::Bvh tree(test_device(), torus);
  Array<Vec3d> middles;
  for (const auto& [edge, faces] : faces_at_edges(result.mesh))
    middles.push_back((result.mesh.positions[edge.first] + result.mesh.positions[edge.second]) *
                      0.5);
  double sum = 0;
  for (const double d : surface::closest_points(test_device(), tree, middles).distances) sum += d;
  EXPECT_NEAR(rounds.back().error, sum / static_cast<double>(middles.size()),
              1e-3 * rounds.back().error);  // nearest near where it started

  const Histogram& qualities = result.report.qualities;
  ASSERT_EQ(qualities.counts.size(), 10U);
  std::vector<std::uint64_t> counts(10);
  for (const Triangle& t : result.mesh.triangles) {
    const Vec3d a = result.mesh.positions[t[0]];
    const Vec3d b = result.mesh.positions[t[1]];
    const Vec3d c = result.mesh.positions[t[2]];
    const double edges = squared_length(b - a) + squared_length(c - b) + squared_length(a - c);
    const double quality = 2 * std::sqrt(3.0) * length(cross(b - a, c - a)) / edges;
    ++counts[std::min<std::size_t>(9, static_cast<std::size_t>(10 * quality))];
  }
  EXPECT_EQ(qualities.counts, counts);
  // Without anybody to tell, the mesh is the same.
  options.on_round = {};
  EXPECT_TRUE(adapt(test_device(), torus, metric, options).mesh.positions == result.mesh.positions);
}

TEST(Adapt, KeepsTheTopologyOfEveryMesh) {
  for (const NamedMesh& named : surface_meshes()) {
    const TriangleSoup start = surface::DynamicMesh(test_device(), named.mesh).to_soup();
    if (start.triangles.empty()) continue;
    const MeshInfo before = analyze(test_device(), start);
    if (!(before.mean_edge_length > 0) || start.triangles.size() > 20000) continue;
    for (const double scale : {0.7, 1.5}) {
      AdaptOptions options;
      options.rounds = 2;
      const AdaptResult result =
          adapt(test_device(), start,
                uniform_metric(test_device(), start, scale * before.mean_edge_length), options);
      const MeshInfo after = analyze(test_device(), result.mesh);
      EXPECT_EQ(after.euler_characteristic, before.euler_characteristic) << named.name;
      EXPECT_EQ(after.components, before.components) << named.name;
      EXPECT_EQ(after.boundary_loops, before.boundary_loops) << named.name;
      EXPECT_EQ(after.non_manifold_edges, before.non_manifold_edges) << named.name;
    }
  }
}

TEST(Adapt, TheNumberOfThreadsChangesNothing) {
  const TriangleSoup torus = generated(Shape::torus, 4000);
  CurvatureMetricOptions stretched;
  stretched.error = 2e-3;
  stretched.stretch = Stretch::along;
  for (const bool is_stretched : {false, true}) {
    AdaptOptions options;
    options.tolerance = is_stretched ? 1e-3 : 0;
    const auto run = [&](int threads) {
      const exec::Device device = exec::Device::cpu(threads);
      const MetricField metric = is_stretched ? curvature_metric(device, torus, stretched)
                                              : uniform_metric(device, torus, 0.05);
      return adapt(device, torus, metric, options).mesh;
    };
    const TriangleSoup one = run(1);
    const TriangleSoup three = run(3);
    EXPECT_TRUE(one.triangles == three.triangles);
    EXPECT_TRUE(one.positions == three.positions);
  }
}

TEST(Adapt, CanBeCancelled) {
  const TriangleSoup torus = generated(Shape::torus, 20000);
  AdaptOptions options;
  options.progress = cancel_after(3);
  EXPECT_THROW(adapt(test_device(), torus, uniform_metric(test_device(), torus, 0.02), options),
               Cancelled);
}

TEST(Adapt, KeepsAttributesButNotItsOwn) {
  TriangleSoup sphere = generated(Shape::icosphere, 500);
  Array<double> heights(sphere.positions.size());
  for (std::size_t v = 0; v < heights.size(); ++v) heights[v] = sphere.positions[v][2];
  sphere.vertex_attributes = {{"height", 1, heights}};
  const TriangleSoup mesh =
      adapt(test_device(), sphere, uniform_metric(test_device(), sphere, 0.1)).mesh;
  ASSERT_EQ(mesh.vertex_attributes.size(), 1U);
  const auto& values = std::get<Array<double>>(mesh.vertex_attributes[0].values);
  for (std::size_t v = 0; v < values.size(); ++v)
    EXPECT_NEAR(values[v], mesh.positions[v][2], 0.02);
}

TEST(Adapt, RefusesWhatIsWrong) {
  const TriangleSoup mesh = tetrahedron();
  EXPECT_THROW(adapt(test_device(), mesh, MetricField{}), InputError);
  MetricField metric = uniform_metric(test_device(), mesh, 1);
  AdaptOptions options;
  options.rounds = -1;
  EXPECT_THROW(adapt(test_device(), mesh, metric, options), InputError);
  metric.metrics[2].along = 0;
  EXPECT_THROW(adapt(test_device(), mesh, metric), InputError);
  EXPECT_TRUE(adapt(test_device(), TriangleSoup{}, MetricField{}).mesh.triangles.empty());
}

}  // namespace
}  // namespace tessera::remesh
