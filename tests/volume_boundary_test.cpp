// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
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
