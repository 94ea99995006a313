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
    const double distance = length(along);
    StrutEnd end{};
    end.length = distance;
    if (r[0] == 0 && r[1] == 0) {
      kinds[s] = StrutKind::pinched;
    } else if (!(std::abs(r[0] - r[1]) < distance)) {
      kinds[s] = StrutKind::swallowed;
    } else {
      kinds[s] = StrutKind::shared;
    }
    const bool has_cone = kinds[s] == StrutKind::shared;
    for (int i = 0; i < 2; ++i) {
      end.direction =
          has_cone ? along * ((i == 0 ? 1 : -1) / distance) : Vec3d{0, 0, i == 0 ? 1. : -1.};
      end.sine = has_cone ? (r[i] - r[1 - i]) / distance : 0;
      end.cosine = std::sqrt(1 - end.sine * end.sine);
      end.secant = 1 / end.cosine;
      end.radius = r[i];
      end.reach = distance / r[1 - i];
      end.function = {end.direction * end.secant + turn_of(end.direction), end.sine * end.secant};
      end.node = n[i];
      if (kinds[s] == StrutKind::swallowed && r[i] < r[1 - i]) {
        end.radius = r[1 - i];
        end.node = n[1 - i];
      }
      ends[2 * s + i] = end;
    }
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

struct FindCapsules {
  View<const StrutEnd> ends;  ///< by their numbers
  View<const Index> offsets;
  View<const Index> numbers;
  View<const Treatment> kinds;
  View<const Index> has_own;
  View<std::uint8_t> gives_up;  ///< for each end
  TESSERA_FLAT_KERNEL void operator()(Index e) const {
    gives_up[e] = 0;
    if (kinds[e / 2] != StrutKind::shared) return;
    const StrutEnd& i = ends[e];
    if (i.radius == 0 || (has_own[i.node] == 0 && has_own[ends[e ^ 1].node] == 0)) return;
    for (Index k = offsets[i.node]; k < offsets[i.node + 1]; ++k) {
      const Index other = numbers[k];
      if (other == e || kinds[other / 2] != StrutKind::shared) continue;
      const StrutEnd& j = ends[other];
      if (j.radius == 0 || !gives_way(i, e / 2, j, other / 2)) continue;
      if (!can_share_node(i, j)) {
        gives_up[e] = 1;
        return;
      }
    }
  }
};

struct MarkCapsules {
  View<const std::uint8_t> gives_up;
  View<Treatment> kinds;
  TESSERA_KERNEL void operator()(Index s) const {
    if (gives_up[2 * s] != 0 || gives_up[2 * s + 1] != 0) kinds[s] = StrutKind::capsule;
  }
};

/// The ends that share a node first, in order.
struct PartitionNodes {
  View<const StrutEnd> ends;
  View<const Treatment> kinds;
  View<const Index> offsets;
  View<Index> numbers;
  View<Index> node_share;
  TESSERA_KERNEL void operator()(Index n) const {
    Index share = 0;
    for (Index k = offsets[n]; k < offsets[n + 1]; ++k) {
      const Index e = numbers[k];
      if (kinds[e / 2] != StrutKind::shared || ends[e].radius == 0) continue;
      for (Index m = k; m > offsets[n] + share; --m) numbers[m] = numbers[m - 1];
      numbers[offsets[n] + share++] = e;
    }
    node_share[n] = share;
  }
};

struct SortEnds {
  View<const StrutEnd> from;
  View<const Index> numbers;
  View<StrutEnd> ends;
  View<Index> slots;
  TESSERA_KERNEL void operator()(Index slot) const {
    ends[slot] = from[numbers[slot]];
    slots[numbers[slot]] = slot;
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
  {
    Buffer<std::uint8_t> gives_up(stream, end_count);
    exec::for_each(stream, end_count,
                   FindCapsules{data.ends.const_view(), result.offsets.const_view(),
                                result.numbers.const_view(), data.kinds.const_view(),
                                result.has_own.const_view(), gives_up.view()});
    exec::for_each(stream, strut_count, MarkCapsules{gives_up.const_view(), data.kinds.view()});
  }
  exec::for_each(
      stream, node_count,
      PartitionNodes{data.ends.const_view(), data.kinds.const_view(), result.offsets.const_view(),
                     result.numbers.view(), result.node_share.view()});
  result.ends = Buffer<StrutEnd>(stream, end_count);
  result.slots = Buffer<Index>(stream, end_count);
  exec::for_each(stream, end_count,
                 SortEnds{data.ends.const_view(), result.numbers.const_view(), result.ends.view(),
                          result.slots.view()});
  exec::for_each(stream, own.count,
                 MarkCovered{result.view(), data.ends.const_view(), own, data.kinds.view()});
  return result;
}

}  // namespace tessera::lattice::detail
