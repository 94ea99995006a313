// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/detail/patch_layout.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "tessera/core/random.h"
#include "tessera/exec/atomic.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/sort.h"

namespace tessera::surface::detail {
namespace {

using exec::Buffer;
using exec::View;

/// Of the patches that meet at a vertex, the owner is the one whose number is smallest after some
/// of its bits are turned over, others at each vertex: a fair draw that needs no memory.
TESSERA_KERNEL constexpr Index bits_to_turn(Index vertex) {
  return static_cast<Index>(Random::mix(vertex + 1) >> 40);
}

struct OfferVertices {
  View<const Triangle> triangles;
  View<const Index> patch_of_face;
  View<Index> owner;
  TESSERA_KERNEL void operator()(Index f) const {
    for (const Index v : triangles[f].v)
      exec::atomic_min(owner[v], patch_of_face[f] ^ bits_to_turn(v));
  }
};

struct SettleVertices {
  View<Index> owner;
  Index nobody;  ///< the number after the last patch, for vertices without faces
  TESSERA_KERNEL void operator()(Index v) const {
    owner[v] = owner[v] == no_index ? nobody : owner[v] ^ bits_to_turn(v);
  }
};

struct OwnEdges {
  EdgeView edges;
  View<const Index> patch_of_face;
  View<Index> owner;
  TESSERA_KERNEL void operator()(Index e) const {
    owner[e] = patch_of_face[edges.half_edge(e, 0) / 3];
  }
};

struct GroupOf {
  View<const Index> sorted;
  TESSERA_KERNEL Index operator()(Index i) const { return sorted[i]; }
};

struct WriteFaceLayout {
  View<const Triangle> triangles;
  View<const Index> edge_of;
  View<const Index> face_order;
  View<const Index> edge_place;
  View<const Index> vertex_place;
  View<Index> corners;
  View<Index> sides;
  TESSERA_KERNEL void operator()(Index i) const {
    const Index f = face_order[i];
    const Triangle t = triangles[f];
    for (Index k = 0; k < 3; ++k) {
      corners[3 * i + k] = vertex_place[t[static_cast<int>(k)]];
      sides[3 * i + k] = edge_place[edge_of[3 * f + k]];
    }
  }
};

struct WriteEdgeLayout {
  View<const VertexPair> vertices;
  View<const Index> edge_order;
  View<const Index> vertex_place;
  View<VertexPair> ends;
  TESSERA_KERNEL void operator()(Index i) const {
    const VertexPair pair = vertices[edge_order[i]];
    ends[i] = {vertex_place[pair[0]], vertex_place[pair[1]]};
  }
};

OwnedElements sort_by_owner(const exec::Stream& stream, Buffer<Index> owner, Index patches) {
  const auto n = static_cast<Index>(owner.size());
  OwnedElements owned{exec::all_indices(stream, n), Buffer<Index>(stream, n), {}, {}};
  exec::sort_pairs(stream, owner, owned.order, exec::bits_for(std::uint64_t{patches} + 1));
  exec::invert(stream, owned.order.const_view(), owned.place.view());
  owned.patch = std::move(owner);
  owned.begin = exec::group_starts(stream, patches, n, GroupOf{owned.patch.const_view()});
  return owned;
}

}  // namespace

PatchLayout lay_out_patches(const exec::Stream& stream, const SortedFaces& sorted,
                            const EdgeTable& edges, const Partition& partition) {
  const auto faces = static_cast<Index>(sorted.triangles.size());
  const auto vertices = static_cast<Index>(sorted.input_of_vertex.size());
  const View<const Index> patch_of_face = partition.patch_of_face.view();
  PatchLayout layout;

  Buffer<Index> face_owner(stream, faces);
  exec::copy_on_device(stream, face_owner.view(), patch_of_face);
  layout.faces = sort_by_owner(stream, std::move(face_owner), partition.patches);

  Buffer<Index> edge_owner(stream, edges.size());
  exec::for_each(stream, edges.size(), OwnEdges{edges.view(), patch_of_face, edge_owner.view()});
  layout.edges = sort_by_owner(stream, std::move(edge_owner), partition.patches);

  Buffer<Index> vertex_owner(stream, vertices);
  exec::fill(stream, vertex_owner.view(), no_index);
  exec::for_each(stream, faces,
                 OfferVertices{sorted.triangles.const_view(), patch_of_face, vertex_owner.view()});
  exec::for_each(stream, vertices, SettleVertices{vertex_owner.view(), partition.patches});
  layout.vertices = sort_by_owner(stream, std::move(vertex_owner), partition.patches);

  layout.corners = Buffer<Index>(stream, std::size_t{3} * faces);
  layout.sides = Buffer<Index>(stream, std::size_t{3} * faces);
  layout.ends = Buffer<VertexPair>(stream, edges.size());
  exec::for_each(stream, faces,
                 WriteFaceLayout{sorted.triangles.const_view(), edges.edge_of.const_view(),
                                 layout.faces.order.const_view(), layout.edges.place.const_view(),
                                 layout.vertices.place.const_view(), layout.corners.view(),
                                 layout.sides.view()});
  exec::for_each(stream, edges.size(),
                 WriteEdgeLayout{edges.vertices.const_view(), layout.edges.order.const_view(),
                                 layout.vertices.place.const_view(), layout.ends.view()});
  return layout;
}

}  // namespace tessera::surface::detail
