// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"
#include "tessera/surface/carried_view.h"
#include "tessera/surface/detail/edges.h"

namespace tessera::surface {

/// What kernels see of a DynamicMesh. Half-edge h = 3 f + k goes from corner k of face f to its
/// next corner. Elements that are no more keep their place until the mesh is packed.
struct DynamicView {
  /// Of an edge: a crease, which stays an edge or becomes a chain of edges.
  static constexpr std::uint8_t crease = 1;
  /// Of a crease or border: it is one of TriangleSoup::ridges.
  static constexpr std::uint8_t given = 4;
  /// Of an edge: it stays as it is.
  static constexpr std::uint8_t frozen = 2;
  /// Of a vertex: it neither moves nor goes.
  static constexpr Index fixed = 1;
  /// Of a vertex: the mesh was cut there, and others become one with it again.
  static constexpr Index cut = 2;

  exec::View<Triangle> triangles;       ///< of faces that are no more: no_index
  exec::View<Index> twins;              ///< the half-edge on the other side; no_index: border
  exec::View<Index> vertex_edges;       ///< one that leaves the vertex; no_index: it is no more
  exec::View<Vec3d> positions;          ///< of vertices
  exec::View<std::uint8_t> edge_marks;  ///< the same for both half-edges of an edge
  exec::View<Index> vertex_marks;
  exec::View<const Index> copy_of;  ///< the vertex it becomes one with, if any
  exec::View<Index> homes;          ///< of faces: the place beside which pack() puts them
  CarriedView carried;

  TESSERA_KERNEL static Index next(Index h) { return detail::next_corner(h); }
  TESSERA_KERNEL static Index previous(Index h) { return detail::previous_corner(h); }
  TESSERA_KERNEL Index from(Index h) const { return triangles[h / 3][static_cast<int>(h % 3)]; }
  TESSERA_KERNEL Index to(Index h) const { return from(next(h)); }
  /// The third vertex of the half-edge's face.
  TESSERA_KERNEL Index opposite(Index h) const { return from(previous(h)); }
  TESSERA_KERNEL bool is_border(Index h) const { return twins[h] == no_index; }
  TESSERA_KERNEL bool is_face(Index f) const { return triangles[f][0] != no_index; }
  TESSERA_KERNEL bool is_vertex(Index v) const { return vertex_edges[v] != no_index; }
  /// Every edge has one half-edge that stands for it.
  TESSERA_KERNEL bool is_edge(Index h) const {
    return is_face(h / 3) && (is_border(h) || h < twins[h]);
  }
  TESSERA_KERNEL bool is_on_border(Index v) const { return is_border(vertex_edges[v]); }
  TESSERA_KERNEL bool is_fixed(Index v) const { return (vertex_marks[v] & fixed) != 0; }
  /// The same for all vertices that become one.
  TESSERA_KERNEL Index origin(Index v) const { return copy_of[v] == no_index ? v : copy_of[v]; }
  TESSERA_KERNEL bool is_cut(Index v) const { return (vertex_marks[v] & cut) != 0; }
  TESSERA_KERNEL bool is_crease(Index h) const { return (edge_marks[h] & crease) != 0; }
  TESSERA_KERNEL bool is_frozen(Index h) const { return (edge_marks[h] & frozen) != 0; }

  /// A border or a crease.
  TESSERA_KERNEL bool is_line(Index h) const { return is_border(h) || is_crease(h); }
  /// The normal of a face, as long as twice its area.
  TESSERA_KERNEL Vec3d area(Index f) const {
    const Triangle t = triangles[f];
    const Vec3d p = positions[t[0]];
    return cross(positions[t[1]] - p, positions[t[2]] - p);
  }

  /// The height of a face on its longest side, over that side.
  TESSERA_KERNEL double height_ratio(Index f) const {
    const Triangle t = triangles[f];
    double longest = 0;
    for (int k = 0; k < 3; ++k)
      longest = std::fmax(longest, squared_length(positions[t[(k + 1) % 3]] - positions[t[k]]));
    return longest > 0 ? length(area(f)) / longest : 0;
  }
  /// Faces with less are slivers: corners that are not exact make them face anywhere.
  static constexpr double sliver_ratio = 0.1;

  /// Calls f(h) for the half-edges that leave a vertex, counter-clockwise, from the border on where
  /// there is one. f returns whether to go on.
  template <class F>
  TESSERA_KERNEL void visit_star(Index v, const F& f) const {
    const Index first = vertex_edges[v];
    Index h = first;
    do {
      if (!f(h)) return;
      h = twins[previous(h)];
    } while (h != first && h != no_index);
  }
  /// Calls f(other end) for the lines (is_line) at a vertex.
  template <class F>
  TESSERA_KERNEL void visit_lines(Index v, const F& f) const {
    visit_star(v, [&](Index h) {
      if (is_line(h)) f(to(h));
      const Index back = previous(h);
      if (is_border(back)) f(from(back));
      return true;
    });
  }
  /// The lines at a vertex: how many, and from it to the other ends of the first two.
  struct Lines {
    Index count = 0;
    Vec3d ends[2] = {};
  };
  TESSERA_KERNEL Lines lines_at(Index v) const {
    Lines lines;
    visit_lines(v, [&](Index other) {
      if (lines.count < 2) lines.ends[lines.count] = positions[other] - positions[v];
      ++lines.count;
    });
    return lines;
  }
  /// The angle of a half-edge's face where it starts.
  TESSERA_KERNEL double angle(Index h) const {
    const Vec3d p = positions[from(h)];
    const Vec3d a = positions[to(h)] - p;
    const Vec3d b = positions[opposite(h)] - p;
    return std::atan2(length(cross(a, b)), dot(a, b));
  }
  /// Whether a vertex has more than a number of edges.
  TESSERA_KERNEL bool has_more_edges(Index v, Index number) const {
    Index count = is_on_border(v) ? 1 : 0;
    visit_star(v, [&](Index) { return ++count <= number; });
    return count > number;
  }
  /// How many edges a vertex has.
  TESSERA_KERNEL Index valence(Index v) const {
    Index count = is_on_border(v) ? 1 : 0;
    visit_star(v, [&count](Index) {
      ++count;
      return true;
    });
    return count;
  }
};

}  // namespace tessera::surface
