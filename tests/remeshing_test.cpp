// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Delaunay flips, isotropic remeshing and simplification.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "tessera/core/random.h"
#include "tessera/surface/analysis.h"
#include "tessera/surface/compare.h"
#include "tessera/surface/delaunay.h"
#include "tessera/surface/isotropic_remesh.h"
#include "tessera/surface/simplify.h"
#include "tessera/surface/subdivide.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

/// A flat grid whose inner vertices are moved at random.
TriangleSoup flat_grid(Index n, std::uint64_t seed) {
  const Random random(seed);
  TriangleSoup mesh;
  for (Index y = 0; y <= n; ++y)
    for (Index x = 0; x <= n; ++x) {
      const bool is_inner = x > 0 && y > 0 && x < n && y < n;
      const std::uint64_t draw = 2 * (y * (n + 1) + x);
      const double dx = is_inner ? random.uniform(draw) - 0.5 : 0;
      const double dy = is_inner ? random.uniform(draw + 1) - 0.5 : 0;
      mesh.positions.push_back({x + 0.5 * dx, y + 0.5 * dy, 0});
    }
  for (Index y = 0; y < n; ++y)
    for (Index x = 0; x < n; ++x) {
      const Index a = y * (n + 1) + x;
      mesh.triangles.push_back({a, a + 1, a + n + 2});
      mesh.triangles.push_back({a, a + n + 2, a + n + 1});
    }
  return mesh;
}

/// Positive where d lies within the circle through a, b, c, counter-clockwise in the plane.
double in_circle(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  const auto row = [&](const Vec3d& p) {
    const double x = p[0] - d[0];
    const double y = p[1] - d[1];
    return Vec3d{x, y, x * x + y * y};
  };
  return dot(row(a), cross(row(b), row(c)));
}

TEST(Delaunay, CirclesOfAFlatMeshAreEmpty) {
  const TriangleSoup grid = flat_grid(12, 3);
  DynamicMesh mesh(test_device(), grid);
  const DelaunayReport report = make_delaunay(mesh);
  EXPECT_GT(report.flips, 20U);
  EXPECT_EQ(report.violating, 0U);
  EXPECT_EQ(mesh.validate(), std::nullopt);
  const TriangleSoup result = mesh.to_soup();
  ASSERT_EQ(result.triangles.size(), grid.triangles.size());
  for (const Triangle& t : result.triangles)
    for (const Vec3d& p : result.positions)
      EXPECT_LT(
          in_circle(result.positions[t[0]], result.positions[t[1]], result.positions[t[2]], p),
          1e-6);
}

TEST(Delaunay, EndsOnEveryMesh) {
  for (const NamedMesh& named : surface_meshes()) {
    DynamicMesh mesh(test_device(), named.mesh);
    const MeshInfo before = analyze(test_device(), mesh.to_soup());
    make_delaunay(mesh, {180});
    EXPECT_EQ(mesh.validate(), std::nullopt) << named.name;
    const MeshInfo after = analyze(test_device(), mesh.to_soup());
    EXPECT_EQ(after.euler_characteristic, before.euler_characteristic) << named.name;
    EXPECT_EQ(after.faces, before.faces) << named.name;
    EXPECT_EQ(after.boundary_edges, before.boundary_edges) << named.name;
  }
}

TEST(Delaunay, KeepsCreases) {
  // A roof: its ridge is the longest edge of both slopes.
  const TriangleSoup roof =
      make_mesh({{0, 0, 1}, {10, 0, 1}, {5, -1, 0}, {5, 1, 0}}, {{0, 2, 1}, {0, 1, 3}});
  DynamicMesh kept(test_device(), roof);
  EXPECT_EQ(make_delaunay(kept).flips, 0U);
  DynamicMesh bevelled(test_device(), roof);
  EXPECT_EQ(make_delaunay(bevelled, {180}).flips, 1U);
  EXPECT_THROW(make_delaunay(kept, {-1}), InputError);
}

TEST(IsotropicRemesh, KeepsTheTopologyOfEveryMesh) {
  for (const NamedMesh& named : surface_meshes()) {
    const TriangleSoup start = DynamicMesh(test_device(), named.mesh).to_soup();
    const MeshInfo before = analyze(test_device(), start);
    const IsotropicRemeshResult result = isotropic_remesh(test_device(), named.mesh);
    const MeshInfo after = analyze(test_device(), result.mesh);
    EXPECT_EQ(after.euler_characteristic, before.euler_characteristic) << named.name;
    EXPECT_EQ(after.components, before.components) << named.name;
    EXPECT_EQ(after.boundary_loops, before.boundary_loops) << named.name;
    EXPECT_EQ(after.non_manifold_edges, before.non_manifold_edges) << named.name;
    EXPECT_EQ(DynamicMesh(test_device(), result.mesh).validate(), std::nullopt) << named.name;
    if (before.degenerate_faces == 0) {
      EXPECT_EQ(after.degenerate_faces, 0U) << named.name;
    }
  }
}

TEST(IsotropicRemesh, MakesTrianglesOfOneSize) {
  const TriangleSoup sphere = generated(Shape::icosphere, 5000);
  const double mean = analyze(test_device(), sphere).mean_edge_length;
  for (const double scale : {0.5, 1.0, 2.0}) {
    IsotropicRemeshOptions options;
    options.length = scale * mean;
    options.iterations = 6;
    const IsotropicRemeshResult result = isotropic_remesh(test_device(), sphere, options);
    const MeshInfo info = analyze(test_device(), result.mesh);
    EXPECT_NEAR(info.mean_edge_length, options.length, 0.15 * options.length) << scale;
    EXPECT_LT(info.max_edge_length, 1.6 * options.length) << scale;
    EXPECT_GT(info.mean_quality, 0.93) << scale;
    EXPECT_GT(info.min_angle, 15) << scale;
    EXPECT_EQ(info.euler_characteristic, 2) << scale;
    const Comparison distance = compare(test_device(), sphere, result.mesh);
    EXPECT_LT(distance.max, 0.1 * options.length) << scale;
  }
}

TEST(IsotropicRemesh, KeepsCreasesAndCorners) {
  SubdivideOptions four;
  four.levels = 4;
  const TriangleSoup box = subdivide(test_device(), unit_cube(), four);
  IsotropicRemeshOptions options;
  options.length = 0.11;
  const IsotropicRemeshResult result = isotropic_remesh(test_device(), box, options);
  const MeshInfo info = analyze(test_device(), result.mesh);
  EXPECT_NEAR(info.area, 6, 1e-9);
  EXPECT_NEAR(info.volume.value_or(0), 1, 1e-9);
  EXPECT_GT(info.mean_quality, 0.85);
}

TEST(IsotropicRemesh, KeepsThePrecisionAndCornersOfASheet) {
  TriangleSoup sheet = flat_grid(10, 1);
  sheet.precision = Precision::float32;
  IsotropicRemeshOptions options;
  options.length = 0.7;
  const IsotropicRemeshResult result = isotropic_remesh(test_device(), sheet, options);
  EXPECT_EQ(result.mesh.precision, Precision::float32);
  EXPECT_NEAR(analyze(test_device(), result.mesh).area, 100, 1e-9);
}

TEST(IsotropicRemesh, TheNumberOfThreadsChangesNothing) {
  const TriangleSoup torus = generated(Shape::torus, 4000);
  const IsotropicRemeshResult one = isotropic_remesh(exec::Device::cpu(1), torus);
  const IsotropicRemeshResult three = isotropic_remesh(exec::Device::cpu(3), torus);
  EXPECT_TRUE(one.mesh.triangles == three.mesh.triangles);
  EXPECT_TRUE(one.mesh.positions == three.mesh.positions);
}

/// Fractions that grow from 0 to 1.
class ProgressRecord {
 public:
  ProgressCallback callback() {
    return [this](std::string_view stage, double fraction) {
      stages_.insert(std::string(stage));
      is_growing_ = is_growing_ && fraction >= last_ && fraction <= 1;
      last_ = fraction;
      ++calls_;
      return Continue::yes;
    };
  }
  void check(const char* stage) const {
    EXPECT_EQ(stages_, std::set<std::string>{stage});
    EXPECT_TRUE(is_growing_);
    EXPECT_GT(calls_, 3);
    EXPECT_GT(last_, 0.5);
  }

 private:
  std::set<std::string> stages_;
  bool is_growing_ = true;
  double last_ = 0;
  int calls_ = 0;
};

TEST(IsotropicRemesh, ReportsProgress) {
  ProgressRecord record;
  IsotropicRemeshOptions options;
  options.progress = record.callback();
  isotropic_remesh(test_device(), generated(Shape::torus, 4000), options);
  record.check("remeshing");
}

TEST(Simplify, ReportsProgress) {
  ProgressRecord record;
  SimplifyOptions options;
  options.faces = 100;
  options.progress = record.callback();
  simplify(test_device(), generated(Shape::torus, 4000), options);
  record.check("simplifying");
}

TEST(IsotropicRemesh, FidelityKeepsTheDistanceSmall) {
  const TriangleSoup torus = subdivide(test_device(), generated(Shape::torus, 2000));
  const auto distance_with = [&](double fidelity) {
    IsotropicRemeshOptions options;
    options.ridge_angle = 180;
    options.fidelity = fidelity;
    return compare(test_device(), torus, isotropic_remesh(test_device(), torus, options).mesh).mean;
  };
  EXPECT_LT(distance_with(1500), 0.8 * distance_with(0));
}

TEST(IsotropicRemesh, RefusesWrongOptions) {
  const TriangleSoup mesh = tetrahedron();
  IsotropicRemeshOptions options;
  options.length = -1;
  EXPECT_THROW(isotropic_remesh(test_device(), mesh, options), InputError);
  options.length = 1;
  options.ridge_angle = 200;
  EXPECT_THROW(isotropic_remesh(test_device(), mesh, options), InputError);
  options.ridge_angle = 60;
  options.fidelity = -1;
  EXPECT_THROW(isotropic_remesh(test_device(), mesh, options), InputError);
  EXPECT_TRUE(isotropic_remesh(test_device(), TriangleSoup{}).mesh.triangles.empty());
}

TEST(Simplify, KeepsTheTopologyOfEveryMesh) {
  for (const NamedMesh& named : surface_meshes()) {
    const TriangleSoup start = DynamicMesh(test_device(), named.mesh).to_soup();
    const MeshInfo before = analyze(test_device(), start);
    SimplifyOptions options;
    options.faces = start.triangles.size() / 3;
    const SimplifyResult result = simplify(test_device(), named.mesh, options);
    const MeshInfo after = analyze(test_device(), result.mesh);
    EXPECT_GE(after.faces + 1, options.faces) << named.name;
    EXPECT_EQ(after.euler_characteristic, before.euler_characteristic) << named.name;
    EXPECT_EQ(after.components, before.components) << named.name;
    EXPECT_EQ(after.boundary_loops, before.boundary_loops) << named.name;
    EXPECT_EQ(after.non_manifold_edges, before.non_manifold_edges) << named.name;
    EXPECT_EQ(DynamicMesh(test_device(), result.mesh).validate(), std::nullopt) << named.name;
  }
}

TEST(Simplify, RefusesWhatIsNoMesh) {
  EXPECT_TRUE(simplify(test_device(), TriangleSoup{}, {}).mesh.triangles.empty());
  TriangleSoup wrong = tetrahedron();
  wrong.triangles[2][1] = 99;
  EXPECT_THROW(simplify(test_device(), wrong, {}), InputError);
  EXPECT_THROW(isotropic_remesh(test_device(), wrong), InputError);
}

TEST(Simplify, ReachesTheNumberOfFacesNearTheSurface) {
  const TriangleSoup torus = generated(Shape::torus, 20000);
  SimplifyOptions options;
  options.faces = 2000;
  const SimplifyResult result = simplify(test_device(), torus, options);
  EXPECT_LE(result.mesh.triangles.size(), 2001U);
  EXPECT_GE(result.mesh.triangles.size(), 1999U);
  const Comparison distance = compare(test_device(), torus, result.mesh);
  EXPECT_LT(distance.mean, 1e-3 * distance.diagonal);
  EXPECT_LT(distance.max, 5e-3 * distance.diagonal);
}

TEST(Simplify, FlatPartsCostNothing) {
  SimplifyOptions options;
  options.faces = 30;
  const SimplifyResult result = simplify(test_device(), flat_grid(30, 2), options);
  EXPECT_LE(result.mesh.triangles.size(), 31U);
  EXPECT_NEAR(analyze(test_device(), result.mesh).area, 900, 1e-2);
}

TEST(Simplify, FarFromTheOriginNothingLeavesItsPlane) {
  TriangleSoup plane = flat_grid(30, 2);
  const Vec3d far{4e5, 5e6, 3e2};
  const Vec3d normal = Vec3d{-0.5, -0.25, 1} * (1 / std::sqrt(0.25 + 0.0625 + 1));
  for (Vec3d& p : plane.positions) p = far + Vec3d{p[0], p[1], 0.5 * p[0] + 0.25 * p[1]};
  SimplifyOptions options;
  options.faces = 60;
  const SimplifyResult result = simplify(test_device(), plane, options);
  EXPECT_LE(result.mesh.triangles.size(), 61U);
  for (const Vec3d& p : result.mesh.positions) EXPECT_NEAR(dot(p - far, normal), 0, 1e-6);
}

TEST(Simplify, TheNumberOfThreadsChangesNothing) {
  const TriangleSoup torus = generated(Shape::torus, 4000);
  SimplifyOptions options;
  options.faces = 500;
  const SimplifyResult one = simplify(exec::Device::cpu(1), torus, options);
  const SimplifyResult three = simplify(exec::Device::cpu(3), torus, options);
  EXPECT_TRUE(one.mesh.triangles == three.mesh.triangles);
  EXPECT_TRUE(one.mesh.positions == three.mesh.positions);
}

}  // namespace
}  // namespace tessera::surface
