// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <gtest/gtest.h>

#include "cancel.h"
#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "tessera/surface/analysis.h"
#include "tessera/surface/compare.h"
#include "tessera/surface/simplify.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

/// Of points all over the faces of a mesh from a sphere of radius 1.
double error_on_sphere(const TriangleSoup& mesh) {
  double squares = 0;
  double areas = 0;
  for (const Triangle& t : mesh.triangles) {
    const Vec3d& a = mesh.positions[t[0]];
    const Vec3d& b = mesh.positions[t[1]];
    const Vec3d& c = mesh.positions[t[2]];
    const double area = length(cross(b - a, c - a));
    constexpr int n = 12;
    for (int i = 0; i < n; ++i)
      for (int j = 0; i + j < n; ++j) {
        const double u = (i + 1.0 / 3) / n;
        const double v = (j + 1.0 / 3) / n;
        const double distance = length(a + (b - a) * u + (c - a) * v) - 1;
        squares += area * distance * distance / (n * (n + 1) / 2);
      }
    areas += area;
  }
  return std::sqrt(squares / areas);
}

TEST(Fit, FindsWhatSearchingFinds) {
  const TriangleSoup coarse = generated(Shape::icosphere, 320);
  const Bvh sphere(test_device(), generated(Shape::icosphere, 80000));
  DynamicMesh mesh(test_device(), coarse);
  FitOptions options;
  options.steps = 8;
  const FitReport report = fit(mesh, sphere, options);
  // All vertices of an icosphere are nearly alike: the best radius of all is nearly the best of
  // each.
  double best = error_on_sphere(coarse);
  EXPECT_NEAR(report.before, best, 0.1 * best);
  for (double scale = 1; scale < 1.03; scale += 0.0005) {
    TriangleSoup scaled = coarse;
    for (Vec3d& p : scaled.positions) p *= scale;
    best = std::min(best, error_on_sphere(scaled));
  }
  EXPECT_LT(report.after, report.before / 2);
  EXPECT_LT(error_on_sphere(mesh.to_soup()), 1.02 * best);
  EXPECT_NEAR(error_on_sphere(mesh.to_soup()), report.after, 0.1 * report.before);
}

TEST(Fit, FlipsEdgesThatLieAcrossAFold) {
  // Two squares that meet in a fold along y = x, each of their triangles across it.
  const TriangleSoup roof =
      make_mesh({{0, 0, 1}, {1, 0, 0}, {1, 1, 1}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 3}});
  TriangleSoup wrong = roof;
  wrong.triangles = {{0, 1, 3}, {1, 2, 3}};
  DynamicMesh mesh(test_device(), wrong);
  const FitReport report = fit(mesh, Bvh(test_device(), roof));
  EXPECT_GT(report.before, 0.1);
  EXPECT_LT(report.after, 1e-6);
  EXPECT_NEAR(compare(test_device(), mesh.to_soup(), roof).max, 0, 1e-6);
}

TEST(Fit, NeverMakesItWorseAndKeepsTheTopologyOfEveryMesh) {
  for (const NamedMesh& named : surface_meshes()) {
    SCOPED_TRACE(named.name);
    const TriangleSoup start = DynamicMesh(test_device(), named.mesh).to_soup();
    if (start.triangles.empty() || start.triangles.size() > 20000) continue;
    SimplifyOptions few;
    few.faces = start.triangles.size() / 2;
    DynamicMesh mesh(test_device(), simplify(test_device(), start, few).mesh);
    const MeshInfo before = analyze(test_device(), mesh.to_soup());
    const FitReport report = fit(mesh, Bvh(test_device(), start));
    EXPECT_LE(report.after, report.before);
    EXPECT_TRUE(std::isfinite(report.after));
    EXPECT_EQ(mesh.validate().value_or(""), "");
    const MeshInfo after = analyze(test_device(), mesh.to_soup());
    EXPECT_EQ(after.euler_characteristic, before.euler_characteristic);
    EXPECT_EQ(after.boundary_loops, before.boundary_loops);
    EXPECT_EQ(after.non_manifold_edges, before.non_manifold_edges);
  }
}

TEST(Fit, BordersStay) {
  TriangleSoup sheet = generated(Shape::plane, 20000);
  for (Vec3d& p : sheet.positions) p[2] = 0.2 * std::sin(5 * p[0]) * std::cos(4 * p[1]);
  SimplifyOptions few;
  few.faces = 1000;
  const TriangleSoup plain = simplify(test_device(), sheet, few).mesh;
  few.fitting_steps = 3;
  const SimplifyResult fitted = simplify(test_device(), sheet, few);
  EXPECT_EQ(plain.positions.size(), fitted.mesh.positions.size());
  std::size_t moved = 0;
  for (std::size_t v = 0; v < plain.positions.size(); ++v) {
    if (fitted.mesh.positions[v] == plain.positions[v]) continue;
    ++moved;
    EXPECT_GT(plain.positions[v][0] * (1 - plain.positions[v][0]), 1e-6);
    EXPECT_GT(plain.positions[v][1] * (1 - plain.positions[v][1]), 1e-6);
  }
  EXPECT_GT(moved, plain.positions.size() / 2);
  EXPECT_LT(compare(test_device(), sheet, fitted.mesh).rms,
            0.95 * compare(test_device(), sheet, plain).rms);
}

TEST(Fit, TheNumberOfThreadsChangesNothing) {
  const TriangleSoup torus = generated(Shape::torus, 20000);
  SimplifyOptions few;
  few.faces = 2000;
  few.fitting_steps = 2;
  const TriangleSoup one = simplify(exec::Device::cpu(1), torus, few).mesh;
  const TriangleSoup three = simplify(exec::Device::cpu(3), torus, few).mesh;
  EXPECT_TRUE(one.triangles == three.triangles);
  EXPECT_TRUE(one.positions == three.positions);
}

TEST(Fit, RefusesWhatIsWrongAndCanBeCancelled) {
  const TriangleSoup torus = generated(Shape::torus, 500);
  DynamicMesh mesh(test_device(), torus);
  const Bvh tree(test_device(), torus);
  FitOptions options;
  options.steps = -1;
  EXPECT_THROW(fit(mesh, tree, options), InputError);
  options.steps = 3;
  options.progress = cancel_after(1);
  EXPECT_THROW(fit(mesh, tree, options), Cancelled);
  EXPECT_EQ(mesh.validate().value_or(""), "");
  // Nothing to be near to, or nothing that could be.
  const FitReport none = fit(mesh, Bvh(test_device(), TriangleSoup{}));
  EXPECT_EQ(none.after, 0);
  DynamicMesh empty(test_device(), TriangleSoup{});
  EXPECT_EQ(fit(empty, tree).after, 0);
}

}  // namespace
}  // namespace tessera::surface
