// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tessera/core/error.h"
#include "tessera/volume/boundary.h"
#include "tessera/volume/build.h"
#include "tessera/volume/subdivide.h"
#include "test_device.h"
#include "volume_meshes.h"

namespace tessera::volume {
namespace {

Complex built(const PolyhedralSoup& soup, const exec::Device& device = test_device()) {
  return build_complex(device, soup).complex;
}

template <class T>
Array<T> host(const Complex& complex, exec::View<const T> view) {
  return exec::download(complex.stream(), view);
}

/// Equations (1) to (4) of Mueller-Roemer et al.
TEST(VolumeSubdivide, CountsAreThoseOfThePaper) {
  for (const auto& [name, soup] : volume_meshes()) {
    SCOPED_TRACE(name);
    Complex complex = built(soup);
    for (int level = 0; level < 2; ++level) {
      Complex next = subdivide(complex);
      EXPECT_EQ(next.vertices(),
                complex.vertices() + complex.edges() + complex.faces() + complex.cells());
      EXPECT_EQ(next.edges(), 2 * complex.edges() + complex.face_edges().entries.size() +
                                  complex.cell_faces().entries.size());
      EXPECT_EQ(next.faces(),
                complex.face_vertices().entries.size() + complex.cell_edges().entries.size());
      EXPECT_EQ(next.cells(), complex.cell_vertices().entries.size());
      EXPECT_EQ(next.validate(), std::nullopt);
      complex = std::move(next);
    }
  }
}

TEST(VolumeSubdivide, PyramidHasACellOfTenVertices) {
  const Complex complex = subdivide(built(pyramid_soup()));
  const Array<Index> offsets = host(complex, complex.cell_vertices().offsets);
  std::vector<Index> sizes;
  for (std::size_t c = 0; c + 1 < offsets.size(); ++c) sizes.push_back(offsets[c + 1] - offsets[c]);
  EXPECT_EQ(sizes, (std::vector<Index>{8, 8, 8, 8, 10}));
  const Array<Index> faces = host(complex, complex.cell_faces().offsets);
  EXPECT_EQ(faces[5] - faces[4], 8u);
}

/// Rules for surfaces on the boundary, by brute force: from a list of polygons.
class SurfaceTwin {
 public:
  explicit SurfaceTwin(const Complex& complex) : positions_(host(complex, complex.positions())) {
    const Array<Index> offsets = host(complex, complex.face_vertices().offsets);
    const Array<Index> entries = host(complex, complex.face_vertices().entries);
    for (const SignedIndex face : boundary_faces(complex)) {
      std::vector<Index> loop(entries.begin() + offsets[face.index()],
                              entries.begin() + offsets[face.index() + 1]);
      Vec3d mean{};
      for (const Index v : loop) mean += positions_[v] * (1.0 / static_cast<double>(loop.size()));
      for (std::size_t i = 0; i < loop.size(); ++i) {
        const Index a = loop[i];
        const Index b = loop[(i + 1) % loop.size()];
        edge_faces_[std::minmax(a, b)].push_back(mean);
        vertex_faces_[a].push_back(mean);
      }
      face_points_[face.index()] = mean;
    }
  }

  Vec3d vertex(Index v) const {
    const auto& faces = vertex_faces_.at(v);
    const auto n = static_cast<double>(faces.size());
    Vec3d q{};
    for (const Vec3d& p : faces) q += p * (1 / n);
    Vec3d r{};
    for (const auto& [ends, unused] : edge_faces_)
      if (ends.first == v || ends.second == v)
        r += (positions_[ends.first] + positions_[ends.second]) * (0.5 / n);
    return (q + r * 2 + positions_[v] * (n - 3)) * (1 / n);
  }
  Vec3d edge(Index a, Index b) const {
    const auto& faces = edge_faces_.at(std::minmax(a, b));
    return (positions_[a] + positions_[b] + faces[0] + faces[1]) * 0.25;
  }
  bool has_vertex(Index v) const { return vertex_faces_.count(v) > 0; }
  bool has_edge(Index a, Index b) const { return edge_faces_.count(std::minmax(a, b)) > 0; }
  const std::map<Index, Vec3d>& faces() const { return face_points_; }

 private:
  Array<Vec3d> positions_;
  std::map<std::pair<Index, Index>, std::vector<Vec3d>> edge_faces_;
  std::map<Index, std::vector<Vec3d>> vertex_faces_;
  std::map<Index, Vec3d> face_points_;
};

void expect_near(const Vec3d& a, const Vec3d& b) {
  EXPECT_LT(length(a - b), 1e-13);
}

TEST(VolumeSubdivide, BoundaryFollowsTheRulesForSurfaces) {
  for (const auto& [name, soup] :
       {std::pair("hexahedra", hexahedron_block(2, 3, 2)), std::pair("pyramid", pyramid_soup()),
        std::pair("tetrahedra", tetrahedron_block(3)), std::pair("prism", polygon_prism(7))}) {
    SCOPED_TRACE(name);
    const Complex complex = subdivide(built(soup));  // from a mesh without symmetries, then
    const Complex next = subdivide(complex);
    const SurfaceTwin twin(complex);
    const Array<Vec3d> points = host(next, next.positions());
    const Array<EdgeVertices> edges = host(complex, complex.edge_vertices());
    std::size_t checked = 0;
    for (Index v = 0; v < complex.vertices(); ++v) {
      if (!twin.has_vertex(v)) continue;
      expect_near(points[v], twin.vertex(v));
      ++checked;
    }
    for (Index e = 0; e < complex.edges(); ++e) {
      if (!twin.has_edge(edges[e][0], edges[e][1])) continue;
      expect_near(points[complex.vertices() + e], twin.edge(edges[e][0], edges[e][1]));
      ++checked;
    }
    for (const auto& [f, point] : twin.faces())
      expect_near(points[complex.vertices() + complex.edges() + f], point);
    EXPECT_GT(checked, 20u);
    // And the boundary of the result is what the boundary's faces are cut into: quadrilaterals.
    std::size_t corners = 0;
    const Array<Index> offsets = host(complex, complex.face_vertices().offsets);
    for (const SignedIndex f : boundary_faces(complex))
      corners += offsets[f.index() + 1] - offsets[f.index()];
    EXPECT_EQ(boundary_faces(next).size(), corners);
  }
}

/// The rules of Joy and MacCracken inside, from sets of vertices alone.
TEST(VolumeSubdivide, InsideFollowsTheRulesForSolids) {
  PolyhedralSoup soup = tetrahedron_block(3);
  const Random random(3);
  for (std::size_t v = 0; v < soup.positions.size(); ++v)
    for (int k = 0; k < 3; ++k)
      soup.positions[v][k] += 0.2 * random.uniform(3 * v + static_cast<std::size_t>(k));
  const Complex complex = built(soup);
  const Complex next = subdivide(complex);
  const Array<Vec3d> points = host(next, next.positions());
  const Array<Index> offsets = host(complex, complex.face_vertices().offsets);
  const Array<Index> corners = host(complex, complex.face_vertices().entries);
  const auto mean = [&](const std::vector<Index>& of) {
    Vec3d sum{};
    for (const Index v : of) sum += soup.positions[v];
    return sum * (1.0 / static_cast<double>(of.size()));
  };
  std::vector<std::vector<Index>> cells;
  for (std::size_t c = 0; c < soup.cell_count(); ++c)
    cells.emplace_back(soup.cell_entries.begin() + soup.cell_offsets[c],
                       soup.cell_entries.begin() + soup.cell_offsets[c + 1]);
  std::vector<std::vector<Index>> faces;
  for (Index f = 0; f < complex.faces(); ++f)
    faces.emplace_back(corners.begin() + offsets[f], corners.begin() + offsets[f + 1]);
  const auto mean_of_those_with = [&](const auto& sets, const std::vector<Index>& wanted,
                                      std::size_t& count) {
    Vec3d sum{};
    count = 0;
    for (const auto& set : sets) {
      const bool has_all = std::all_of(wanted.begin(), wanted.end(), [&](Index v) {
        return std::find(set.begin(), set.end(), v) != set.end();
      });
      if (!has_all) continue;
      sum += mean(set);
      ++count;
    }
    return sum * (1.0 / static_cast<double>(count));
  };
  std::vector<bool> boundary_vertex(soup.positions.size());
  std::map<std::pair<Index, Index>, bool> boundary_edge;
  for (const SignedIndex f : boundary_faces(complex)) {
    const auto& loop = faces[f.index()];
    for (std::size_t i = 0; i < 3; ++i) {
      boundary_vertex[loop[i]] = true;
      boundary_edge[std::minmax(loop[i], loop[(i + 1) % 3])] = true;
    }
  }
  const Array<EdgeVertices> edges = host(complex, complex.edge_vertices());
  std::size_t count = 0;
  for (Index v = 0; v < complex.vertices(); ++v) {
    if (boundary_vertex[v]) continue;
    const Vec3d c = mean_of_those_with(cells, {v}, count);
    const Vec3d a = mean_of_those_with(faces, {v}, count);
    std::vector<std::vector<Index>> ends;
    for (const EdgeVertices& e : edges) ends.push_back({e[0], e[1]});
    const Vec3d m = mean_of_those_with(ends, {v}, count);
    expect_near(points[v], (c + a * 3 + m * 3 + soup.positions[v]) * 0.125);
  }
  for (Index e = 0; e < complex.edges(); ++e) {
    const std::vector<Index> ends{edges[e][0], edges[e][1]};
    if (boundary_edge.count(std::minmax(ends[0], ends[1])) > 0) continue;
    const Vec3d c = mean_of_those_with(cells, ends, count);
    const Vec3d a = mean_of_those_with(faces, ends, count);
    const auto n = static_cast<double>(count);
    expect_near(points[complex.vertices() + e], (c + a * 2 + mean(ends) * (n - 3)) * (1 / n));
  }
  for (Index f = 0; f < complex.faces(); ++f) {
    const Vec3d c = mean_of_those_with(cells, faces[f], count);
    if (count != 2) continue;
    expect_near(points[complex.vertices() + complex.edges() + f], (c + mean(faces[f])) * 0.5);
  }
}

TEST(VolumeSubdivide, BlockStaysABlock) {
  const Complex complex = built(hexahedron_block(4, 4, 4));
  const Complex next = subdivide(complex);
  const Array<Vec3d> points = host(next, next.positions());
  const BoundaryFlags flags = boundary_flags(next);
  const Array<std::uint8_t> on_boundary = host(next, flags.vertices.const_view());
  std::size_t inside = 0;
  std::size_t in_plane = 0;
  for (std::size_t v = 0; v < points.size(); ++v) {
    const auto middling = [&](int k) { return points[v][k] > 0.9 && points[v][k] < 3.1; };
    if (on_boundary[v] == 0) {
      for (int k = 0; k < 3; ++k)  // on the grid of half the size
        EXPECT_NEAR(2 * points[v][k], std::round(2 * points[v][k]), 1e-13);
      ++inside;
    } else if (middling(0) && middling(1)) {
      const double z = points[v][2];
      EXPECT_TRUE(z == 0 || z == 4) << z;
      ++in_plane;
    }
  }
  EXPECT_EQ(inside, 7u * 7 * 7);
  EXPECT_EQ(in_plane, 2u * 5 * 5);
}

TEST(VolumeSubdivide, DevicesAgree) {
  for (const auto& [name, soup] : volume_meshes()) {
    SCOPED_TRACE(name);
    const Complex here = subdivide(built(soup), {2, {}});
    const Complex there = subdivide(built(soup, exec::Device::cpu(1)), {2, {}});
    EXPECT_EQ(host(here, here.edge_vertices()), host(there, there.edge_vertices()));
    EXPECT_EQ(host(here, here.face_edges().entries), host(there, there.face_edges().entries));
    EXPECT_EQ(host(here, here.cell_faces().entries), host(there, there.cell_faces().entries));
    EXPECT_EQ(host(here, here.cell_faces().offsets), host(there, there.cell_faces().offsets));
    const Array<Vec3d> a = host(here, here.positions());
    const Array<Vec3d> b = host(there, there.positions());
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t v = 0; v < a.size(); ++v) EXPECT_LT(length(a[v] - b[v]), 1e-12);
  }
}

TEST(VolumeSubdivide, AttributesAreInherited) {
  PolyhedralSoup soup = two_tetrahedra(3);
  add_polygon(soup, {0, 1, 2});
  soup.cell_attributes.push_back({"ref", 1, Array<std::int32_t>{4, 9}});
  soup.polygon_attributes.push_back({"ref", 1, Array<std::int32_t>{6}});
  Array<double> height;
  for (const Vec3d& p : soup.positions) height.push_back(p[2]);
  soup.vertex_attributes.push_back({"height", 1, height});
  const Complex complex = subdivide(built(soup));
  EXPECT_EQ(complex.validate(), std::nullopt);
  EXPECT_EQ(std::get<Array<std::int32_t>>(complex.attributes(Element::cell)[0].values),
            (Array<std::int32_t>{4, 4, 4, 4, 9, 9, 9, 9}));
  const auto& faces = std::get<Array<std::int32_t>>(complex.attributes(Element::face)[0].values);
  EXPECT_EQ(std::count(faces.begin(), faces.end(), 6), 3);
  EXPECT_EQ(std::count(faces.begin(), faces.end(), 0), static_cast<long>(faces.size()) - 3);
  const auto& heights = std::get<Array<double>>(complex.attributes(Element::vertex)[0].values);
  ASSERT_EQ(heights.size(), complex.vertices());
  EXPECT_NEAR(heights.back(), (0 + 0 + 1 + 1) / 4.0, 1e-15);  // of the second cell
}

TEST(VolumeSubdivide, Options) {
  const Complex complex = built(pyramid_soup());
  EXPECT_THROW(subdivide(complex, {-1, {}}), InputError);
  const Complex same = subdivide(complex, {0, {}});
  EXPECT_EQ(host(same, same.face_edges().entries), host(complex, complex.face_edges().entries));
  EXPECT_THROW(subdivide(complex, {2, [](std::string_view, double) { return Continue::no; }}),
               Cancelled);
}

}  // namespace
}  // namespace tessera::volume
