// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// The rules of Joy and MacCracken for Catmull-Clark solids. With C the mean of a cell's vertices, A
// that of a face's, M the middle of an edge and P a vertex: a face inside becomes (C + 2 A + C) /
// 4, an edge inside of n faces (mean C + 2 mean A + (n - 3) M) / n, a vertex inside (mean C + 3
// mean A + 3 mean M + P) / 8. On the boundary those of Catmull and Clark for surfaces.
#include "tessera/volume/detail/subdivide_positions.h"

#include <cstdint>

#include "tessera/exec/for_each.h"
#include "tessera/volume/boundary.h"

namespace tessera::volume::detail {
namespace {

using exec::Buffer;
using exec::View;

struct MeanOfVertices {
  View<const Vec3d> positions;
  RelationView<Index> vertices;
  View<Vec3d> means;
  TESSERA_KERNEL void operator()(Index i) const {
    const View<const Index> row = vertices.row(i);
    Vec3d sum{};
    for (const Index v : row) sum += positions[v];
    means[i] = row.empty() ? sum : sum * (1.0 / static_cast<double>(row.size()));
  }
};

/// The mean of some values; adds up as it goes.
struct Mean {
  Vec3d sum{};
  Index count = 0;
  TESSERA_KERNEL void add(const Vec3d& value) {
    sum += value;
    ++count;
  }
  TESSERA_KERNEL Vec3d value() const {
    return count == 0 ? sum : sum * (1.0 / static_cast<double>(count));
  }
};

struct PlaceFacePoint {
  TernaryView face_cells;
  View<const std::uint8_t> on_boundary;
  View<const Vec3d> cell_means;
  View<const Vec3d> face_means;
  View<Vec3d> points;
  TESSERA_KERNEL void operator()(Index f) const {
    if (on_boundary[f] != 0) {
      points[f] = face_means[f];
      return;
    }
    Mean cells;
    for (const SignedIndex c : face_cells.row(f)) cells.add(cell_means[c.index()]);
    points[f] = (cells.value() + face_means[f]) * 0.5;
  }
};

/// What vertices of the old mesh ask of an edge on the boundary.
enum class EdgeKind : std::uint8_t { inside, boundary, crease };

struct PlaceEdgePoint {
  View<const Vec3d> positions;
  View<const EdgeVertices> edge_vertices;
  TernaryView edge_faces;
  RelationView<Index> edge_cells;
  View<const std::uint8_t> face_on_boundary;
  View<const Vec3d> cell_means;
  View<const Vec3d> face_means;
  View<EdgeKind> kinds;
  View<Vec3d> points;

  TESSERA_KERNEL void operator()(Index e) const {
    const Vec3d middle = (positions[edge_vertices[e][0]] + positions[edge_vertices[e][1]]) * 0.5;
    Mean faces;
    Mean boundary;
    for (const SignedIndex f : edge_faces.row(e)) {
      faces.add(face_means[f.index()]);
      if (face_on_boundary[f.index()] != 0) boundary.add(face_means[f.index()]);
    }
    if (boundary.count == 2) {
      kinds[e] = EdgeKind::boundary;
      points[e] = (middle + boundary.value()) * 0.5;
      return;
    }
    if (boundary.count > 0 || faces.count == 0) {
      kinds[e] = EdgeKind::crease;
      points[e] = middle;
      return;
    }
    Mean cells;
    for (const Index c : edge_cells.row(e)) cells.add(cell_means[c]);
    const auto n = static_cast<double>(faces.count);
    kinds[e] = EdgeKind::inside;
    points[e] = (cells.value() + faces.value() * 2 + middle * (n - 3)) * (1 / n);
  }
};

struct PlaceVertexPoint {
  View<const Vec3d> positions;
  View<const EdgeVertices> edge_vertices;
  TernaryView vertex_edges;
  RelationView<Index> vertex_faces;
  RelationView<Index> vertex_cells;
  View<const EdgeKind> edge_kinds;
  View<const std::uint8_t> face_on_boundary;
  View<const Vec3d> cell_means;
  View<const Vec3d> face_means;
  View<Vec3d> points;

  TESSERA_KERNEL void operator()(Index v) const {
    const Vec3d p = positions[v];
    Mean edges;
    Mean boundary_edges;
    Mean creases;
    for (const SignedIndex e : vertex_edges.row(v)) {
      const EdgeVertices ends = edge_vertices[e.index()];
      const Vec3d middle = (positions[ends[0]] + positions[ends[1]]) * 0.5;
      edges.add(middle);
      const EdgeKind kind = edge_kinds[e.index()];
      if (kind == EdgeKind::boundary) boundary_edges.add(middle);
      if (kind == EdgeKind::crease) creases.add(middle);
    }
    points[v] = creases.count > 0          ? on_crease(p, creases)
                : boundary_edges.count > 0 ? on_boundary(v, p, boundary_edges)
                                           : inside(v, p, edges);
  }

 private:
  TESSERA_KERNEL static Vec3d on_crease(const Vec3d& p, const Mean& creases) {
    return creases.count == 2 ? (p + creases.value()) * 0.5 : p;
  }
  TESSERA_KERNEL Vec3d on_boundary(Index v, const Vec3d& p, const Mean& boundary_edges) const {
    Mean faces;
    for (const Index f : vertex_faces.row(v))
      if (face_on_boundary[f] != 0) faces.add(face_means[f]);
    const auto n = static_cast<double>(faces.count);
    return (faces.value() + boundary_edges.value() * 2 + p * (n - 3)) * (1 / n);
  }
  TESSERA_KERNEL Vec3d inside(Index v, const Vec3d& p, const Mean& edges) const {
    Mean cells;
    for (const Index c : vertex_cells.row(v)) cells.add(cell_means[c]);
    if (cells.count == 0) return p;
    Mean faces;
    for (const Index f : vertex_faces.row(v)) faces.add(face_means[f]);
    return (cells.value() + faces.value() * 3 + edges.value() * 3 + p) * 0.125;
  }
};

}  // namespace

exec::Buffer<Vec3d> subdivide_positions(const Complex& complex) {
  const exec::Stream& stream = complex.stream();
  const Index vertices = complex.vertices();
  const Index edges = complex.edges();
  const Index faces = complex.faces();
  const Index cells = complex.cells();
  Buffer<Vec3d> points(stream, std::size_t{vertices} + edges + faces + cells);
  const View<Vec3d> cell_points =
      points.view().subview(std::size_t{vertices} + edges + faces, cells);
  exec::for_each(stream, cells,
                 MeanOfVertices{complex.positions(), complex.cell_vertices(), cell_points});
  Buffer<Vec3d> face_means(stream, faces);
  exec::for_each(stream, faces,
                 MeanOfVertices{complex.positions(), complex.face_vertices(), face_means.view()});
  const Buffer<std::uint8_t> on_boundary = boundary_face_flags(complex);
  exec::for_each(stream, faces,
                 PlaceFacePoint{complex.face_cells(), on_boundary.const_view(), cell_points,
                                face_means.const_view(),
                                points.view().subview(std::size_t{vertices} + edges, faces)});
  Buffer<EdgeKind> edge_kinds(stream, edges);
  exec::for_each(stream, edges,
                 PlaceEdgePoint{complex.positions(), complex.edge_vertices(), complex.edge_faces(),
                                complex.edge_cells(), on_boundary.const_view(), cell_points,
                                face_means.const_view(), edge_kinds.view(),
                                points.view().subview(vertices, edges)});
  exec::for_each(
      stream, vertices,
      PlaceVertexPoint{complex.positions(), complex.edge_vertices(), complex.vertex_edges(),
                       complex.vertex_faces(), complex.vertex_cells(), edge_kinds.const_view(),
                       on_boundary.const_view(), cell_points, face_means.const_view(),
                       points.view().subview(0, vertices)});
  return points;
}

}  // namespace tessera::volume::detail
