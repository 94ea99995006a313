// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"

namespace tessera::surface::detail {

using tessera::VertexPair;

/// Half-edge h = 3 f + k goes from corner k of face f to its next corner, and is opposite to the
/// corner after that one. A corner has the number of the half-edge that leaves it.
TESSERA_KERNEL constexpr Index next_corner(Index h) {
  return h % 3 == 2 ? h - 2 : h + 1;
}
TESSERA_KERNEL constexpr Index previous_corner(Index h) {
  return h % 3 == 0 ? h + 2 : h - 1;
}
TESSERA_KERNEL constexpr Index vertex_at(exec::View<const Triangle> triangles, Index corner) {
  return triangles[corner / 3][static_cast<int>(corner % 3)];
}

/// What a kernel sees of an EdgeTable.
struct EdgeView {
  exec::View<const VertexPair> vertices;
  exec::View<const Index> offsets;
  exec::View<const Index> half_edges;
  exec::View<const Index> edge_of;

  /// How many half-edges an edge has.
  TESSERA_KERNEL Index count(Index edge) const { return offsets[edge + 1] - offsets[edge]; }
  /// The i-th half-edge of an edge.
  TESSERA_KERNEL Index half_edge(Index edge, Index i) const {
    return half_edges[offsets[edge] + i];
  }
  /// How many faces an edge has. A face with a repeated vertex passes an edge there and back: that
  /// is one face with two half-edges, which follow each other since half-edges are sorted.
  TESSERA_KERNEL Index face_count(Index edge) const {
    Index faces = 0;
    for (Index i = offsets[edge]; i < offsets[edge + 1]; ++i)
      if (i == offsets[edge] || half_edges[i] / 3 != half_edges[i - 1] / 3) ++faces;
    return faces;
  }
};

// What an edge between two different vertices is, by its number of faces, each counted once.
TESSERA_KERNEL constexpr bool is_boundary(Index faces_at_edge) {
  return faces_at_edge == 1;
}
TESSERA_KERNEL constexpr bool is_non_manifold(Index faces_at_edge) {
  return faces_at_edge > 2;
}

struct IsBoundaryEdge {
  EdgeView edges;
  TESSERA_KERNEL bool operator()(Index e) const { return is_boundary(edges.face_count(e)); }
};

/// The undirected edges of triangles, numbered in the order of their vertex pairs. Half-edges from
/// a vertex to itself, which faces with a repeated vertex have, belong to no edge unless asked for.
struct EdgeTable {
  exec::Buffer<VertexPair> vertices;  ///< the smaller and the larger vertex of each edge
  exec::Buffer<Index> offsets;        ///< edge e has half_edges[offsets[e] .. offsets[e + 1] - 1]
  exec::Buffer<Index> half_edges;     ///< edge after edge, ascending within an edge
  exec::Buffer<Index> edge_of;        ///< of each half-edge; no_index where it belongs to none

  Index size() const { return static_cast<Index>(vertices.size()); }
  EdgeView view() const {
    return {vertices.view(), offsets.view(), half_edges.view(), edge_of.view()};
  }
};

/// What to do with half-edges from a vertex to itself.
enum class Loops { left_out, kept };

/// Vertex numbers are below `vertices`, and there are fewer than 2^32 / 3 faces, as
/// TriangleSoup::validate() checks.
EdgeTable build_edges(const exec::Stream& stream, exec::View<const Triangle> triangles,
                      std::size_t vertices, Loops loops = Loops::left_out);

}  // namespace tessera::surface::detail
