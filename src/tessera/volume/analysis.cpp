// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/volume/analysis.h"

#include <limits>

#include "tessera/exec/for_each.h"
#include "tessera/exec/reduce.h"
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
  RelationView<Index> vertex_faces;
  RelationView<Index> vertex_cells;
  View<const std::uint8_t> on_boundary;
  View<const std::uint8_t> bad_edges;
  TESSERA_KERNEL Index operator()(Index v) const {
    if (vertex_cells.size(v) == 0) return 0;
    for (const SignedIndex edge : vertex_edges.row(v))
      if (bad_edges[edge.index()] != 0) return 1;
    // What surrounds a vertex is a surface with a vertex for each edge, an edge for each face and a
    // face for each cell: a sphere, or a disk.
    const std::int64_t euler =
        std::int64_t{vertex_edges.size(v)} - vertex_faces.size(v) + vertex_cells.size(v);
    return euler == (on_boundary[v] != 0 ? 1 : 2) ? 0 : 1;
  }
};

struct BoxOfVertex {
  View<const Vec3d> positions;
  TESSERA_KERNEL Box operator()(Index v) const { return {positions[v], positions[v]}; }
};

template <class T>
CellStatistics statistics_of(const Array<T>& values) {
  CellStatistics result;
  if (values.empty()) return result;
  result.min = std::numeric_limits<double>::infinity();
  result.max = -std::numeric_limits<double>::infinity();
  double sum = 0;
  for (const T value : values) {
    const auto x = static_cast<double>(value);
    sum += x;
    result.min = x < result.min ? x : result.min;
    result.max = x > result.max ? x : result.max;
  }
  result.mean = sum / static_cast<double>(values.size());
  return result;
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
      info.vertices,
      CountNonManifoldVertex{complex.vertex_edges(), complex.vertex_faces(), complex.vertex_cells(),
                             flags.vertices.const_view(), bad_edges.const_view()});

  const CellQualities qualities = cell_qualities(complex);
  for (const CellType type : qualities.types) ++info.cells_of_type[static_cast<std::size_t>(type)];
  for (const double volume : qualities.volumes) {
    info.volume += volume;
    if (volume < 0) ++info.inverted_cells;
  }
  info.scaled_jacobian = statistics_of(qualities.scaled_jacobians);
  info.aspect_ratio = statistics_of(qualities.aspect_ratios);
  info.bounding_box = bounding_box(complex);
  return info;
}

std::optional<Box> bounding_box(const Complex& complex) {
  if (complex.vertices() == 0) return std::nullopt;
  return exec::reduce(complex.stream(), complex.vertices(), Box{}, BoxOfVertex{complex.positions()},
                      UniteBoxes{});
}

}  // namespace tessera::volume
