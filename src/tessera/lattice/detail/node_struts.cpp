// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/lattice/detail/node_struts.h"

#include "tessera/exec/atomic.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/sort.h"

namespace tessera::lattice::detail {
namespace {

using exec::Buffer;
using exec::View;

struct MakeEnds {
  View<const Vec3d> nodes;
  View<const StrutNodes> struts;
  View<const Vec2f> radii;
  View<StrutEnd> ends;
  View<Treatment> kinds;
  TESSERA_FLAT_KERNEL void operator()(Index s) const {
    const StrutNodes n = struts[s];
    const double r[2] = {radii[s][0], radii[s][1]};
    const Vec3d along = nodes[n[1]] - nodes[n[0]];
    if (r[0] == 0 && r[1] == 0)
      kinds[s] = StrutKind::pinched;
    else if (!(std::abs(r[0] - r[1]) < length(along)))
      kinds[s] = StrutKind::swallowed;
    else
      kinds[s] = StrutKind::shared;
    for (int i = 0; i < 2; ++i) {
      StrutEnd end = kinds[s] == StrutKind::shared ? plain_end(along, radii[s], i)
                                                   : ball_end(length(along), r[i], i);
      end.function = {end.direction * end.secant + turn_of(end.direction), end.sine * end.secant};
      end.node = n[i];
      if (kinds[s] == StrutKind::swallowed && r[i] < r[1 - i]) {
        end.radius = r[1 - i];
        end.node = n[1 - i];
      }
      ends[2 * s + i] = end;
    }
  }
  /// Of a strut that has no cone.
  TESSERA_KERNEL static StrutEnd ball_end(double length, double radius, int which) {
    StrutEnd end{};
    end.length = length;
    end.direction = {0, 0, which == 0 ? 1. : -1.};
    end.cosine = 1;
    end.secant = 1;
    end.radius = radius;
    return end;
  }
};

struct WriteNode {
  View<const StrutNodes> struts;
  View<Index> node;
  TESSERA_KERNEL void operator()(Index e) const {
    node[e] = struts[e / 2][static_cast<int>(e % 2)];
  }
};

struct ReadNode {
  View<const Index> sorted;
  TESSERA_KERNEL Index operator()(Index i) const { return sorted[i]; }
};

struct MarkOwnNodes {
  View<const StrutNodes> struts;
  Index first;
  View<Index> has_own;
  TESSERA_KERNEL void operator()(Index i) const {
    for (const Index n : struts[first + i].v) exec::atomic_max(has_own[n], Index{1});
  }
};

/// Whether strut a gives way to b where they cannot share a node.
TESSERA_KERNEL bool gives_way(const StrutEnd& a, Index strut_a, const StrutEnd& b, Index strut_b) {
  return a.length != b.length ? a.length < b.length : strut_a > strut_b;
}

struct SortEnds {
  View<const StrutEnd> from;
  View<const Index> numbers;
  View<StrutEnd> ends;
  TESSERA_KERNEL void operator()(Index slot) const { ends[slot] = from[numbers[slot]]; }
};

/// Looks at every two struts of a node once.
struct FindCapsules {
  View<const StrutNodes> struts;
  View<const StrutEnd> ends;  ///< sorted by node, as their numbers
  View<const Index> offsets;
  View<const Index> numbers;
  View<const Treatment> kinds;
  View<const Index> has_own;
  View<Index> gives_up;  ///< zero at first
  TESSERA_FLAT_KERNEL void operator()(Index slot) const {
    if (!may_share(slot)) return;
    const StrutEnd& i = ends[slot];
    const Index last = offsets[i.node + 1];
    const bool this_is_wanted = is_wanted(slot);
    for (Index k = slot + 1; k < last; ++k) {
      const StrutEnd& j = ends[k];
      if (surely_share_node(i, j) || !(this_is_wanted || is_wanted(k)) || !may_share(k) ||
          can_share_node(i, j))
        continue;
      const Index a = numbers[slot] / 2;
      const Index b = numbers[k] / 2;
      exec::atomic_max(gives_up[gives_way(i, a, j, b) ? a : b], Index{1});
    }
  }
  /// Whether it matters what becomes of a strut.
  TESSERA_KERNEL bool is_wanted(Index slot) const {
    const StrutNodes at = struts[numbers[slot] / 2];
    return has_own[at[0]] != 0 || has_own[at[1]] != 0;
  }
  TESSERA_KERNEL bool may_share(Index slot) const {
    return kinds[numbers[slot] / 2] == StrutKind::shared && ends[slot].radius != 0;
  }
};

struct MarkCapsules {
  View<const Index> gives_up;
  View<Treatment> kinds;
  TESSERA_KERNEL void operator()(Index s) const {
    if (gives_up[s] != 0) kinds[s] = StrutKind::capsule;
  }
};

/// Puts the ends that share a node first, these in order.
struct PartitionNodes {
  View<const Treatment> kinds;
  View<const Index> offsets;
  View<StrutEnd> ends;
  View<Index> numbers;
  View<Index> slots;
  View<Index> node_share;
  TESSERA_KERNEL void operator()(Index n) const {
    const Index first = offsets[n];
    Index share = 0;
    for (Index k = first; k < offsets[n + 1]; ++k) {
      if (kinds[numbers[k] / 2] != StrutKind::shared || ends[k].radius == 0) continue;
      if (k > first + share) swap(first + share, k);
      ++share;
    }
    node_share[n] = share;
    for (Index k = first; k < offsets[n + 1]; ++k) slots[numbers[k]] = k;
  }
  TESSERA_KERNEL void swap(Index a, Index b) const {
    const Index number = numbers[a];
    const StrutEnd end = ends[a];
    numbers[a] = numbers[b];
    ends[a] = ends[b];
    numbers[b] = number;
    ends[b] = end;
  }
};

struct MarkCovered {
  NodesView nodes;
  View<const StrutEnd> ends;  ///< by their numbers
  StrutRange own;
  View<Treatment> kinds;
  TESSERA_KERNEL void operator()(Index i) const {
    const Index s = own.first + i;
    if (!(kinds[s] == StrutKind::capsule || kinds[s] == StrutKind::swallowed)) return;
    for (Index e = 2 * s; e < 2 * s + 2; ++e) {
      const StrutEnd& end = ends[e];
      for (Index k = 0; k < nodes.node_share[end.node]; ++k)
        if (nodes.ends[nodes.offsets[end.node] + k].radius >= end.radius) {
          kinds[s].cover(e % 2);
          break;
        }
    }
  }
};

}  // namespace

MetaMeshData upload_graph(const exec::Stream& stream, const LatticeGraph& graph) {
  const auto strut_count = static_cast<Index>(graph.struts.size());
  MetaMeshData data;
  data.nodes = exec::upload(stream, graph.nodes);
  data.struts = exec::upload(stream, graph.struts);
  data.ends = Buffer<StrutEnd>(stream, std::size_t{2} * strut_count);
  data.kinds = Buffer<Treatment>(stream, strut_count);
  const Buffer<Vec2f> radii = exec::upload(stream, graph.radii);
  exec::for_each(stream, strut_count,
                 MakeEnds{data.nodes.const_view(), data.struts.const_view(), radii.const_view(),
                          data.ends.view(), data.kinds.view()});
  return data;
}

NodeStruts find_node_struts(const exec::Stream& stream, const LatticeGraph& graph, StrutRange own,
                            MetaMeshData& data) {
  const auto strut_count = static_cast<Index>(graph.struts.size());
  const auto node_count = static_cast<Index>(graph.nodes.size());
  const Index end_count = 2 * strut_count;
  NodeStruts result;
  result.numbers = exec::all_indices(stream, end_count);
  result.node_share = Buffer<Index>(stream, node_count);
  result.has_own = Buffer<Index>(stream, node_count);
  {
    Buffer<Index> node(stream, end_count);
    exec::for_each(stream, end_count, WriteNode{data.struts.const_view(), node.view()});
    exec::sort_pairs(stream, node, result.numbers, exec::bits_for(node_count));
    result.offsets = exec::group_starts(stream, node_count, end_count, ReadNode{node.const_view()});
  }
  exec::fill(stream, result.has_own.view(), 0);
  exec::for_each(stream, own.count,
                 MarkOwnNodes{data.struts.const_view(), own.first, result.has_own.view()});
  result.ends = Buffer<StrutEnd>(stream, end_count);
  exec::for_each(stream, end_count,
                 SortEnds{data.ends.const_view(), result.numbers.const_view(), result.ends.view()});
  {
    Buffer<Index> gives_up(stream, strut_count);
    exec::fill(stream, gives_up.view(), 0);
    exec::for_each(
        stream, end_count,
        FindCapsules{data.struts.const_view(), result.ends.const_view(),
                     result.offsets.const_view(), result.numbers.const_view(),
                     data.kinds.const_view(), result.has_own.const_view(), gives_up.view()});
    exec::for_each(stream, strut_count, MarkCapsules{gives_up.const_view(), data.kinds.view()});
  }
  result.slots = Buffer<Index>(stream, end_count);
  exec::for_each(
      stream, node_count,
      PartitionNodes{data.kinds.const_view(), result.offsets.const_view(), result.ends.view(),
                     result.numbers.view(), result.slots.view(), result.node_share.view()});
  exec::for_each(stream, own.count,
                 MarkCovered{result.view(), data.ends.const_view(), own, data.kinds.view()});
  return result;
}

}  // namespace tessera::lattice::detail
