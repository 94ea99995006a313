// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "tessera/core/error.h"
#include "tessera/volume/boundary.h"
#include "tessera/volume/build.h"
#include "tessera/volume/smooth.h"
#include "test_device.h"
#include "volume_meshes.h"

namespace tessera::volume {
namespace {

Complex built(const PolyhedralSoup& soup) {
  return build_complex(test_device(), soup).complex;
}

/// Which sides of a face have a cell, counted over cells.
TEST(VolumeBoundary, AgreesWithTwin) {
  for (const auto& [name, soup] : volume_meshes()) {
    SCOPED_TRACE(name);
    const Complex complex = built(soup);
    const Array<SignedIndex> cell_faces =
        exec::download(complex.stream(), complex.cell_faces().entries);
    std::vector<SignedIndex> expected;
    for (Index f = 0; f < complex.faces(); ++f) {
      int behind = 0;
      int before = 0;
      for (const SignedIndex entry : cell_faces)
        if (entry.index() == f) ++(entry.is_reversed() ? before : behind);
      if (before == 0) expected.emplace_back(f, false);
      if (behind == 0) expected.emplace_back(f, true);
    }
    const Array<SignedIndex> found = boundary_faces(complex);
    EXPECT_EQ(std::vector<SignedIndex>(found.begin(), found.end()), expected);
    const BoundaryFlags flags = boundary_flags(complex);
    const auto faces = exec::download(complex.stream(), flags.faces);
    std::set<Index> on_boundary;
    for (const SignedIndex f : expected) on_boundary.insert(f.index());
    for (Index f = 0; f < complex.faces(); ++f) EXPECT_EQ(faces[f], on_boundary.count(f)) << f;
    // Edges and vertices of these faces, and no others.
    const auto offsets = exec::download(complex.stream(), complex.face_edges().offsets);
    const auto entries = exec::download(complex.stream(), complex.face_edges().entries);
    const auto ends = exec::download(complex.stream(), complex.edge_vertices());
    std::set<Index> edges_expected;
    std::set<Index> vertices_expected;
    for (const Index f : on_boundary)
      for (Index i = offsets[f]; i < offsets[f + 1]; ++i) {
        edges_expected.insert(entries[i].index());
        for (int k = 0; k < 2; ++k) vertices_expected.insert(ends[entries[i].index()][k]);
      }
    const auto edges = exec::download(complex.stream(), flags.edges);
    const auto vertices = exec::download(complex.stream(), flags.vertices);
    for (Index e = 0; e < complex.edges(); ++e) EXPECT_EQ(edges[e], edges_expected.count(e)) << e;
    for (Index v = 0; v < complex.vertices(); ++v)
      EXPECT_EQ(vertices[v], vertices_expected.count(v)) << v;
  }
}

double six_volumes(const TriangleSoup& mesh) {
  double sum = 0;
  for (const Triangle& t : mesh.triangles)
    sum += dot(mesh.positions[t[0]], cross(mesh.positions[t[1]], mesh.positions[t[2]]));
  return sum;
}

TEST(VolumeBoundary, SurfaceOfABlock) {
  for (const auto& soup : {hexahedron_block(2, 3, 4), tetrahedron_block(3)}) {
    const Complex complex = built(soup);
    const BoundarySurface surface = boundary_surface(complex);
    EXPECT_EQ(surface.mesh.validate(), std::nullopt);
    const double volume = soup.cell_types[0] == CellType::hexahedron ? 24 : 27;
    EXPECT_NEAR(six_volumes(surface.mesh), 6 * volume, 1e-11);
    std::map<std::pair<Index, Index>, int> uses;  // closed and oriented
    for (const Triangle& t : surface.mesh.triangles)
      for (int k = 0; k < 3; ++k) ++uses[{t[k], t[(k + 1) % 3]}];
    for (const auto& [ends, count] : uses) {
      EXPECT_EQ(count, 1);
      EXPECT_EQ((uses[{ends.second, ends.first}]), 1);
    }
    ASSERT_EQ(surface.vertices.size(), surface.mesh.positions.size());
    for (std::size_t v = 0; v < surface.vertices.size(); ++v)
      EXPECT_EQ(surface.mesh.positions[v], soup.positions[surface.vertices[v]]);
    for (const Index c : surface.cells) EXPECT_LT(c, complex.cells());
  }
}

TEST(VolumeBoundary, FacesWithoutCellsHaveTwoSides) {
  PolyhedralSoup soup;
  soup.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  add_polygon(soup, {0, 1, 2, 3});
  const BoundarySurface surface = boundary_surface(built(soup));
  EXPECT_EQ(surface.mesh.triangles.size(), 4u);
  EXPECT_EQ(surface.cells[0], no_index);
  EXPECT_EQ(six_volumes(surface.mesh), 0);
}

TEST(VolumeBoundary, CellsLendFacesTheirAttributes) {
  PolyhedralSoup soup = two_tetrahedra(3);
  soup.positions.push_back({9, 9, 9});
  add_polygon(soup, {0, 1, 5});  // without a cell
  soup.polygon_attributes.push_back({"ref", 1, Array<std::int32_t>{6}});
  soup.cell_attributes.push_back({"ref", 1, Array<std::int32_t>{4, 9}});
  soup.cell_attributes.push_back({"heat", 2, Array<double>{1, 2, 3, 4}});
  const BoundarySurface surface = boundary_surface(built(soup));
  EXPECT_EQ(surface.mesh.validate(), std::nullopt);
  ASSERT_EQ(surface.mesh.face_attributes.size(), 3u);
  EXPECT_EQ(surface.mesh.face_attributes[1].name, "ref of cells");
  EXPECT_EQ(surface.mesh.face_attributes[2].name, "heat");
  const auto& refs = std::get<Array<std::int32_t>>(surface.mesh.face_attributes[1].values);
  const auto& heat = std::get<Array<double>>(surface.mesh.face_attributes[2].values);
  std::size_t without = 0;
  for (std::size_t t = 0; t < surface.cells.size(); ++t) {
    if (surface.cells[t] == no_index) {
      ++without;
      EXPECT_EQ(refs[t], 0);
      EXPECT_TRUE(std::isnan(heat[2 * t]) && std::isnan(heat[2 * t + 1]));
    } else {
      EXPECT_EQ(refs[t], surface.cells[t] == 0 ? 4 : 9);
      EXPECT_EQ(heat[2 * t + 1], surface.cells[t] == 0 ? 2 : 4);
    }
  }
  EXPECT_EQ(without, 2u);
  soup.cell_types.clear();  // no cell at all
  soup.cell_entries.clear();
  soup.cell_offsets = {0};
  soup.cell_attributes = {{"heat", 2, Array<double>{}}};
  EXPECT_EQ(boundary_surface(built(soup)).mesh.validate(), std::nullopt);
}

TEST(VolumeBoundary, SurfaceOfEveryMesh) {
  for (const auto& [name, soup] : volume_meshes()) {
    SCOPED_TRACE(name);
    const Complex complex = built(soup);
    const BoundarySurface surface = boundary_surface(complex);
    EXPECT_EQ(surface.mesh.validate(), std::nullopt);
    EXPECT_EQ(complex.validate(), std::nullopt);
  }
}

TEST(VolumeBoundary, ConcavePolygonsDoNotFold) {
  PolyhedralSoup soup = polygon_prism(5);
  soup.positions[0] = {-0.1, 0, 0};  // a dent, below and above
  soup.positions[5] = {-0.1, 0, 1};
  const BoundarySurface surface = boundary_surface(built(soup));
  for (const Triangle& t : surface.mesh.triangles) {
    const Vec3d a = surface.mesh.positions[t[0]];
    const Vec3d b = surface.mesh.positions[t[1]];
    const Vec3d c = surface.mesh.positions[t[2]];
    if (a[2] != b[2] || b[2] != c[2]) continue;
    EXPECT_GT(cross(b - a, c - a)[2] * (a[2] == 0 ? -1 : 1), 0);
  }
}

TEST(VolumeSmooth, AgreesWithTwin) {
  PolyhedralSoup soup = tetrahedron_block(4);
  const Random random(1);
  for (std::size_t v = 0; v < soup.positions.size(); ++v)
    for (int k = 0; k < 3; ++k)
      soup.positions[v][k] += 0.3 * random.uniform(3 * v + static_cast<std::size_t>(k));
  Complex complex = built(soup);
  const auto edges = exec::download(complex.stream(), complex.edge_vertices());
  const auto on_boundary = exec::download(complex.stream(), boundary_flags(complex).vertices);
  Array<Vec3d> expected = soup.positions;
  for (int i = 0; i < 3; ++i) {
    const Array<Vec3d> before = expected;
    for (Index v = 0; v < complex.vertices(); ++v) {
      if (on_boundary[v] != 0) continue;
      Vec3d sum{};
      double count = 0;
      for (const EdgeVertices& e : edges)
        for (int k = 0; k < 2; ++k)
          if (e[k] == v) {
            sum += before[e[1 - k]];
            ++count;
          }
      expected[v] = before[v] + (sum * (1 / count) - before[v]) * 0.7;
    }
  }
  smooth(complex, {3, 0.7, {}});
  const Array<Vec3d> found = exec::download(complex.stream(), complex.positions());
  for (Index v = 0; v < complex.vertices(); ++v) EXPECT_LT(length(found[v] - expected[v]), 1e-14);
}

TEST(VolumeSmooth, EveryMeshStaysValid) {
  for (const auto& [name, soup] : volume_meshes()) {
    SCOPED_TRACE(name);
    Complex complex = built(soup);
    smooth(complex, {3, 1, {}});
    EXPECT_EQ(complex.validate(), std::nullopt);
  }
}

TEST(VolumeSmooth, SegmentsStayAndPullNothing) {
  PolyhedralSoup soup = hexahedron_block(2, 2, 2);
  soup.positions[13] = {1.2, 0.9, 1.1};
  Complex alone = built(soup);
  const auto first = static_cast<Index>(soup.positions.size());
  soup.positions.insert(soup.positions.end(), {{5, 0, 0}, {6, 0, 0}, {7, 3, 0}});
  soup.segments = {{first, first + 1}, {first + 1, first + 2}, {13, first + 2}};
  Complex complex = built(soup);
  smooth(alone, {2, 1, {}});
  smooth(complex, {2, 1, {}});
  const Array<Vec3d> expected = exec::download(alone.stream(), alone.positions());
  const Array<Vec3d> found = exec::download(complex.stream(), complex.positions());
  for (Index v = 0; v < first; ++v) EXPECT_EQ(found[v], expected[v]);
  for (Index v = first; v < first + 3; ++v) EXPECT_EQ(found[v], soup.positions[v]);
}

TEST(VolumeSmooth, CountsBadCells) {
  PolyhedralSoup soup = hexahedron_block(2, 2, 2);
  soup.positions[13] = {1.9, 1.9, 3.5};  // the middle, pulled out through the top
  Complex complex = built(soup);
  const SmoothResult result = smooth(complex, {10, 1, {}});
  EXPECT_GT(result.bad_cells_before.value(), 0u);
  EXPECT_EQ(result.bad_cells_after.value(), 0u);
  EXPECT_FALSE(smooth(complex, {1, 1, {}, BadCells::ignored}).bad_cells_after);
  EXPECT_EQ(smooth(complex, {0, 1, {}}).bad_cells_after.value(), 0u);
}

TEST(VolumeSmooth, Options) {
  Complex complex = built(tetrahedron_block(2));
  EXPECT_THROW(smooth(complex, {-1, 1, {}}), InputError);
  EXPECT_THROW(smooth(complex, {1, 1.5, {}}), InputError);
  const Array<Vec3d> before = exec::download(complex.stream(), complex.positions());
  EXPECT_THROW(smooth(complex, {5, 1, [](std::string_view, double) { return Continue::no; }}),
               Cancelled);
  EXPECT_EQ(exec::download(complex.stream(), complex.positions()), before);
}

}  // namespace
}  // namespace tessera::volume
