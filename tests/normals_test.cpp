// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/normals.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

double weight_of(const Vec3d& a, const Vec3d& b, double doubled_area, NormalWeight weight) {
  if (weight == NormalWeight::area) return doubled_area;
  if (weight == NormalWeight::angle) return std::atan2(doubled_area, dot(a, b));
  return doubled_area / (squared_length(a) * squared_length(b));
}

/// The same in double, face after face.
std::vector<Vec3d> twin(const TriangleSoup& soup, NormalWeight weight) {
  std::vector<Vec3d> sums(soup.positions.size(), Vec3d{});
  for (const Triangle& t : soup.triangles) {
    const Vec3d p[3] = {soup.positions[t[0]], soup.positions[t[1]], soup.positions[t[2]]};
    const Vec3d normal = cross(p[1] - p[0], p[2] - p[0]);
    const double area = length(normal);
    if (area == 0) continue;
    for (int k = 0; k < 3; ++k) {
      const double w = weight_of(p[(k + 1) % 3] - p[k], p[(k + 2) % 3] - p[k], area, weight);
      sums[t[k]] += normal * (w / area);
    }
  }
  for (Vec3d& sum : sums)
    if (length(sum) > 0) sum *= 1 / length(sum);
  return sums;
}

constexpr NormalWeight all_weights[] = {NormalWeight::area, NormalWeight::angle, NormalWeight::max};

TEST(Normals, AgreeWithTwin) {
  for (const Shape shape : {Shape::noisy_sphere, Shape::torus, Shape::plane, Shape::cylinder}) {
    TriangleSoup soup = generated(shape, 3000);
    soup.positions.push_back({9, 9, 9});  // of no face
    const PatchedMesh mesh(test_device(), soup);
    const auto positions = positions_of(mesh, soup);
    for (const NormalWeight weight : all_weights) {
      const auto found = attribute_to_host(mesh, vertex_normals(mesh, positions, weight));
      const std::vector<Vec3d> expected = twin(soup, weight);
      for (Index v = 0; v < found.size(); ++v)
        ASSERT_LT(length(cast<double>(found[v]) - expected[v]), 1e-3) << "vertex " << v;
    }
  }
}

TEST(Normals, ExactOnSpheresWithMaxWeights) {
  // A sphere of uneven triangles: the icosphere, stretched along its own surface.
  TriangleSoup soup = generated(Shape::icosphere, 2000);
  for (Vec3d& p : soup.positions) {
    p[2] *= 3;
    p *= 1 / length(p);
  }
  const PatchedMesh mesh(test_device(), soup);
  const auto found =
      attribute_to_host(mesh, vertex_normals(mesh, positions_of(mesh, soup), NormalWeight::max));
  for (Index v = 0; v < found.size(); ++v)
    EXPECT_GT(dot(cast<double>(found[v]), soup.positions[v]), 1 - 1e-5);
}

TEST(Normals, DegenerateFacesCountForNothing) {
  for (const NamedMesh& named : surface_meshes()) {
    if (named.mesh.triangles.empty()) continue;
    SCOPED_TRACE(named.name);
    const PatchedMesh mesh(test_device(), named.mesh);
    for (const NormalWeight weight : all_weights)
      for (const Vec3f& n :
           attribute_to_host(mesh, vertex_normals(mesh, positions_of(mesh, named.mesh), weight)))
        EXPECT_TRUE(length(n) == 0 || std::abs(length(n) - 1) < 1e-5);
  }
}

}  // namespace
}  // namespace tessera::surface
