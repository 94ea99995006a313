// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Remeshing of parts as CAD systems write them: few large faces, some of them long and thin, with
// sharp edges between.
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/remesh/adapt.h"
#include "tessera/remesh/metric_field.h"
#include "tessera/surface/analysis.h"
#include "tessera/surface/isotropic_remesh.h"
#include "test_device.h"

namespace tessera {
namespace {

struct Solid {
  const char* name;
  TriangleSoup mesh;
  double size;  ///< that edges are to have
};

TriangleSoup wedge() {
  return make_mesh(
      {{0, 0, 0}, {10, 0, 0}, {10, 4, 0}, {0, 4, 0}, {0, 0, 2}, {0, 4, 2}},
      {{0, 3, 2}, {0, 2, 1}, {0, 1, 4}, {3, 5, 2}, {0, 4, 5}, {0, 5, 3}, {1, 2, 5}, {1, 5, 4}});
}

/// Long sides, and caps that are fans around one of their vertices.
TriangleSoup cylinder(Index sides, double height) {
  std::vector<Vec3d> positions;
  std::vector<Triangle> triangles;
  for (const double z : {0.0, height})
    for (Index i = 0; i < sides; ++i) {
      const double angle = 2 * std::numbers::pi * i / sides;
      positions.push_back({std::cos(angle), std::sin(angle), z});
    }
  for (Index i = 0; i < sides; ++i) {
    const Index next = (i + 1) % sides;
    triangles.push_back({i, next, sides + next});
    triangles.push_back({i, sides + next, sides + i});
    if (i > 0 && next > 0) {
      triangles.push_back({0, next, i});
      triangles.push_back({sides, sides + i, sides + next});
    }
  }
  return make_mesh(positions, triangles);
}

std::vector<Solid> solids() {
  TriangleSoup box = unit_cube();
  for (Vec3d& p : box.positions) p = {10 * p[0], 4 * p[1], 2 * p[2]};
  return {{"tetrahedron", tetrahedron(), 0.1},
          {"cube", unit_cube(), 0.05},
          {"box", std::move(box), 0.15},
          {"wedge", wedge(), 0.5},
          {"cylinder", cylinder(48, 20), 0.2}};
}

/// How many edges turn by more than any of a convex solid without spikes does.
std::size_t folds(const TriangleSoup& mesh) {
  const auto normal = [&](Index f) {
    const Triangle& t = mesh.triangles[f];
    const Vec3d n = cross(mesh.positions[t[1]] - mesh.positions[t[0]],
                          mesh.positions[t[2]] - mesh.positions[t[0]]);
    return n * (1 / length(n));
  };
  std::size_t count = 0;
  for (const auto& [edge, faces] : faces_at_edges(mesh))
    if (faces.size() == 2 && dot(normal(*faces.begin()), normal(*faces.rbegin())) < -0.99) ++count;
  return count;
}

void expect_same_solid(const Solid& solid, const TriangleSoup& mesh, double tolerance) {
  const surface::MeshInfo before = surface::analyze(test_device(), solid.mesh);
  const surface::MeshInfo after = surface::analyze(test_device(), mesh);
  const double volume = before.volume.value();
  ASSERT_TRUE(after.volume.has_value()) << solid.name;
  EXPECT_NEAR(after.volume.value_or(0), volume, tolerance * volume) << solid.name;
  EXPECT_NEAR(after.area, before.area, tolerance * before.area) << solid.name;
  EXPECT_EQ(after.euler_characteristic, 2) << solid.name;
  EXPECT_EQ(folds(mesh), 0U) << solid.name;
  EXPECT_GT(after.min_angle, 5) << solid.name;
  // As many faces as fit, not many times more.
  const double expected = before.area / (std::sqrt(3.0) / 4 * solid.size * solid.size);
  EXPECT_NEAR(static_cast<double>(mesh.triangles.size()), expected, 0.35 * expected) << solid.name;
}

TEST(CoarseSolids, StayWhatTheyAreInIsotropicRemeshing) {
  for (const Solid& solid : solids()) {
    surface::IsotropicRemeshOptions options;
    options.length = solid.size;
    expect_same_solid(solid, surface::isotropic_remesh(test_device(), solid.mesh, options).mesh,
                      0.01);
  }
}

TEST(CoarseSolids, StayWhatTheyAreInAdaptation) {
  for (const Solid& solid : solids())
    expect_same_solid(solid,
                      remesh::adapt(test_device(), solid.mesh,
                                    remesh::uniform_metric(test_device(), solid.mesh, solid.size))
                          .mesh,
                      0.01);
}

TEST(CoarseSolids, TwoTrianglesBecomeManyGoodOnes) {
  const TriangleSoup square =
      make_mesh({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 3}});
  surface::IsotropicRemeshOptions options;
  options.length = 0.02;
  const TriangleSoup mesh = surface::isotropic_remesh(test_device(), square, options).mesh;
  const surface::MeshInfo info = surface::analyze(test_device(), mesh);
  EXPECT_NEAR(info.area, 1, 1e-9);
  EXPECT_LT(mesh.triangles.size(), 9000U);
  EXPECT_GT(info.min_angle, 20);
}

}  // namespace
}  // namespace tessera
