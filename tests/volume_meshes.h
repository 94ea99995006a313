// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Small volume meshes of every kind, for tests.
#pragma once

#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/polyhedral_soup.h"
#include "tessera/core/random.h"

namespace tessera {

inline void add_cell(PolyhedralSoup& soup, CellType type, std::initializer_list<Index> entries) {
  soup.cell_types.push_back(type);
  soup.cell_entries.insert(soup.cell_entries.end(), entries);
  soup.cell_offsets.push_back(static_cast<Index>(soup.cell_entries.size()));
}

inline Index add_polygon(PolyhedralSoup& soup, const std::vector<Index>& corners) {
  soup.polygon_corners.insert(soup.polygon_corners.end(), corners.begin(), corners.end());
  soup.polygon_offsets.push_back(static_cast<Index>(soup.polygon_corners.size()));
  return static_cast<Index>(soup.polygon_count() - 1);
}

inline void add_polyhedron(PolyhedralSoup& soup, const std::vector<Index>& polygons) {
  soup.cell_types.push_back(CellType::polyhedron);
  soup.cell_entries.insert(soup.cell_entries.end(), polygons.begin(), polygons.end());
  soup.cell_offsets.push_back(static_cast<Index>(soup.cell_entries.size()));
}

inline PolyhedralSoup tetrahedron_soup() {
  PolyhedralSoup soup;
  soup.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  add_cell(soup, CellType::tetrahedron, {0, 1, 2, 3});
  return soup;
}

inline PolyhedralSoup pyramid_soup() {
  PolyhedralSoup soup;
  soup.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 1}};
  add_cell(soup, CellType::pyramid, {0, 1, 2, 3, 4});
  return soup;
}

inline PolyhedralSoup prism_soup() {
  PolyhedralSoup soup;
  soup.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
  add_cell(soup, CellType::prism, {0, 1, 2, 3, 4, 5});
  return soup;
}

/// n * m * k cubes of size 1.
inline PolyhedralSoup hexahedron_block(Index n, Index m, Index k) {
  PolyhedralSoup soup;
  for (Index z = 0; z <= k; ++z)
    for (Index y = 0; y <= m; ++y)
      for (Index x = 0; x <= n; ++x)
        soup.positions.push_back(
            {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
  const auto at = [&](Index x, Index y, Index z) { return (z * (m + 1) + y) * (n + 1) + x; };
  for (Index z = 0; z < k; ++z)
    for (Index y = 0; y < m; ++y)
      for (Index x = 0; x < n; ++x)
        add_cell(
            soup, CellType::hexahedron,
            {at(x, y, z), at(x + 1, y, z), at(x + 1, y + 1, z), at(x, y + 1, z), at(x, y, z + 1),
             at(x + 1, y, z + 1), at(x + 1, y + 1, z + 1), at(x, y + 1, z + 1)});
  return soup;
}

/// A block of cubes, each cut into six tetrahedra around its diagonal.
inline PolyhedralSoup tetrahedron_block(Index n) {
  const PolyhedralSoup cubes = hexahedron_block(n, n, n);
  PolyhedralSoup soup;
  soup.positions = cubes.positions;
  constexpr Index tetrahedra[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                      {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
  for (std::size_t c = 0; c < cubes.cell_count(); ++c)
    for (const auto& t : tetrahedra) {
      const Index* corners = cubes.cell_entries.data() + cubes.cell_offsets[c];
      add_cell(soup, CellType::tetrahedron,
               {corners[t[0]], corners[t[1]], corners[t[2]], corners[t[3]]});
    }
  return soup;
}

/// A cube with a pyramid on it, a prism beside it and a tetrahedron beside the prism.
inline PolyhedralSoup mixed_soup() {
  PolyhedralSoup soup = hexahedron_block(1, 1, 1);
  soup.positions.insert(soup.positions.end(),
                        {{0.5, 0.5, 2}, {2, 0.5, 0}, {2, 0.5, 1}, {2, 2, 0.5}});
  add_cell(soup, CellType::pyramid, {4, 5, 7, 6, 8});
  add_cell(soup, CellType::prism, {1, 9, 3, 5, 10, 7});
  add_cell(soup, CellType::tetrahedron, {3, 9, 11, 7});
  return soup;
}

/// A prism over a polygon of n corners, as polygons that point anywhere.
inline PolyhedralSoup polygon_prism(Index n) {
  PolyhedralSoup soup;
  for (const double z : {0.0, 1.0})
    for (Index i = 0; i < n; ++i) {
      const double angle = 2 * 3.14159265358979 * i / n;
      soup.positions.push_back({std::cos(angle), std::sin(angle), z});
    }
  std::vector<Index> lower;
  std::vector<Index> upper;
  for (Index i = 0; i < n; ++i) lower.push_back(i);
  for (Index i = 0; i < n; ++i) upper.push_back(n + i);
  std::vector<Index> faces{add_polygon(soup, lower), add_polygon(soup, upper)};
  for (Index i = 0; i < n; ++i) {
    const Index next = (i + 1) % n;
    faces.push_back(i % 2 == 0 ? add_polygon(soup, {i, next, n + next, n + i})
                               : add_polygon(soup, {i, n + i, n + next, next}));
  }
  add_polyhedron(soup, faces);
  return soup;
}

/// Two tetrahedra that share `shared` vertices: 1, 2 or 3.
inline PolyhedralSoup two_tetrahedra(Index shared) {
  PolyhedralSoup soup = tetrahedron_soup();
  if (shared == 3) {
    soup.positions.push_back({1, 1, 1});
    add_cell(soup, CellType::tetrahedron, {1, 2, 3, 4});
  } else if (shared == 2) {
    soup.positions.insert(soup.positions.end(), {{1, 1, 0.5}, {1, 1, 1.5}});
    add_cell(soup, CellType::tetrahedron, {2, 1, 4, 5});
  } else {
    soup.positions.insert(soup.positions.end(), {{2, 0, 0}, {1, 1, 0}, {1, 0, 1}});
    add_cell(soup, CellType::tetrahedron, {1, 4, 5, 6});
  }
  return soup;
}

/// Three tetrahedra on one face, two of them on the same side; a square and an edge on their own; a
/// vertex without anything.
inline PolyhedralSoup non_manifold_soup() {
  PolyhedralSoup soup = tetrahedron_soup();
  soup.positions.insert(soup.positions.end(), {{0.3, 0.3, 2}, {0.3, 0.3, -1}});
  add_cell(soup, CellType::tetrahedron, {0, 1, 2, 4});
  add_cell(soup, CellType::tetrahedron, {0, 2, 1, 5});
  soup.positions.insert(soup.positions.end(), {{3, 0, 0}, {4, 0, 0}, {4, 1, 0}, {3, 1, 0}});
  add_polygon(soup, {6, 7, 8, 9});
  soup.positions.insert(soup.positions.end(), {{5, 0, 0}, {6, 0, 0}, {7, 7, 7}});
  soup.segments.push_back({10, 11});
  return soup;
}

/// A cube without one edge, which is a prism, and with its upper face in one place, a pyramid.
inline PolyhedralSoup collapsed_soup() {
  PolyhedralSoup soup = hexahedron_block(2, 1, 1);
  soup.cell_entries[3] = soup.cell_entries[2];
  soup.cell_entries[7] = soup.cell_entries[6];
  for (Index i = 13; i < 16; ++i) soup.cell_entries[i] = soup.cell_entries[12];
  return soup;
}

/// A pyramid with a vertex on one edge to its tip: two triangles, three quadrilaterals and six
/// vertices, as a prism has.
inline PolyhedralSoup hanging_soup() {
  PolyhedralSoup soup;
  soup.positions = pyramid_soup().positions;
  soup.positions.push_back({0.25, 0.25, 0.5});
  add_polyhedron(soup, {add_polygon(soup, {0, 3, 2, 1}), add_polygon(soup, {0, 1, 4, 5}),
                        add_polygon(soup, {1, 2, 4}), add_polygon(soup, {2, 3, 4}),
                        add_polygon(soup, {3, 0, 5, 4})});
  return soup;
}

/// The faces of a cube of eight corners, counter-clockwise seen from outside.
inline std::vector<Index> add_cube_polygons(PolyhedralSoup& soup, const std::vector<Index>& at) {
  constexpr Index faces[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                 {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
  std::vector<Index> polygons;
  for (const auto& f : faces)
    polygons.push_back(add_polygon(soup, {at[f[0]], at[f[1]], at[f[2]], at[f[3]]}));
  return polygons;
}

enum class Signs { given, missing };

/// A cube of side 4 without a cube of side 2 in its middle, whose polygons point anywhere unless
/// their signs are given.
inline PolyhedralSoup cavity_soup(Signs signs) {
  PolyhedralSoup soup;
  for (const double size : {4.0, 2.0}) {
    const double low = (4 - size) / 2;
    for (const double z : {low, low + size})
      for (const auto& [x, y] :
           {std::pair(low, low), {low + size, low}, {low + size, low + size}, {low, low + size}})
        soup.positions.push_back({x, y, z});
  }
  std::vector<Index> outside = add_cube_polygons(soup, {0, 1, 2, 3, 4, 5, 6, 7});
  const std::vector<Index> inside = add_cube_polygons(soup, {8, 9, 10, 11, 12, 13, 14, 15});
  for (const Index polygon : inside)
    outside.push_back(signs == Signs::given || polygon % 2 == 0 ? ~polygon : polygon);
  add_polyhedron(soup, outside);
  return soup;
}

/// Three cubes in a row along z as polyhedra, the uppermost with its top below its bottom.
inline PolyhedralSoup inside_out_soup() {
  PolyhedralSoup soup;
  for (const double z : {0.0, 1.0, 2.0, 1.5})
    for (const auto& [x, y] : {std::pair(0, 0), {1, 0}, {1, 1}, {0, 1}})
      soup.positions.push_back({static_cast<double>(x), static_cast<double>(y), z});
  std::vector<Index> below;
  for (Index layer = 0; layer < 3; ++layer) {
    std::vector<Index> at;
    for (Index i = 0; i < 8; ++i) at.push_back(4 * layer + i);
    PolyhedralSoup cube;
    add_cube_polygons(cube, at);
    std::vector<Index> faces;
    for (Index f = 0; f < 6; ++f)
      faces.push_back(f == 0 && layer > 0
                          ? ~below[1]
                          : add_polygon(soup, {cube.polygon_corners.begin() + 4 * f,
                                               cube.polygon_corners.begin() + 4 * f + 4}));
    add_polyhedron(soup, faces);
    below = faces;
  }
  return soup;
}

/// Cells of a block of tetrahedra, some of them gone, some twice: any complex at all.
inline PolyhedralSoup random_soup(Index n, std::uint64_t seed) {
  const PolyhedralSoup block = tetrahedron_block(n);
  const Random random(seed);
  PolyhedralSoup soup;
  soup.positions = block.positions;
  for (std::size_t c = 0; c < block.cell_count(); ++c) {
    const Index* t = block.cell_entries.data() + block.cell_offsets[c];
    const double chance = random.uniform(c);
    if (chance < 0.5) add_cell(soup, CellType::tetrahedron, {t[0], t[1], t[2], t[3]});
    if (chance > 0.45 && chance < 0.5) add_polygon(soup, {t[0], t[2], t[3]});
    if (chance > 0.9) soup.segments.push_back({t[0], t[3]});
  }
  return soup;
}

inline std::vector<std::pair<std::string, PolyhedralSoup>> volume_meshes() {
  std::vector<std::pair<std::string, PolyhedralSoup>> all;
  all.emplace_back("nothing", PolyhedralSoup{});
  all.emplace_back("tetrahedron", tetrahedron_soup());
  all.emplace_back("pyramid", pyramid_soup());
  all.emplace_back("prism", prism_soup());
  all.emplace_back("hexahedron", hexahedron_block(1, 1, 1));
  all.emplace_back("hexahedra", hexahedron_block(3, 2, 4));
  all.emplace_back("tetrahedra", tetrahedron_block(4));
  all.emplace_back("mixed", mixed_soup());
  all.emplace_back("pentagonal prism", polygon_prism(5));
  all.emplace_back("many-sided prism", polygon_prism(100));
  all.emplace_back("joined by a vertex", two_tetrahedra(1));
  all.emplace_back("joined by an edge", two_tetrahedra(2));
  all.emplace_back("joined by a face", two_tetrahedra(3));
  all.emplace_back("non-manifold", non_manifold_soup());
  all.emplace_back("collapsed", collapsed_soup());
  all.emplace_back("hanging vertex", hanging_soup());
  all.emplace_back("cavity", cavity_soup(Signs::given));
  all.emplace_back("cavity without signs", cavity_soup(Signs::missing));
  all.emplace_back("inside out", inside_out_soup());
  all.emplace_back("random", random_soup(5, 1));
  return all;
}

}  // namespace tessera
