// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/cluster.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "tessera/exec/device.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

TEST(Cluster, KeepsTheShapeOfASphere) {
  const TriangleSoup sphere = generated(Shape::icosphere, 200000);
  for (const std::uint64_t most : {50000, 5000, 500}) {
    const TriangleSoup coarse = cluster_vertices(test_device(), sphere, most);
    EXPECT_EQ(coarse.validate(), std::nullopt);
    EXPECT_LE(coarse.triangles.size(), most);
    EXPECT_GE(coarse.triangles.size(), most / 2);
    // A cube's side is about the root of three areas a face.
    const double cube = std::sqrt(3 * 12.57 / static_cast<double>(most));
    for (const Vec3d& p : coarse.positions) EXPECT_NEAR(length(p), 1, cube);
    for (const Triangle& t : coarse.triangles)
      EXPECT_TRUE(t[0] != t[1] && t[1] != t[2] && t[2] != t[0]);
  }
}

TEST(Cluster, KeepsAttributes) {
  TriangleSoup mesh = generated(Shape::plane, 2000);
  Array<float> x(mesh.positions.size());
  for (std::size_t v = 0; v < x.size(); ++v) x[v] = static_cast<float>(mesh.positions[v][0]);
  mesh.vertex_attributes.push_back({"x", 1, x});
  Array<std::uint32_t> number(mesh.triangles.size());
  for (std::uint32_t f = 0; f < number.size(); ++f) number[f] = f;
  mesh.face_attributes.push_back({"number", 1, number});
  const TriangleSoup coarse = cluster_vertices(test_device(), mesh, 200);
  const auto& found = std::get<Array<float>>(find(coarse.vertex_attributes, "x")->values);
  ASSERT_EQ(found.size(), coarse.positions.size());
  for (std::size_t v = 0; v < found.size(); ++v) EXPECT_NEAR(found[v], coarse.positions[v][0], 0.2);
  const auto& faces =
      std::get<Array<std::uint32_t>>(find(coarse.face_attributes, "number")->values);
  ASSERT_EQ(faces.size(), coarse.triangles.size());
  EXPECT_TRUE(std::is_sorted(faces.begin(), faces.end()));
  EXPECT_LT(faces.back(), mesh.triangles.size());
}

TEST(Cluster, LargeFacesDoNotDecideTheSizeOfCubes) {
  // A sphere on a ground of two faces, ten thousand times as wide.
  TriangleSoup mesh = generated(Shape::icosphere, 20480);
  const auto first = static_cast<Index>(mesh.positions.size());
  const auto sphere_faces = mesh.triangles.size();
  for (const Vec3d& p : {Vec3d{-1e4, -1e4, -1}, {1e4, -1e4, -1}, {1e4, 1e4, -1}, {-1e4, 1e4, -1}})
    mesh.positions.push_back(p);
  mesh.triangles.push_back({first, first + 1, first + 2});
  mesh.triangles.push_back({first, first + 2, first + 3});
  for (const std::uint64_t most : {5000, 500, 50}) {
    const TriangleSoup coarse = cluster_vertices(test_device(), mesh, most);
    EXPECT_LE(coarse.triangles.size(), most);
    EXPECT_GE(coarse.triangles.size(), most / 2);
  }
  // All faces, where they may stay.
  EXPECT_EQ(cluster_vertices(test_device(), mesh, sphere_faces + 2).triangles.size(),
            sphere_faces + 2);
}

TEST(Cluster, VerticesWithoutFacesDoNotCount) {
  const TriangleSoup sphere = generated(Shape::icosphere, 5000);
  TriangleSoup strays = sphere;
  for (int i = 0; i < 100; ++i) {
    strays.positions.push_back({100.0 + i, -70, 3});
    strays.positions.push_back({0.5, 0.5, 0.5});
  }
  const TriangleSoup expected = cluster_vertices(test_device(), sphere, 500);
  const TriangleSoup found = cluster_vertices(test_device(), strays, 500);
  EXPECT_EQ(found.positions, expected.positions);
  EXPECT_EQ(found.triangles, expected.triangles);
}

TEST(Cluster, AnyMesh) {
  for (const NamedMesh& named : surface_meshes()) {
    SCOPED_TRACE(named.name);
    for (const std::uint64_t most : {1, 10, 100000}) {
      const TriangleSoup coarse = cluster_vertices(test_device(), named.mesh, most);
      EXPECT_EQ(coarse.validate(), std::nullopt);
      EXPECT_LE(coarse.triangles.size(), most);
    }
  }
}

TEST(Cluster, SameOnAnyNumberOfThreads) {
  const TriangleSoup mesh = generated(Shape::noisy_sphere, 50000);
  const TriangleSoup one = cluster_vertices(exec::Device::cpu(1), mesh, 3000);
  const TriangleSoup two = cluster_vertices(exec::Device::cpu(2), mesh, 3000);
  EXPECT_EQ(one.positions, two.positions);
  EXPECT_EQ(one.triangles, two.triangles);
}

TEST(Cluster, BadInput) {
  EXPECT_THROW(cluster_vertices(test_device(), tetrahedron(), 0), InputError);
}

}  // namespace
}  // namespace tessera::surface
