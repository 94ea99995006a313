// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/repair.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "tessera/core/random.h"
#include "tessera/surface/analysis.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

RepairOptions everything() {
  RepairOptions options;
  options.degenerate = options.duplicate = options.split_non_manifold = true;
  options.orient = options.fill_holes = options.unreferenced = true;
  return options;
}

RepairOptions only(bool RepairOptions::*step) {
  RepairOptions options;
  options.*step = true;
  return options;
}

MeshInfo info_of(const TriangleSoup& mesh) {
  return analyze(test_device(), mesh);
}

/// Every face keeps its number of the original in an attribute, every vertex too.
void number_elements(TriangleSoup& mesh) {
  Array<std::uint32_t> vertices(mesh.positions.size());
  for (std::size_t v = 0; v < vertices.size(); ++v) vertices[v] = static_cast<std::uint32_t>(v);
  Array<std::int32_t> faces(mesh.triangles.size());
  for (std::size_t f = 0; f < faces.size(); ++f) faces[f] = static_cast<std::int32_t>(f + 1);
  mesh.vertex_attributes.push_back({"number", 1, vertices});
  mesh.face_attributes.push_back({"number", 1, faces});
}

/// A fan of faces around a point below, open at the top: a hole with the given rim.
TriangleSoup bowl(const std::vector<Vec3d>& rim) {
  TriangleSoup mesh;
  mesh.positions.assign(rim.begin(), rim.end());
  mesh.positions.push_back({0, 0, -5});
  const auto n = static_cast<Index>(rim.size());
  for (Index i = 0; i < n; ++i) mesh.triangles.push_back({(i + 1) % n, i, n});
  return mesh;
}

TEST(Repair, NothingAskedNothingDone) {
  for (const NamedMesh& named : surface_meshes()) {
    TriangleSoup mesh = named.mesh;
    const RepairResult result = repair(test_device(), mesh, {});
    EXPECT_EQ(mesh.positions, named.mesh.positions);
    EXPECT_EQ(mesh.triangles, named.mesh.triangles);
    EXPECT_EQ(result.faces_flipped + result.holes_skipped + result.vertices_added, 0u);
  }
}

TEST(Repair, EverythingLeavesNothingToMend) {
  for (const NamedMesh& named : surface_meshes()) {
    SCOPED_TRACE(named.name);
    TriangleSoup mesh = named.mesh;
    number_elements(mesh);
    const MeshInfo before = info_of(mesh);
    const RepairResult result = repair(test_device(), mesh, everything());
    ASSERT_EQ(mesh.validate(), std::nullopt);
    const MeshInfo after = info_of(mesh);
    EXPECT_EQ(result.degenerate_removed, before.degenerate_faces);
    EXPECT_EQ(after.duplicate_faces, 0u);
    EXPECT_EQ(after.unreferenced_vertices, 0u);
    EXPECT_TRUE(after.manifold);
    EXPECT_EQ(after.boundary_loops, result.holes_skipped);
    EXPECT_EQ(after.faces, before.faces - result.degenerate_removed - result.duplicates_removed +
                               result.faces_added);
    EXPECT_EQ(after.vertices,
              before.vertices + result.vertices_added - result.unreferenced_removed);
    EXPECT_EQ(after.orientable, result.non_orientable_components == 0);
    if (after.orientable) {
      EXPECT_TRUE(after.consistently_oriented);
    }
    // Attributes went along: the corners of old faces are, up to orientation, where they were.
    const auto& old_vertex = std::get<Array<std::uint32_t>>(mesh.vertex_attributes[0].values);
    const auto& old_face = std::get<Array<std::int32_t>>(mesh.face_attributes[0].values);
    for (std::size_t v = 0; v < mesh.positions.size(); ++v)
      EXPECT_EQ(mesh.positions[v], named.mesh.positions[old_vertex[v]]);
    for (std::size_t f = 0; f < mesh.triangles.size(); ++f) {
      if (f + result.faces_added >= mesh.triangles.size()) {
        EXPECT_EQ(old_face[f], 0);
        continue;
      }
      const Triangle& t = mesh.triangles[f];
      const Triangle now{old_vertex[t[0]], old_vertex[t[1]], old_vertex[t[2]]};
      const Triangle& then = named.mesh.triangles[static_cast<std::size_t>(old_face[f] - 1)];
      EXPECT_TRUE(now == then || now == (Triangle{then[0], then[2], then[1]}));
    }
  }
}

TEST(Repair, RemovesDegenerateAndDuplicateFacesOnly) {
  for (const NamedMesh& named : surface_meshes()) {
    SCOPED_TRACE(named.name);
    const MeshInfo before = info_of(named.mesh);
    TriangleSoup mesh = named.mesh;
    EXPECT_EQ(repair(test_device(), mesh, only(&RepairOptions::degenerate)).degenerate_removed,
              before.degenerate_faces);
    EXPECT_EQ(info_of(mesh).degenerate_faces, 0u);
    EXPECT_EQ(mesh.positions, named.mesh.positions);
    mesh = named.mesh;
    EXPECT_EQ(repair(test_device(), mesh, only(&RepairOptions::duplicate)).duplicates_removed,
              before.duplicate_faces);
    EXPECT_EQ(info_of(mesh).duplicate_faces, 0u);
    mesh = named.mesh;
    EXPECT_EQ(repair(test_device(), mesh, only(&RepairOptions::unreferenced)).unreferenced_removed,
              before.unreferenced_vertices);
    EXPECT_EQ(info_of(mesh).unreferenced_vertices, 0u);
    EXPECT_EQ(info_of(mesh).edges, before.edges);
  }
}

TEST(Repair, SplittingAloneMakesManifold) {
  for (const NamedMesh& named : surface_meshes()) {
    SCOPED_TRACE(named.name);
    TriangleSoup mesh = named.mesh;
    const MeshInfo before = info_of(mesh);
    const RepairResult result =
        repair(test_device(), mesh, only(&RepairOptions::split_non_manifold));
    const MeshInfo after = info_of(mesh);
    EXPECT_TRUE(after.manifold);
    EXPECT_EQ(after.vertices, before.vertices + result.vertices_added);
    EXPECT_EQ(result.vertices_added == 0, before.manifold);
    EXPECT_NEAR(after.area, before.area, 1e-12 * before.area);
  }
  TriangleSoup pages = book(3);
  EXPECT_EQ(repair(test_device(), pages, only(&RepairOptions::split_non_manifold)).vertices_added,
            4u);
}

TEST(Repair, OrientsComponentsOutwards) {
  // The first is large enough for a reduction of its own.
  TriangleSoup mesh = generated(Shape::icosphere, 50000);
  append(mesh, generated(Shape::torus, 500));
  append(mesh, tetrahedron());
  const TriangleSoup original = mesh;
  const Random random(3);
  std::uint64_t flipped = 0;
  for (std::size_t f = 0; f < mesh.triangles.size(); ++f)
    if (random.bits(f) % 3 == 0) {
      std::swap(mesh.triangles[f][1], mesh.triangles[f][2]);
      ++flipped;
    }
  const RepairResult result = repair(test_device(), mesh, only(&RepairOptions::orient));
  EXPECT_EQ(result.faces_flipped, flipped);
  EXPECT_EQ(result.non_orientable_components, 0u);
  EXPECT_EQ(mesh.triangles, original.triangles);

  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  EXPECT_EQ(repair(test_device(), mesh, only(&RepairOptions::orient)).faces_flipped,
            mesh.triangles.size());
  EXPECT_EQ(mesh.triangles, original.triangles);
}

TEST(Repair, HollowSolidsKeepTheirInnerWalls) {
  TriangleSoup mesh = generated(Shape::icosphere, 500);
  TriangleSoup inner = mesh;
  for (Vec3d& p : inner.positions) p *= 0.5;
  for (Triangle& t : inner.triangles) std::swap(t[1], t[2]);
  append(mesh, inner);
  const TriangleSoup original = mesh;
  EXPECT_EQ(repair(test_device(), mesh, only(&RepairOptions::orient)).faces_flipped, 0u);
  EXPECT_EQ(mesh.triangles, original.triangles);
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  repair(test_device(), mesh, only(&RepairOptions::orient));
  EXPECT_EQ(mesh.triangles, original.triangles);
}

TEST(Repair, OpenComponentsKeepTheirFirstFace) {
  TriangleSoup mesh = generated(Shape::plane, 200);
  const TriangleSoup original = mesh;
  for (std::size_t f = 1; f < mesh.triangles.size(); f += 2)
    std::swap(mesh.triangles[f][1], mesh.triangles[f][2]);
  repair(test_device(), mesh, only(&RepairOptions::orient));
  EXPECT_EQ(mesh.triangles, original.triangles);
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  EXPECT_EQ(repair(test_device(), mesh, only(&RepairOptions::orient)).faces_flipped, 0u);
}

TEST(Repair, CountsNonOrientableComponents) {
  TriangleSoup mesh = klein_bottle();
  append(mesh, tetrahedron());
  append(mesh, moebius_strip());
  const TriangleSoup original = mesh;
  const RepairResult result = repair(test_device(), mesh, only(&RepairOptions::orient));
  EXPECT_EQ(result.non_orientable_components, 2u);
  EXPECT_EQ(mesh.triangles, original.triangles);
}

/// The smallest area of all triangulations of part of a rim.
double smallest_area(const std::vector<Vec3d>& rim, std::size_t i, std::size_t k) {
  if (k - i < 2) return 0;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t j = i + 1; j < k; ++j)
    best = std::min(best, smallest_area(rim, i, j) + smallest_area(rim, j, k) +
                              0.5 * length(cross(rim[j] - rim[i], rim[k] - rim[i])));
  return best;
}

TEST(Repair, FillsHolesWithSmallestArea) {
  const Random random(11);
  for (std::size_t n = 3; n <= 9; ++n) {
    std::vector<Vec3d> rim;
    for (std::size_t i = 0; i < n; ++i) {
      const double angle = 6.28 * static_cast<double>(i) / static_cast<double>(n);
      rim.push_back({std::cos(angle), std::sin(angle), random.uniform(100 * n + i)});
    }
    TriangleSoup mesh = bowl(rim);
    const double before = info_of(mesh).area;
    const RepairResult result = repair(test_device(), mesh, only(&RepairOptions::fill_holes));
    EXPECT_EQ(result.holes_filled, 1u);
    EXPECT_EQ(result.faces_added, n - 2);
    const MeshInfo after = info_of(mesh);
    EXPECT_TRUE(after.closed && after.manifold && after.consistently_oriented);
    EXPECT_NEAR(after.area - before, smallest_area(rim, 0, n - 1), 1e-9);
  }
}

TEST(Repair, FillsLargeHolesAndRespectsTheLimit) {
  TriangleSoup mesh = generated(Shape::icosphere, 20 * 100 * 100);
  Array<Triangle> kept;
  for (const Triangle& t : mesh.triangles)
    if (std::max({mesh.positions[t[0]][2], mesh.positions[t[1]][2], mesh.positions[t[2]][2]}) < 0.3)
      kept.push_back(t);
  mesh.triangles = kept;
  const MeshInfo open = info_of(mesh);
  ASSERT_EQ(open.boundary_loops, 1u);
  ASSERT_GT(open.boundary_edges, 400u);

  RepairOptions options = only(&RepairOptions::fill_holes);
  options.max_hole_edges = open.boundary_edges - 1;
  TriangleSoup limited = mesh;
  EXPECT_EQ(repair(test_device(), limited, options).holes_skipped, 1u);
  EXPECT_EQ(limited.triangles, mesh.triangles);

  options.max_hole_edges = open.boundary_edges;
  const RepairResult result = repair(test_device(), mesh, options);
  EXPECT_EQ(result.faces_added, open.boundary_edges - 2);
  const MeshInfo after = info_of(mesh);
  EXPECT_TRUE(after.closed && after.manifold && after.consistently_oriented);
  EXPECT_EQ(after.genus, 0);
  EXPECT_EQ(after.duplicate_faces, 0u);
  // The lid is nearly the disc of radius sqrt(1 - 0.3^2).
  EXPECT_NEAR(after.area - open.area, 3.14159 * 0.91, 0.1);
}

TEST(Repair, NeverGivesAnEdgeAThirdFace) {
  // Both diagonals of the square exist already.
  TriangleSoup mesh = bowl({{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}});
  mesh.positions.push_back({0, 0, 3});
  mesh.positions.push_back({0, 0, 4});
  mesh.triangles.push_back({0, 2, 5});
  mesh.triangles.push_back({1, 3, 6});
  const TriangleSoup original = mesh;
  const RepairResult result = repair(test_device(), mesh, only(&RepairOptions::fill_holes));
  EXPECT_EQ(result.holes_filled, 0u);
  EXPECT_EQ(result.holes_skipped, 3u);  // the two triangles would only be doubled
  EXPECT_EQ(mesh.triangles, original.triangles);

  // With one diagonal free it is taken.
  mesh.triangles.pop_back();
  EXPECT_EQ(repair(test_device(), mesh, only(&RepairOptions::fill_holes)).faces_added, 2u);
  const auto uses = [&](Index a, Index b) {
    return std::count_if(mesh.triangles.begin(), mesh.triangles.end(), [&](const Triangle& t) {
      const auto has = [&](Index v) { return t[0] == v || t[1] == v || t[2] == v; };
      return has(a) && has(b);
    });
  };
  EXPECT_EQ(uses(0, 2), 1);
  EXPECT_EQ(uses(1, 3), 2);
}

TEST(Repair, StraightRimGetsNoFlatFaces) {
  std::vector<Vec3d> rim;
  for (int i = 0; i < 8; ++i) rim.push_back({0.125 * i, 0, 0});
  for (int i = 0; i < 8; ++i) rim.push_back({1, 0.125 * i, 0});
  rim.push_back({1, 1, 0});
  TriangleSoup mesh = bowl(rim);
  repair(test_device(), mesh, only(&RepairOptions::fill_holes));
  EXPECT_EQ(info_of(mesh).degenerate_faces, 0u);
}

TEST(Repair, MoebiusRimIsSkipped) {
  TriangleSoup mesh = moebius_strip();
  const RepairResult result = repair(test_device(), mesh, only(&RepairOptions::fill_holes));
  EXPECT_EQ(result.holes_skipped, 1u);
  EXPECT_EQ(result.faces_added, 0u);
}

TEST(Repair, CancelLeavesTheMeshUntouched) {
  const TriangleSoup original = dense_soup(5, 20, 100);
  for (int calls = 0; calls < 3; ++calls) {
    TriangleSoup mesh = original;
    RepairOptions options = everything();
    int seen = 0;
    options.progress = [&](std::string_view, double) {
      return seen++ < calls ? Continue::yes : Continue::no;
    };
    EXPECT_THROW(repair(test_device(), mesh, options), Cancelled);
    EXPECT_EQ(mesh.positions, original.positions);
    EXPECT_EQ(mesh.triangles, original.triangles);
  }
}

TEST(Repair, ThreadsDoNotMatter) {
  const TriangleSoup original = generated(Shape::soup, 40000);
  TriangleSoup one = original;
  repair(exec::Device::cpu(1), one, everything());
  for (const int threads : {2, 7}) {
    TriangleSoup many = original;
    repair(exec::Device::cpu(threads), many, everything());
    EXPECT_EQ(many.positions, one.positions);
    EXPECT_EQ(many.triangles, one.triangles);
  }
}

TEST(Repair, RejectsInvalidMesh) {
  TriangleSoup mesh = tetrahedron();
  mesh.triangles[0][0] = 9;
  EXPECT_THROW(repair(test_device(), mesh, {}), InputError);
}

}  // namespace
}  // namespace tessera::surface
