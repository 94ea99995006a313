// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/volume/complex.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "complexes.h"
#include "tessera/core/error.h"
#include "tessera/volume/build.h"
#include "tessera/volume/detail/transpose.h"
#include "tessera/volume/subdivide.h"
#include "test_device.h"
#include "volume_meshes.h"

namespace tessera::volume {
namespace {

template <class Entry>
using Rows = std::vector<std::vector<Entry>>;

/// A relation on the host, entries as numbers: signed ones with their sign folded in.
template <class Entry>
Rows<std::int64_t> rows_of(const Complex& complex, const RelationView<Entry>& relation) {
  const Array<Index> offsets = exec::download(complex.stream(), relation.offsets);
  const Array<Entry> entries = exec::download(complex.stream(), relation.entries);
  Rows<std::int64_t> rows(offsets.size() - 1);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (Index i = offsets[r]; i < offsets[r + 1]; ++i) {
      if constexpr (std::is_same_v<Entry, SignedIndex>)
        rows[r].push_back(entries[i].code);
      else
        rows[r].push_back(entries[i]);
    }
  return rows;
}

Index number_of(std::int64_t entry) {
  return static_cast<Index>(entry < 0 ? ~entry : entry);
}

/// Row c of the result lists the rows that have c, with their signs.
Rows<std::int64_t> transposed(const Rows<std::int64_t>& rows, Index columns) {
  Rows<std::int64_t> result(columns);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (const std::int64_t entry : rows[r]) {
      const auto row = static_cast<std::int64_t>(r);
      result[number_of(entry)].push_back(entry < 0 ? ~row : row);
    }
  return result;
}

/// The union of rows of `second` over the entries of rows of `first`, sorted.
Rows<std::int64_t> joined(const Rows<std::int64_t>& first, const Rows<std::int64_t>& second) {
  Rows<std::int64_t> result;
  for (const auto& row : first) {
    std::set<std::int64_t> all;
    for (const std::int64_t entry : row)
      for (const std::int64_t next : second[number_of(entry)]) all.insert(number_of(next));
    result.emplace_back(all.begin(), all.end());
  }
  return result;
}

TEST(Complex, RelationsAgreeWithTwins) {
  for (const auto& [name, soup] : volume_meshes()) {
    SCOPED_TRACE(name);
    const Complex complex = built(soup);
    ASSERT_EQ(complex.validate(), std::nullopt);
    Rows<std::int64_t> edges;
    for (const EdgeVertices& e : exec::download(complex.stream(), complex.edge_vertices()))
      edges.push_back({~std::int64_t{e[0]}, e[1]});
    const auto face_edges = rows_of(complex, complex.face_edges());
    const auto cell_faces = rows_of(complex, complex.cell_faces());
    EXPECT_EQ(rows_of(complex, complex.vertex_edges()), transposed(edges, complex.vertices()));
    EXPECT_EQ(rows_of(complex, complex.edge_faces()), transposed(face_edges, complex.edges()));
    EXPECT_EQ(rows_of(complex, complex.face_cells()), transposed(cell_faces, complex.faces()));
    auto face_vertices = rows_of(complex, complex.face_vertices());
    for (std::size_t f = 0; f < face_vertices.size(); ++f)
      for (std::size_t i = 0; i < face_vertices[f].size(); ++i) {
        const std::int64_t e = face_edges[f][i];
        ASSERT_EQ(face_vertices[f][i], number_of(edges[number_of(e)][e < 0 ? 1 : 0]));
      }
    const auto cell_edges = joined(cell_faces, face_edges);
    const auto cell_vertices = joined(cell_edges, edges);
    EXPECT_EQ(rows_of(complex, complex.cell_edges()), cell_edges);
    EXPECT_EQ(rows_of(complex, complex.cell_vertices()), cell_vertices);
    EXPECT_EQ(rows_of(complex, complex.vertex_faces()),
              transposed(joined(face_edges, edges), complex.vertices()));
    EXPECT_EQ(rows_of(complex, complex.edge_cells()), transposed(cell_edges, complex.edges()));
    EXPECT_EQ(rows_of(complex, complex.vertex_cells()),
              transposed(cell_vertices, complex.vertices()));
  }
}

TEST(Complex, TransposesByCountingAndBySorting) {
  for (const auto& [name, soup] : volume_meshes()) {
    SCOPED_TRACE(name);
    const Complex complex = built(soup);
    const exec::Stream& stream = complex.stream();
    const auto agree = [&](const auto& transpose) {
      const auto counted = transpose(detail::TransposeBy::counting);
      const auto sorted = transpose(detail::TransposeBy::sorting);
      EXPECT_EQ(rows_of(complex, counted.view()), rows_of(complex, sorted.view()));
    };
    agree([&](auto method) {
      return detail::transpose_edges(stream, complex.edge_vertices(), complex.vertices(), method);
    });
    agree([&](auto method) {
      return detail::transpose(stream, complex.cell_faces(), complex.faces(), method);
    });
    agree([&](auto method) {
      return detail::transpose(stream, complex.cell_vertices(), complex.vertices(), method);
    });
  }
}

/// Every face of a cell of a few corners, by brute force: the set of its vertices.
std::set<std::set<Index>> faces_by_brute_force(const PolyhedralSoup& soup) {
  std::set<std::set<Index>> faces;
  const std::map<CellType, std::vector<std::vector<Index>>> tables{
      {CellType::tetrahedron, {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}}},
      {CellType::pyramid, {{0, 1, 2, 3}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {0, 3, 4}}},
      {CellType::prism, {{0, 1, 2}, {3, 4, 5}, {0, 1, 3, 4}, {1, 2, 4, 5}, {0, 2, 3, 5}}},
      {CellType::hexahedron,
       {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 4, 5}, {1, 2, 5, 6}, {2, 3, 6, 7}, {0, 3, 4, 7}}}};
  for (std::size_t c = 0; c < soup.cell_count(); ++c) {
    const auto table = tables.find(soup.cell_types[c]);
    if (table == tables.end()) continue;
    for (const auto& local : table->second) {
      std::set<Index> face;
      for (const Index i : local) face.insert(soup.cell_entries[soup.cell_offsets[c] + i]);
      if (face.size() >= 3) faces.insert(face);
    }
  }
  for (std::size_t p = 0; p < soup.polygon_count(); ++p)
    faces.emplace(soup.polygon_corners.begin() + soup.polygon_offsets[p],
                  soup.polygon_corners.begin() + soup.polygon_offsets[p + 1]);
  return faces;
}

TEST(Complex, HasTheFacesOfItsCells) {
  for (const auto& [name, soup] : volume_meshes()) {
    SCOPED_TRACE(name);
    const Complex complex = built(soup);
    EXPECT_EQ(complex.vertices(), soup.positions.size());
    EXPECT_EQ(complex.cells(), soup.cell_count());
    std::set<std::set<Index>> faces;
    for (const auto& row : rows_of(complex, complex.face_vertices()))
      faces.emplace(row.begin(), row.end());
    EXPECT_EQ(faces, faces_by_brute_force(soup));
    EXPECT_EQ(faces.size(), complex.faces());
    const auto cell_vertices = rows_of(complex, complex.cell_vertices());
    for (std::size_t c = 0; c < soup.cell_count(); ++c) {
      if (soup.cell_types[c] == CellType::polyhedron) continue;
      std::set<std::int64_t> corners(soup.cell_entries.begin() + soup.cell_offsets[c],
                                     soup.cell_entries.begin() + soup.cell_offsets[c + 1]);
      EXPECT_EQ(cell_vertices[c], std::vector<std::int64_t>(corners.begin(), corners.end()));
    }
  }
}

/// Six times the volume of a cell, by the faces that it has, as the cell sees them.
double volume_of(const Complex& complex, std::size_t cell) {
  const Array<Vec3d> positions = exec::download(complex.stream(), complex.positions());
  const auto faces = rows_of(complex, complex.face_vertices());
  const auto cell_faces = rows_of(complex, complex.cell_faces());
  double sum = 0;
  for (const std::int64_t f : cell_faces[cell]) {
    const auto& loop = faces[number_of(f)];
    for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
      const auto at = [&](std::size_t k) { return positions[static_cast<std::size_t>(loop[k])]; };
      const double part = dot(at(0), cross(at(i), at(i + 1)));
      sum += f < 0 ? -part : part;
    }
  }
  return sum;
}

TEST(Complex, CellsPointOutwards) {
  for (const auto& [name, soup] : volume_meshes()) {
    SCOPED_TRACE(name);
    const Complex complex = built(soup);
    const std::size_t some = std::min<std::size_t>(complex.cells(), 8);
    for (std::size_t c = 0; c < some; ++c) {
      const bool is_inside_out = name == "inside out" && c == 2;
      EXPECT_GT(is_inside_out ? -volume_of(complex, c) : volume_of(complex, c), 0) << c;
    }
  }
}

TEST(Complex, CornersNumberedTheOtherWayRound) {
  PolyhedralSoup soup = prism_soup();
  soup.cell_entries = {3, 4, 5, 0, 1, 2};
  const BuildResult result = build_complex(test_device(), soup);
  EXPECT_EQ(result.complex.validate(), std::nullopt);
  EXPECT_GT(volume_of(result.complex, 0), 0);
  EXPECT_EQ(result.turned_cells, (std::array<Index, 5>{0, 0, 1, 0, 0}));
  EXPECT_EQ(result.notes.size(), 1u);
}

TEST(Complex, OneLargeCellInsideOutDoesNotTurnTheOthers) {
  PolyhedralSoup soup = tetrahedron_soup();
  for (Index i = 1; i < 6; ++i) {
    const double size = i == 5 ? 9 : 1;
    const double x = 10 * static_cast<double>(i);
    soup.positions.insert(soup.positions.end(),
                          {{x, 0, 0}, {x + size, 0, 0}, {x, size, 0}, {x, 0, size}});
    add_cell(soup, CellType::tetrahedron, {4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3});
  }
  std::swap(soup.cell_entries[20], soup.cell_entries[21]);
  const BuildResult result = build_complex(test_device(), soup);
  EXPECT_EQ(result.turned_cells, (std::array<Index, 5>{}));
  EXPECT_TRUE(result.notes.empty());
  EXPECT_GT(volume_of(result.complex, 0), 0);
  EXPECT_LT(volume_of(result.complex, 5), 0);
}

TEST(Complex, OneCellInsideOutKeepsItsNeighbours) {
  PolyhedralSoup soup = tetrahedron_block(2);
  std::swap(soup.positions[13], soup.positions[26]);  // the middle vertex and a corner
  const Complex complex = built(soup);
  EXPECT_EQ(complex.validate(), std::nullopt);
  for (const auto& row : rows_of(complex, complex.face_cells())) {
    ASSERT_LE(row.size(), 2u);
    if (row.size() == 2) {
      EXPECT_NE(row[0] < 0, row[1] < 0);
    }
  }
}

TEST(Complex, CollapsedCells) {
  PolyhedralSoup soup = hexahedron_block(1, 1, 1);
  soup.cell_entries[3] = soup.cell_entries[2];  // a prism
  soup.cell_entries[7] = soup.cell_entries[6];
  const Index corner[4] = {0, 1, 3, 3};  // nothing
  soup.cell_types.push_back(CellType::tetrahedron);
  soup.cell_entries.insert(soup.cell_entries.end(), corner, corner + 4);
  soup.cell_offsets.push_back(12);
  soup.cell_attributes.push_back({"ref", 1, Array<std::int32_t>{7, 8}});
  const BuildResult result = build_complex(test_device(), soup);
  EXPECT_EQ(result.degenerate_cells, 1u);
  EXPECT_EQ(result.notes.size(), 1u);
  EXPECT_EQ(result.complex.validate(), std::nullopt);
  EXPECT_EQ(result.complex.cells(), 1u);
  EXPECT_EQ(result.complex.faces(), 5u);
  EXPECT_EQ(std::get<Array<std::int32_t>>(result.complex.attributes(Element::cell)[0].values),
            (Array<std::int32_t>{7}));
}

/// Every way to put corners in one place that chance finds: what is left is a complex.
TEST(Complex, CollapsedCellsAreClosedOrLeftOut) {
  const PolyhedralSoup kinds[] = {tetrahedron_soup(), pyramid_soup(), prism_soup(),
                                  hexahedron_block(1, 1, 1)};
  const Random random(7);
  std::uint64_t draw = 0;
  Index left = 0;
  Index lost = 0;
  for (const PolyhedralSoup& kind : kinds)
    for (int i = 0; i < 300; ++i) {
      PolyhedralSoup soup = kind;
      const auto corners = static_cast<Index>(soup.cell_entries.size());
      for (std::uint32_t k = 1 + random.below(draw++, 4); k > 0; --k) {
        const Index from = random.below(draw++, corners);
        soup.cell_entries[from] = soup.cell_entries[random.below(draw++, corners)];
      }
      const BuildResult result = build_complex(test_device(), soup);
      ASSERT_EQ(result.complex.validate(), std::nullopt);
      ASSERT_EQ(result.complex.cells() + result.degenerate_cells, 1u);
      ASSERT_EQ(subdivide(result.complex).validate(), std::nullopt);
      ++(result.degenerate_cells > 0 ? lost : left);
    }
  EXPECT_GT(left, 100u);
  EXPECT_GT(lost, 100u);
}

TEST(Complex, CollapsedCellsThatAreNotClosed) {
  PolyhedralSoup soup = pyramid_soup();
  soup.cell_entries[2] = soup.cell_entries[0];  // across the base
  EXPECT_EQ(build_complex(test_device(), soup).degenerate_cells, 1u);
  for (const Index same : {2u, 5u}) {  // across a face, and another one
    soup = hexahedron_block(1, 1, 1);
    soup.cell_entries[same] = soup.cell_entries[0];
    EXPECT_EQ(build_complex(test_device(), soup).degenerate_cells, 1u) << same;
  }
}

TEST(Complex, CavitiesStayCavities) {
  for (const Signs signs : {Signs::given, Signs::missing}) {
    const Complex complex = built(cavity_soup(signs));
    EXPECT_EQ(complex.validate(), std::nullopt);
    EXPECT_NEAR(volume_of(complex, 0), 6.0 * (64 - 8), 1e-11);
  }
  // Two cubes apart from each other in one cell are no cavity.
  PolyhedralSoup soup = cavity_soup(Signs::missing);
  for (std::size_t v = 8; v < 16; ++v) soup.positions[v][0] += 10;
  EXPECT_NEAR(volume_of(built(soup), 0), 6.0 * (64 + 8), 1e-11);
}

TEST(Complex, PolyhedraThatAllPointInwardsAreTurned) {
  PolyhedralSoup soup = inside_out_soup();
  EXPECT_EQ(build_complex(test_device(), soup).turned_cells, (std::array<Index, 5>{}));
  for (Index& entry : soup.cell_entries) entry = ~entry;
  const BuildResult result = build_complex(test_device(), soup);
  EXPECT_EQ(result.turned_cells, (std::array<Index, 5>{0, 0, 0, 0, 3}));
  EXPECT_EQ(result.notes.size(), 1u);
  EXPECT_GT(volume_of(result.complex, 0), 0);
  EXPECT_LT(volume_of(result.complex, 2), 0);
}

TEST(Complex, InsideOutPolyhedraMatchTheirNeighbours) {
  const Complex complex = built(inside_out_soup());
  std::size_t between = 0;
  for (const auto& row : rows_of(complex, complex.face_cells())) {
    if (row.size() < 2) continue;
    EXPECT_NE(row[0] < 0, row[1] < 0);
    ++between;
  }
  EXPECT_EQ(between, 2u);
}

TEST(Complex, PolyhedraThatListAPolygonTwice) {
  PolyhedralSoup soup = polygon_prism(6);
  soup.cell_entries.push_back(soup.cell_entries[0]);
  soup.cell_offsets.back() += 1;
  EXPECT_EQ(build_complex(test_device(), soup).open_cells, 1u);
  // Two pairs of triangles back to back: each edge has two sides, and there is no cell.
  PolyhedralSoup pillows;
  pillows.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 0, 0}, {6, 0, 0}, {5, 1, 0}};
  add_polygon(pillows, {0, 1, 2});
  add_polygon(pillows, {3, 4, 5});
  add_polygon(pillows, {2, 1, 0});
  add_polygon(pillows, {5, 4, 3});
  add_polyhedron(pillows, {0, 1, 2, 3});
  add_polyhedron(pillows, {0, ~Index{0}, 1, ~Index{1}});
  const BuildResult result = build_complex(test_device(), pillows);
  EXPECT_EQ(result.open_cells, 2u);
  EXPECT_EQ(result.complex.validate(), std::nullopt);
}

TEST(Complex, OpenPolyhedraAreLeftOut) {
  PolyhedralSoup soup = polygon_prism(6);
  soup.cell_entries.pop_back();
  soup.cell_offsets.back() -= 1;
  const BuildResult result = build_complex(test_device(), soup);
  EXPECT_EQ(result.open_cells, 1u);
  EXPECT_EQ(result.complex.cells(), 0u);
  EXPECT_EQ(result.complex.faces(), 8u);
  EXPECT_EQ(result.complex.validate(), std::nullopt);
}

/// All relations that are computed, by name.
std::map<std::string, Rows<std::int64_t>> relations_of(const Complex& c) {
  return {{"vertex_edges", rows_of(c, c.vertex_edges())},
          {"edge_faces", rows_of(c, c.edge_faces())},
          {"face_cells", rows_of(c, c.face_cells())},
          {"face_vertices", rows_of(c, c.face_vertices())},
          {"cell_edges", rows_of(c, c.cell_edges())},
          {"cell_vertices", rows_of(c, c.cell_vertices())},
          {"vertex_faces", rows_of(c, c.vertex_faces())},
          {"edge_cells", rows_of(c, c.edge_cells())},
          {"vertex_cells", rows_of(c, c.vertex_cells())}};
}

/// A mesh with as many elements of each kind, numbered otherwise.
Complex shuffled() {
  PolyhedralSoup soup = two_tetrahedra(3);
  std::swap(soup.positions[0], soup.positions[2]);
  for (Index& v : soup.cell_entries) v = v == 0 ? 2 : v == 2 ? 0 : v;
  std::rotate(soup.cell_entries.begin(), soup.cell_entries.begin() + 4, soup.cell_entries.end());
  return built(soup);
}

/// Sets an operator of a complex all of whose relations are there to that of shuffled(). All must
/// then be those of a complex made anew, and some must have changed.
template <class Set>
void expect_forgotten(const std::set<std::string>& changing, const Set& set) {
  Complex complex = built(two_tetrahedra(3));
  const auto before = relations_of(complex);
  set(complex, shuffled());
  const auto expected = relations_of(copy_of(complex));
  const auto found = relations_of(complex);
  for (const auto& [name, rows] : expected) {
    EXPECT_EQ(found.at(name), rows) << name;
    EXPECT_EQ(rows != before.at(name), changing.count(name) > 0) << name;
  }
}

TEST(Complex, NewEdgeVerticesMakeNewRelations) {
  expect_forgotten(
      {"vertex_edges", "face_vertices", "vertex_faces", "cell_vertices", "vertex_cells"},
      [](Complex& complex, const Complex& other) {
        complex.set_edge_vertices(
            exec::upload(complex.stream(), exec::download(other.stream(), other.edge_vertices())));
      });
}

TEST(Complex, NewFaceEdgesMakeNewRelations) {
  expect_forgotten({"edge_faces", "face_vertices", "vertex_faces", "cell_edges", "edge_cells",
                    "cell_vertices", "vertex_cells"},
                   [](Complex& complex, const Complex& other) {
                     complex.set_face_edges(copy_of(other, other.face_edges()));
                   });
}

TEST(Complex, NewCellFacesMakeNewRelations) {
  expect_forgotten({"face_cells", "cell_edges", "edge_cells", "cell_vertices", "vertex_cells"},
                   [](Complex& complex, const Complex& other) {
                     complex.set_cell_faces(copy_of(other, other.cell_faces()));
                   });
}

TEST(Complex, OtherCountsMakeNewRows) {
  Complex complex = built(two_tetrahedra(3));
  relations_of(complex);
  Array<EdgeVertices> edges = exec::download(complex.stream(), complex.edge_vertices());
  edges.push_back({0, 4});
  complex.set_edge_vertices(exec::upload(complex.stream(), edges));
  EXPECT_EQ(complex.edge_faces().rows(), 10u);
  EXPECT_EQ(complex.edge_cells().rows(), 10u);
  complex.set_cell_faces({});
  EXPECT_EQ(complex.cells(), 0u);
  EXPECT_EQ(complex.validate(), std::nullopt);
  complex.set_face_edges({});
  EXPECT_EQ(complex.face_cells().rows(), 0u);
  EXPECT_EQ(complex.validate(), std::nullopt);
  EXPECT_EQ(TernaryView{}.rows(), 0u);
}

TEST(Complex, RelationsAreKeptUntilTheyArePurged) {
  Complex complex = built(tetrahedron_block(2));
  relations_of(complex);
  const std::size_t all = complex.derived_bytes();
  EXPECT_GT(all, 0u);
  relations_of(complex);
  EXPECT_EQ(complex.derived_bytes(), all);
  complex.set_cell_faces(copy_of(complex, complex.cell_faces()));
  EXPECT_GT(complex.derived_bytes(), 0u);  // what does not depend on the faces of cells
  EXPECT_LT(complex.derived_bytes(), all);
  complex.purge();
  EXPECT_EQ(complex.derived_bytes(), 0u);
}

TEST(Complex, BadSoups) {
  PolyhedralSoup soup = tetrahedron_soup();
  soup.cell_entries[2] = 9;
  EXPECT_THROW(built(soup), InputError);
  soup = tetrahedron_soup();
  soup.segments.push_back({2, 2});
  EXPECT_THROW(built(soup), InputError);
  soup = tetrahedron_soup();
  add_polygon(soup, {0, 1, 1});
  EXPECT_THROW(built(soup), InputError);
  soup = tetrahedron_soup();
  add_polygon(soup, {0, 1, 0, 2});
  EXPECT_THROW(built(soup), InputError);
}

TEST(Complex, AttributesOfPolygonsGoToTheirFaces) {
  PolyhedralSoup soup = tetrahedron_block(1);
  add_polygon(soup, {0, 2, 1});
  add_polygon(soup, {0, 1, 5});
  soup.polygon_attributes.push_back({"ref", 1, Array<std::int32_t>{5, 6}});
  const Complex complex = built(soup);
  const auto& values =
      std::get<Array<std::int32_t>>(complex.attributes(Element::face).at(0).values);
  ASSERT_EQ(values.size(), complex.faces());
  EXPECT_EQ(std::count(values.begin(), values.end(), 5), 1);
  EXPECT_EQ(std::count(values.begin(), values.end(), 6), 1);
}

/// Many polygons with the same smallest vertices are told apart, and found again.
TEST(Complex, FacesThatShareTheirSmallestVertices) {
  for (const Index n : {50u, 100u, 40000u}) {
    SCOPED_TRACE(n);
    PolyhedralSoup soup;
    for (Index k = 0; k < n; ++k)
      soup.positions.push_back({static_cast<double>(k), static_cast<double>(k % 7), 0});
    for (Index k = 3; k < n; ++k) add_polygon(soup, {0, 1, 2, k});
    for (Index k = 3; k < n; k += 2) add_polygon(soup, {2, 1, 0, k});  // the same, reversed
    add_polygon(soup, {0, 2, 1, 3});                                   // another one
    const BuildResult result = build_complex(test_device(), soup);
    EXPECT_EQ(result.complex.faces(), n - 3 + 1);
    EXPECT_EQ(result.merged_polygons, (n - 3 + 1) / 2);
    EXPECT_EQ(result.complex.validate(), std::nullopt);
    std::set<std::vector<std::int64_t>> loops;  // as the first polygon of each has them
    for (const auto& loop : rows_of(result.complex, result.complex.face_vertices()))
      loops.insert(loop);
    for (std::int64_t k = 3; k < n; ++k) EXPECT_EQ(loops.count({0, 1, 2, k}), 1u);
    EXPECT_EQ(loops.count({0, 2, 1, 3}), 1u);
  }
}

TEST(Complex, TakesAboutSeventyBytesATetrahedron) {
  const Complex complex = built(tetrahedron_block(12));
  const double bytes = static_cast<double>(complex.bytes()) / complex.cells();
  EXPECT_LT(bytes, 76);
}

}  // namespace
}  // namespace tessera::volume
