// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/detail/edges.h"

#include <cstdint>
#include <utility>

#include "tessera/exec/compact.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/sort.h"

namespace tessera::surface::detail {
namespace {

using exec::Buffer;
using exec::View;

/// Half-edges without an edge get the largest key, which no edge has since its vertices differ,
/// and so come last. Kept loops have the key of their vertex twice.
struct WriteKeys {
  View<const Triangle> triangles;
  View<std::uint64_t> keys;
  View<Index> half_edges;
  int bits;
  Loops loops;

  TESSERA_KERNEL void operator()(Index f) const {
    const Triangle t = triangles[f];
    for (int k = 0; k < 3; ++k) {
      const std::uint64_t a = t[k];
      const std::uint64_t b = t[k == 2 ? 0 : k + 1];
      const Index h = 3 * f + static_cast<Index>(k);
      keys[h] = a < b                  ? (a << bits) | b
                : b < a                ? (b << bits) | a
                : loops == Loops::kept ? (a << bits) | a
                                       : ~std::uint64_t{0} >> (64 - 2 * bits);
      half_edges[h] = h;
    }
  }
};

struct SelfLoops {
  View<const Triangle> triangles;
  TESSERA_KERNEL Index operator()(Index f) const {
    const Triangle t = triangles[f];
    return (t[0] == t[1] ? 1u : 0u) + (t[1] == t[2] ? 1u : 0u) + (t[2] == t[0] ? 1u : 0u);
  }
};

struct WriteEdges {
  View<const std::uint64_t> keys;
  View<const Index> half_edges;
  View<const Index> starts;
  View<VertexPair> vertices;
  View<Index> offsets;
  View<Index> edge_of;
  Index used;
  int bits;

  TESSERA_KERNEL void operator()(Index e) const {
    const Index begin = starts[e];
    const Index end = e + 1 < vertices.size() ? starts[e + 1] : used;
    const std::uint64_t key = keys[begin];
    vertices[e] = {static_cast<Index>(key >> bits),
                   static_cast<Index>(key & ((std::uint64_t{1} << bits) - 1))};
    offsets[e] = begin;
    if (end == used) offsets[e + 1] = used;
    for (Index i = begin; i < end; ++i) edge_of[half_edges[i]] = e;
  }
};

struct MarkUnused {
  View<const Index> half_edges;
  View<Index> edge_of;
  Index used;
  TESSERA_KERNEL void operator()(Index i) const { edge_of[half_edges[used + i]] = no_index; }
};

}  // namespace

EdgeTable build_edges(const exec::Stream& stream, View<const Triangle> triangles,
                      std::size_t vertices, Loops loops) {
  const auto faces = static_cast<Index>(triangles.size());
  const Index all = 3 * faces;
  const int bits = exec::bits_for(vertices);
  EdgeTable table;
  table.half_edges = Buffer<Index>(stream, all);
  table.edge_of = Buffer<Index>(stream, all);

  Buffer<std::uint64_t> keys(stream, all);
  exec::for_each(stream, faces,
                 WriteKeys{triangles, keys.view(), table.half_edges.view(), bits, loops});
  exec::sort_pairs(stream, keys, table.half_edges, 2 * bits);
  const Index unused = loops == Loops::kept ? 0
                                            : exec::reduce(stream, faces, Index{0},
                                                           SelfLoops{triangles}, exec::Plus{});
  const Index used = all - unused;

  Buffer<Index> starts(stream, used);
  const Index edges =
      exec::compact(stream, used, exec::StartsRun<std::uint64_t>{keys.const_view()}, starts.view());
  table.vertices = Buffer<VertexPair>(stream, edges);
  table.offsets = Buffer<Index>(stream, std::size_t{edges} + 1);
  if (edges == 0) exec::fill(stream, table.offsets.view(), 0);
  exec::for_each(
      stream, edges,
      WriteEdges{keys.const_view(), table.half_edges.const_view(), starts.const_view(),
                 table.vertices.view(), table.offsets.view(), table.edge_of.view(), used, bits});
  exec::for_each(stream, unused,
                 MarkUnused{table.half_edges.const_view(), table.edge_of.view(), used});
  return table;
}

}  // namespace tessera::surface::detail
