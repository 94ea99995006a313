// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/volume/analysis.h"

#include <cmath>

#include "tessera/core/random.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/sort.h"
#include "tessera/volume/boundary.h"
#include "tessera/volume/quality.h"

namespace tessera::volume {
namespace {

using exec::Buffer;
using exec::View;

struct AsNumber {
  View<const std::uint8_t> flags;
  TESSERA_KERNEL Index operator()(Index i) const { return flags[i]; }
};

template <class Entry>
struct IsEmptyRow {
  RelationView<Entry> relation;
  TESSERA_KERNEL Index operator()(Index i) const { return relation.size(i) == 0 ? 1 : 0; }
};

TESSERA_KERNEL bool is_non_manifold(const TernaryView& face_cells, Index f) {
  Index behind = 0;
  Index before = 0;
  for (const SignedIndex cell : face_cells.row(f)) ++(cell.is_reversed() ? before : behind);
  return behind > 1 || before > 1;
}

struct CountNonManifoldFace {
  TernaryView face_cells;
  TESSERA_KERNEL Index operator()(Index f) const { return is_non_manifold(face_cells, f) ? 1 : 0; }
};

struct FlagNonManifoldEdge {
  TernaryView edge_faces;
  TernaryView face_cells;
  RelationView<Index> edge_cells;
  View<std::uint8_t> flags;
  TESSERA_KERNEL void operator()(Index e) const { flags[e] = is_non_manifold_edge(e) ? 1 : 0; }

 private:
  TESSERA_KERNEL bool is_non_manifold_edge(Index e) const {
    const Index cells = edge_cells.size(e);
    if (cells == 0) return false;
    Index between = 0;
    for (const SignedIndex face : edge_faces.row(e)) {
      if (is_non_manifold(face_cells, face.index()) || face_cells.size(face.index()) == 0)
        return true;
      if (face_cells.size(face.index()) == 2) ++between;
    }
    return cells - between > 1;  // an open fan has one cell more than faces between cells
  }
};

struct CountNonManifoldVertex {
  TernaryView vertex_edges;
  TernaryView edge_faces;
  RelationView<Index> vertex_faces;
  RelationView<Index> vertex_cells;
  View<const std::uint8_t> on_boundary;
  View<const std::uint8_t> bad_edges;
  TESSERA_KERNEL Index operator()(Index v) const {
    if (vertex_cells.size(v) == 0) return 0;
    std::int64_t edges = 0;
    for (const SignedIndex edge : vertex_edges.row(v)) {
      if (bad_edges[edge.index()] != 0) return 1;
      if (edge_faces.size(edge.index()) > 0) ++edges;
    }
    // What surrounds a vertex is a surface with a vertex for each edge, an edge for each face and a
    // face for each cell: a sphere, or a disk.
    const std::int64_t euler = edges - vertex_faces.size(v) + vertex_cells.size(v);
    return euler == (on_boundary[v] != 0 ? 1 : 2) ? 0 : 1;
  }
};

struct BoxOfVertex {
  View<const Vec3d> positions;
  TESSERA_KERNEL Box operator()(Index v) const { return {positions[v], positions[v]}; }
};

/// Two numbers that stand for the set of a cell's faces, whatever their order: sums of mixed
/// numbers. Other sets have the same two by chance once in 2^128.
struct FacesOfCell {
  TernaryView cell_faces;
  std::uint64_t seed;
  TESSERA_KERNEL std::uint64_t operator()(Index c) const {
    std::uint64_t sum = 0;
    for (const SignedIndex face : cell_faces.row(c)) sum += Random::mix(face.index() + seed);
    return sum;
  }
};

struct WriteFacesOfCell {
  FacesOfCell faces;
  View<std::uint64_t> keys;
  TESSERA_KERNEL void operator()(Index c) const { keys[c] = faces(c); }
};

/// Whether a cell has the faces of the one before it in an order by their first numbers.
struct IsDuplicate {
  View<const std::uint64_t> keys;
  View<const Index> order;
  FacesOfCell second;
  TESSERA_KERNEL Index operator()(Index i) const {
    if (i == 0 || keys[i] != keys[i - 1]) return 0;
    return second(order[i]) == second(order[i - 1]) ? 1 : 0;
  }
};

Index count_duplicates(const Complex& complex) {
  const exec::Stream& stream = complex.stream();
  const Index cells = complex.cells();
  Buffer<std::uint64_t> keys(stream, cells);
  exec::for_each(stream, cells, WriteFacesOfCell{{complex.cell_faces(), 1}, keys.view()});
  Buffer<Index> order = exec::all_indices(stream, cells);
  exec::sort_pairs(stream, keys, order);
  return exec::reduce(
      stream, cells, Index{0},
      IsDuplicate{
          keys.const_view(), order.const_view(), {complex.cell_faces(), std::uint64_t{1} << 40}},
      exec::Plus{});
}

std::optional<CellStatistics> statistics_of(const Array<float>& values) {
  CellStatistics result;
  double sum = 0;
  Index count = 0;
  for (std::size_t c = 0; c < values.size(); ++c) {
    const auto x = static_cast<double>(values[c]);
    if (!std::isfinite(x)) continue;
    const auto cell = static_cast<Index>(c);
    if (count == 0 || x < result.min) result.min = x, result.min_cell = cell;
    if (count == 0 || x > result.max) result.max = x, result.max_cell = cell;
    sum += x;
    ++count;
  }
  if (count == 0) return std::nullopt;
  result.mean = sum / static_cast<double>(count);
  return result;
}

void add_qualities(const CellQualities& qualities, ComplexInfo& info) {
  for (std::size_t c = 0; c < qualities.types.size(); ++c) {
    ++info.cells_of_type[static_cast<std::size_t>(qualities.types[c])];
    const double volume = qualities.volumes[c];
    if (std::isfinite(volume)) info.volume += volume;
    if (volume < 0) ++info.inverted_cells;
    if (qualities.scaled_jacobians[c] <= 0) ++info.bad_cells;
    if (!std::isfinite(volume) || !std::isfinite(qualities.scaled_jacobians[c]) ||
        !std::isfinite(qualities.aspect_ratios[c]))
      ++info.cells_without_quality;
  }
  info.scaled_jacobian = statistics_of(qualities.scaled_jacobians);
  info.aspect_ratio = statistics_of(qualities.aspect_ratios);
}

}  // namespace

ComplexInfo analyze(const Complex& complex) {
  const exec::Stream& stream = complex.stream();
  const auto count = [&](Index n, const auto& map) {
    return exec::reduce(stream, n, Index{0}, map, exec::Plus{});
  };
  ComplexInfo info;
  info.vertices = complex.vertices();
  info.edges = complex.edges();
  info.faces = complex.faces();
  info.cells = complex.cells();
  info.euler_characteristic = std::int64_t{info.vertices} - info.edges + info.faces - info.cells;

  const BoundaryFlags flags = boundary_flags(complex);
  info.boundary_faces = count(info.faces, AsNumber{flags.faces.const_view()});
  info.boundary_edges = count(info.edges, AsNumber{flags.edges.const_view()});
  info.boundary_vertices = count(info.vertices, AsNumber{flags.vertices.const_view()});

  info.faces_without_cells = count(info.faces, IsEmptyRow<SignedIndex>{complex.face_cells()});
  info.edges_without_faces = count(info.edges, IsEmptyRow<SignedIndex>{complex.edge_faces()});
  info.vertices_without_edges =
      count(info.vertices, IsEmptyRow<SignedIndex>{complex.vertex_edges()});
  info.non_manifold_faces = count(info.faces, CountNonManifoldFace{complex.face_cells()});
  Buffer<std::uint8_t> bad_edges(stream, info.edges);
  exec::for_each(stream, info.edges,
                 FlagNonManifoldEdge{complex.edge_faces(), complex.face_cells(),
                                     complex.edge_cells(), bad_edges.view()});
  info.non_manifold_edges = count(info.edges, AsNumber{bad_edges.const_view()});
  info.non_manifold_vertices = count(
      info.vertices, CountNonManifoldVertex{complex.vertex_edges(), complex.edge_faces(),
                                            complex.vertex_faces(), complex.vertex_cells(),
                                            flags.vertices.const_view(), bad_edges.const_view()});

  info.duplicate_cells = count_duplicates(complex);
  add_qualities(cell_qualities(complex), info);
  info.bounding_box = bounding_box(complex);
  return info;
}

std::optional<Box> bounding_box(const Complex& complex) {
  if (complex.vertices() == 0) return std::nullopt;
  return exec::reduce(complex.stream(), complex.vertices(), Box{}, BoxOfVertex{complex.positions()},
                      UniteBoxes{});
}

}  // namespace tessera::volume
