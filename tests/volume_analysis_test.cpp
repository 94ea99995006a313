// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "tessera/core/error.h"
#include "tessera/volume/analysis.h"
#include "tessera/volume/build.h"
#include "tessera/volume/extract.h"
#include "tessera/volume/quality.h"
#include "tessera/volume/soup.h"
#include "tessera/volume/subdivide.h"
#include "test_device.h"
#include "volume_meshes.h"

namespace tessera::volume {
namespace {

Complex built(const PolyhedralSoup& soup) {
  return build_complex(test_device(), soup).complex;
}

TEST(VolumeAnalysis, Block) {
  const ComplexInfo info = analyze(built(hexahedron_block(2, 3, 4)));
  EXPECT_EQ(info.vertices, 3u * 4 * 5);
  EXPECT_EQ(info.cells, 24u);
  EXPECT_EQ(info.cells_of_type, (std::array<Index, 5>{0, 0, 0, 24, 0}));
  EXPECT_EQ(info.euler_characteristic, 1);
  EXPECT_EQ(info.boundary_faces, 2u * (2 * 3 + 3 * 4 + 2 * 4));
  EXPECT_EQ(info.boundary_vertices, info.vertices - 1u * 2 * 3);
  EXPECT_EQ(info.boundary_edges, 2 * info.boundary_faces);  // a closed surface of quadrilaterals
  EXPECT_EQ(info.non_manifold_faces + info.non_manifold_edges + info.non_manifold_vertices, 0u);
  EXPECT_NEAR(info.volume, 24, 1e-12);
  EXPECT_EQ(info.inverted_cells, 0u);
  EXPECT_FLOAT_EQ(static_cast<float>(info.scaled_jacobian->min), 1);
  EXPECT_FLOAT_EQ(static_cast<float>(info.aspect_ratio->max), 1);
  ASSERT_TRUE(info.bounding_box);
  EXPECT_EQ(info.bounding_box->max, (Vec3d{2, 3, 4}));
}

TEST(VolumeAnalysis, ManifoldMeshesAreSaidToBe) {
  for (const PolyhedralSoup& soup :
       {tetrahedron_block(4), two_tetrahedra(3), polygon_prism(9), pyramid_soup()}) {
    const ComplexInfo info = analyze(subdivide(built(soup)));
    EXPECT_EQ(info.non_manifold_faces, 0u);
    EXPECT_EQ(info.non_manifold_edges, 0u);
    EXPECT_EQ(info.non_manifold_vertices, 0u);
    EXPECT_EQ(info.euler_characteristic, 1);
  }
}

TEST(VolumeAnalysis, NonManifoldElements) {
  const ComplexInfo by_vertex = analyze(built(two_tetrahedra(1)));
  EXPECT_EQ(by_vertex.non_manifold_vertices, 1u);
  EXPECT_EQ(by_vertex.non_manifold_edges, 0u);
  const ComplexInfo by_edge = analyze(built(two_tetrahedra(2)));
  EXPECT_EQ(by_edge.non_manifold_edges, 1u);
  EXPECT_EQ(by_edge.non_manifold_vertices, 2u);
  const ComplexInfo more = analyze(built(non_manifold_soup()));
  EXPECT_EQ(more.non_manifold_faces, 1u);
  EXPECT_EQ(more.non_manifold_edges, 3u);
  EXPECT_EQ(more.faces_without_cells, 1u);
  EXPECT_EQ(more.edges_without_faces, 1u);
  EXPECT_EQ(more.vertices_without_edges, 1u);
}

TEST(VolumeAnalysis, NothingAtAll) {
  const ComplexInfo info = analyze(built({}));
  EXPECT_EQ(info.cells, 0u);
  EXPECT_EQ(info.euler_characteristic, 0);
  EXPECT_EQ(info.volume, 0);
  EXPECT_FALSE(info.bounding_box);
  EXPECT_FALSE(info.scaled_jacobian);
  EXPECT_FALSE(info.aspect_ratio);
}

TEST(VolumeAnalysis, DanglingEdgesAreNoFault) {
  PolyhedralSoup soup = tetrahedron_soup();
  soup.positions.push_back({5, 5, 5});
  soup.segments.push_back({0, 4});
  const ComplexInfo info = analyze(built(soup));
  EXPECT_EQ(info.edges_without_faces, 1u);
  EXPECT_EQ(info.non_manifold_vertices, 0u);
}

TEST(VolumeAnalysis, DuplicateCells) {
  PolyhedralSoup soup = tetrahedron_block(2);
  EXPECT_EQ(analyze(built(soup)).duplicate_cells, 0u);
  const Index* t = soup.cell_entries.data();
  const Index first[4] = {t[0], t[1], t[2], t[3]};
  add_cell(soup, CellType::tetrahedron, {first[0], first[1], first[2], first[3]});
  add_cell(soup, CellType::tetrahedron, {first[2], first[3], first[0], first[1]});
  EXPECT_EQ(analyze(built(soup)).duplicate_cells, 2u);
}

TEST(VolumeAnalysis, BadCellsAndTheWorst) {
  PolyhedralSoup soup = hexahedron_block(3, 1, 1);
  soup.positions[2] = {2, 0, 1.5};  // above the corner that is over it
  const ComplexInfo info = analyze(built(soup));
  EXPECT_EQ(info.bad_cells, 2u);
  EXPECT_EQ(info.cells_without_quality, 0u);
  ASSERT_TRUE(info.scaled_jacobian);
  const CellQualities qualities = cell_qualities(built(soup));
  const auto worst =
      std::min_element(qualities.scaled_jacobians.begin(), qualities.scaled_jacobians.end());
  EXPECT_EQ(info.scaled_jacobian->min_cell, worst - qualities.scaled_jacobians.begin());
  EXPECT_FLOAT_EQ(static_cast<float>(info.scaled_jacobian->min), *worst);
}

TEST(VolumeAnalysis, CellsWithoutQuality) {
  PolyhedralSoup soup = two_tetrahedra(3);
  soup.positions[4] = {1e200, 1e200, 1e200};  // its volume is too large a number
  ComplexInfo info = analyze(built(soup));
  EXPECT_EQ(info.cells_without_quality, 1u);
  EXPECT_TRUE(std::isfinite(info.volume));
  ASSERT_TRUE(info.scaled_jacobian && info.aspect_ratio);
  EXPECT_TRUE(std::isfinite(info.scaled_jacobian->mean));
  for (Vec3d& p : soup.positions) p = p * 1e200;
  soup.positions[4] = {1e200, 1e200, 1e200};
  info = analyze(built(soup));
  EXPECT_EQ(info.cells_without_quality, 2u);
  EXPECT_EQ(info.volume, 0);
  EXPECT_FALSE(info.scaled_jacobian);
  soup = two_tetrahedra(3);
  soup.positions[4] = soup.positions[1];  // an edge without length
  info = analyze(built(soup));
  EXPECT_EQ(info.cells_without_quality, 1u);
  ASSERT_TRUE(info.aspect_ratio);
  EXPECT_NEAR(info.aspect_ratio->max, std::sqrt(2), 1e-6);
}

TEST(VolumeQuality, WithoutACornerOfThreeEdges) {
  PolyhedralSoup soup;  // an octahedron
  soup.positions = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  std::vector<Index> faces;
  for (Index i = 0; i < 4; ++i) {
    faces.push_back(add_polygon(soup, {i, (i + 1) % 4, 4}));
    faces.push_back(add_polygon(soup, {(i + 1) % 4, i, 5}));
  }
  add_polyhedron(soup, faces);
  EXPECT_TRUE(std::isnan(cell_qualities(built(soup)).scaled_jacobians[0]));
  const ComplexInfo info = analyze(built(soup));
  EXPECT_EQ(info.bad_cells, 0u);
  EXPECT_EQ(info.cells_without_quality, 1u);
}

TEST(VolumeQuality, RegularCellsAreTheBest) {
  PolyhedralSoup regular = tetrahedron_soup();
  regular.positions = {{1, 1, 1}, {-1, -1, 1}, {-1, 1, -1}, {1, -1, -1}};
  PolyhedralSoup prism = prism_soup();
  for (Vec3d& p : prism.positions) p[0] += p[1] / 2, p[1] *= std::sqrt(0.75);
  PolyhedralSoup pyramid = pyramid_soup();
  pyramid.positions[4][2] = std::sqrt(0.5);
  for (const PolyhedralSoup& soup : {regular, prism, pyramid, hexahedron_block(1, 1, 1)}) {
    const CellQualities qualities = cell_qualities(built(soup));
    EXPECT_EQ(qualities.types[0], soup.cell_types[0]);
    EXPECT_NEAR(qualities.scaled_jacobians[0], 1, 1e-6);
    EXPECT_NEAR(qualities.aspect_ratios[0], 1, 1e-6);
  }
  const CellQualities corner = cell_qualities(built(tetrahedron_soup()));
  EXPECT_NEAR(corner.volumes[0], 1.0 / 6, 1e-15);
  EXPECT_NEAR(corner.aspect_ratios[0], std::sqrt(2), 1e-6);
  EXPECT_NEAR(corner.scaled_jacobians[0], std::sqrt(2) / 2, 1e-6);  // at the slanted corners
}

/// Large cells find the edges at their corners in another way.
TEST(VolumeQuality, LargePolyhedra) {
  for (const Index n : {4u, 12u, 16u, 17u, 200u}) {
    SCOPED_TRACE(n);
    PolyhedralSoup soup = polygon_prism(n);
    const double angle = 3.14159265358979 * (1 - 2.0 / n);
    const CellQualities qualities = cell_qualities(built(soup));
    EXPECT_NEAR(qualities.scaled_jacobians[0], std::sin(angle), 1e-6);
    soup.positions[n][2] = -0.5;  // one edge upside down
    soup.positions[0][2] = 0.5;
    EXPECT_LT(cell_qualities(built(soup)).scaled_jacobians[0], 0);
  }
}

TEST(VolumeQuality, InvertedCells) {
  PolyhedralSoup soup = hexahedron_block(2, 2, 2);
  soup.positions[13] = {1.9, 1.9, 3.5};  // the middle, pulled out through the top
  const ComplexInfo info = analyze(built(soup));
  EXPECT_GT(info.inverted_cells, 0u);
  EXPECT_LT(info.scaled_jacobian->min, 0);
  EXPECT_NEAR(info.volume, 8, 1e-12);  // what one loses another gains
}

/// The cells of a soup as sets of vertices; of polyhedra those of their polygons.
std::vector<std::set<Index>> cells_of(const PolyhedralSoup& soup) {
  std::vector<std::set<Index>> cells;
  for (std::size_t c = 0; c < soup.cell_count(); ++c) {
    std::set<Index> cell;
    for (Index i = soup.cell_offsets[c]; i < soup.cell_offsets[c + 1]; ++i) {
      const Index entry = soup.cell_entries[i];
      if (soup.cell_types[c] != CellType::polyhedron) {
        cell.insert(entry);
        continue;
      }
      const Index polygon = std::min(entry, ~entry);
      cell.insert(soup.polygon_corners.begin() + soup.polygon_offsets[polygon],
                  soup.polygon_corners.begin() + soup.polygon_offsets[polygon + 1]);
    }
    cells.push_back(cell);
  }
  return cells;
}

/// What the cells of one of volume_meshes() are once corners in one place are taken as one, and
/// polyhedra that have the shape of another kind are of that kind.
Array<CellType> types_of(const PolyhedralSoup& soup) {
  Array<CellType> types = soup.cell_types;
  const auto cells = cells_of(soup);
  for (std::size_t c = 0; c < types.size(); ++c) {
    if (types[c] == CellType::hexahedron && cells[c].size() == 6) types[c] = CellType::prism;
    if (types[c] == CellType::hexahedron && cells[c].size() == 5) types[c] = CellType::pyramid;
    if (types[c] == CellType::polyhedron && cells[c].size() == 8) types[c] = CellType::hexahedron;
  }
  return types;
}

TEST(VolumeSoup, ThereAndBack) {
  for (const auto& [name, soup] : volume_meshes()) {
    SCOPED_TRACE(name);
    const Complex complex = built(soup);
    const PolyhedralSoup back = to_soup(complex);
    ASSERT_EQ(back.validate(), std::nullopt);
    EXPECT_EQ(back.positions, soup.positions);
    EXPECT_EQ(back.cell_types, types_of(soup));
    EXPECT_EQ(cells_of(back), cells_of(soup));
    const Complex again = built(back);
    EXPECT_EQ(again.validate(), std::nullopt);
    EXPECT_EQ(again.edges(), complex.edges());
    EXPECT_EQ(again.faces(), complex.faces());
    const CellQualities before = cell_qualities(complex);
    const CellQualities after = cell_qualities(again);
    for (std::size_t c = 0; c < before.volumes.size(); ++c)
      EXPECT_NEAR(before.volumes[c], after.volumes[c], 1e-14);
  }
}

TEST(VolumeSoup, CornersAreInTheOrderThatFilesAsk) {
  for (PolyhedralSoup soup :
       {tetrahedron_soup(), pyramid_soup(), prism_soup(), hexahedron_block(1, 1, 1)}) {
    // Two more cells of the kind: should the first come back mirrored, they keep all from being
    // turned.
    const auto corners = static_cast<Index>(soup.cell_entries.size());
    for (Index copy = 1; copy <= 2; ++copy) {
      for (Index v = 0; v < corners; ++v)
        soup.positions.push_back(soup.positions[v] + Vec3d{3.0 * copy, 0, 0});
      for (Index i = 0; i < corners; ++i)
        soup.cell_entries.push_back(soup.cell_entries[i] + copy * corners);
      soup.cell_types.push_back(soup.cell_types[0]);
      soup.cell_offsets.push_back(static_cast<Index>(soup.cell_entries.size()));
    }
    PolyhedralSoup back = to_soup(built(soup));
    ASSERT_EQ(back.cell_types, soup.cell_types);
    const auto corner = [&](Index i) { return back.positions[back.cell_entries[i]]; };
    const Index above = soup.cell_types[0] == CellType::tetrahedron ? 3
                        : soup.cell_types[0] == CellType::prism     ? 3
                                                                    : 4;
    EXPECT_GT(dot(cross(corner(1) - corner(0), corner(2) - corner(0)), corner(above) - corner(0)),
              0);
    // The first as it came back, beside the two others as they were.
    std::copy(soup.cell_entries.begin() + corners, soup.cell_entries.end(),
              back.cell_entries.begin() + corners);
    EXPECT_GT(cell_qualities(built(back)).volumes[0], 0);
  }
}

TEST(VolumeSoup, CellsThatOnlyCountLikeOthersStayPolyhedra) {
  const Complex complex = built(hanging_soup());
  EXPECT_EQ(cell_qualities(complex).types[0], CellType::polyhedron);
  EXPECT_EQ(to_soup(complex).cell_types[0], CellType::polyhedron);
  // Slices of an orange: six quadrilaterals and eight vertices, as a hexahedron has.
  PolyhedralSoup soup;
  for (Index i = 0; i < 6; ++i)
    soup.positions.push_back(
        {std::cos(i * 3.14159265358979 / 3), std::sin(i * 3.14159265358979 / 3), 0});
  soup.positions.insert(soup.positions.end(), {{0, 0, 1}, {0, 0, -1}});
  std::vector<Index> slices;
  for (Index i = 0; i < 6; ++i) slices.push_back(add_polygon(soup, {6, i, 7, (i + 1) % 6}));
  add_polyhedron(soup, slices);
  const Complex orange = built(soup);
  EXPECT_EQ(cell_qualities(orange).types[0], CellType::polyhedron);
  EXPECT_EQ(cells_of(to_soup(orange)), cells_of(soup));
}

TEST(VolumeExtract, SlicesKeepWholeCells) {
  PolyhedralSoup soup = tetrahedron_block(4);
  Array<std::int32_t> numbers;
  for (std::size_t c = 0; c < soup.cell_count(); ++c) numbers.push_back(static_cast<int>(c));
  soup.cell_attributes.push_back({"number", 1, numbers});
  Array<double> heights;
  for (const Vec3d& p : soup.positions) heights.push_back(p[2]);
  soup.vertex_attributes.push_back({"height", 1, heights});
  const Complex complex = built(soup);
  const Complex half = slice(complex, {{1, 2, 3}, 11});
  EXPECT_EQ(half.validate(), std::nullopt);
  const auto& kept = std::get<Array<std::int32_t>>(half.attributes(Element::cell)[0].values);
  std::vector<std::int32_t> expected;
  const auto cells = cells_of(soup);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    double sum = 0;
    for (const Index v : cells[c]) sum += dot(Vec3d{1, 2, 3}, soup.positions[v]) - 11;
    if (sum < 0) expected.push_back(static_cast<std::int32_t>(c));
  }
  EXPECT_EQ(std::vector<std::int32_t>(kept.begin(), kept.end()), expected);
  const auto positions = exec::download(half.stream(), half.positions());
  const auto& z = std::get<Array<double>>(half.attributes(Element::vertex)[0].values);
  for (std::size_t v = 0; v < positions.size(); ++v) EXPECT_EQ(positions[v][2], z[v]);
  const Complex other = slice(complex, {{1, 2, 3}, 11}, Side::front);
  EXPECT_EQ(half.cells() + other.cells(), complex.cells());
  EXPECT_THROW(slice(complex, {{0, 0, 0}, 1}), InputError);
  EXPECT_EQ(slice(complex, {{1, 0, 0}, -5}).vertices(), 0u);
}

TEST(VolumeExtract, CellsInThePlaneAreOnOneSide) {
  const Complex row = built(hexahedron_block(3, 1, 1));
  EXPECT_EQ(slice(row, {{1, 0, 0}, 1.5}).cells(), 1u);  // through the middle of the second
  EXPECT_EQ(slice(row, {{1, 0, 0}, 1.5}, Side::front).cells(), 2u);
}

TEST(VolumeExtract, OfEveryMesh) {
  for (const auto& [name, soup] : volume_meshes()) {
    SCOPED_TRACE(name);
    const Complex complex = built(soup);
    const Plane plane{{1, 0.1, 0.2}, 0.6};
    const Complex behind = slice(complex, plane);
    const Complex front = slice(complex, plane, Side::front);
    EXPECT_EQ(behind.validate(), std::nullopt);
    EXPECT_EQ(front.validate(), std::nullopt);
    EXPECT_EQ(behind.cells() + front.cells(), complex.cells());
  }
}

/// Tetrahedra with a labelled face between them, one on the boundary, and a segment on a face.
PolyhedralSoup labelled_soup() {
  PolyhedralSoup soup = two_tetrahedra(3);
  add_polygon(soup, {1, 2, 3});
  add_polygon(soup, {0, 1, 2});
  soup.polygon_attributes.push_back({"ref", 1, Array<std::int32_t>{77, 5}});
  soup.segments.push_back({0, 1});
  soup.segment_attributes.push_back({"ref", 1, Array<std::int32_t>{9}});
  soup.precision = Precision::float32;
  return soup;
}

TEST(VolumeSoup, GivesBackWhatTheSoupNamed) {
  const PolyhedralSoup soup = labelled_soup();
  const PolyhedralSoup back = to_soup(built(soup));
  EXPECT_EQ(back.precision, Precision::float32);
  EXPECT_EQ(back.segments, soup.segments);
  EXPECT_EQ(back.polygon_count(), 2u);
  EXPECT_EQ(back.polygon_corners, (Array<Index>{0, 1, 2, 1, 2, 3}));
  EXPECT_EQ(std::get<Array<std::int32_t>>(back.polygon_attributes.at(0).values),
            (Array<std::int32_t>{5, 77}));
  EXPECT_EQ(std::get<Array<std::int32_t>>(back.segment_attributes.at(0).values),
            (Array<std::int32_t>{9}));
  // Polygons that are there for the sake of polyhedra are not named: these are hexahedra now.
  EXPECT_EQ(to_soup(built(inside_out_soup())).polygon_count(), 0u);
}

TEST(VolumeSoup, NamesGoAlong) {
  const Complex complex = built(labelled_soup());
  const Complex fine = subdivide(complex);
  EXPECT_EQ(fine.validate(), std::nullopt);
  EXPECT_EQ(fine.origin().count_faces(), 6u);
  EXPECT_EQ(fine.origin().count_edges(), 2u);
  const PolyhedralSoup soup = to_soup(fine);
  EXPECT_EQ(soup.polygon_count(), 6u);
  EXPECT_EQ(soup.segments.size(), 2u);
  for (const Segment& segment : soup.segments) EXPECT_LT(std::min(segment[0], segment[1]), 2u);
  EXPECT_EQ(std::get<Array<std::int32_t>>(soup.segment_attributes.at(0).values),
            (Array<std::int32_t>{9, 9}));
  EXPECT_EQ(soup.precision, Precision::float32);
  const auto& refs = std::get<Array<std::int32_t>>(soup.polygon_attributes.at(0).values);
  EXPECT_EQ(std::count(refs.begin(), refs.end(), 77), 3);
  const Complex same = subdivide(complex, {0, {}});
  EXPECT_EQ(to_soup(same).polygon_count(), 2u);
  // Of the second cell, which has the face between and not the segment.
  const Array<std::uint8_t> second{0, 1};
  const Complex half = extract_cells(complex, exec::upload(complex.stream(), second).const_view());
  EXPECT_EQ(half.validate(), std::nullopt);
  EXPECT_EQ(half.origin().count_faces(), 1u);
  EXPECT_EQ(half.origin().count_edges(), 0u);
  EXPECT_EQ(to_soup(half).segments.size(), 0u);
  EXPECT_EQ(to_soup(half).polygon_count(), 1u);
}

TEST(VolumeSoup, PolygonsThatAreOneFace) {
  PolyhedralSoup soup = labelled_soup();
  soup.polygon_attributes.clear();
  soup.segment_attributes.clear();
  add_polygon(soup, {3, 2, 1});
  soup.segments.push_back({1, 0});
  const BuildResult result = build_complex(test_device(), soup);
  EXPECT_EQ(result.merged_polygons, 1u);
  EXPECT_EQ(result.merged_segments, 1u);
  EXPECT_EQ(result.notes.size(), 2u);
}

}  // namespace
}  // namespace tessera::volume
