// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/lattice/detail/node_loops.h"

#include <cstdint>
#include <utility>

#include "tessera/exec/atomic.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/reduce.h"
#include "tessera/lattice/detail/node_hull.h"
#include "tessera/lattice/detail/offsets.h"

namespace tessera::lattice::detail {
namespace {

using exec::Buffer;
using exec::View;

struct CountNeighbours {
  NodesView nodes;
  View<const Index> has_own;
  View<Index> counts;
  TESSERA_KERNEL void operator()(Index slot) const {
    const bool has_loop = has_own[nodes.ends[slot].node] != 0 && nodes.shares(slot);
    counts[slot] = has_loop ? most_neighbours(nodes, slot) : 0;
  }
};

/// The loops of nodes whose struts are all cylinders and not too many.
struct TraceNodes {
  NodesView nodes;
  View<const Index> has_own;
  View<const Index> room;  ///< where there is room for each loop's neighbours
  View<Index> neighbours;
  View<Index> counts;
  View<std::uint8_t> is_hull;  ///< for each node
  TESSERA_FLAT_KERNEL void operator()(Index node) const {
    is_hull[node] = 0;
    const Index first = nodes.offsets[node];
    const Index size = nodes.node_share[node];
    if (has_own[node] == 0 || size < NodeHull::least || size > NodeHull::most ||
        !nodes.are_cylinders(node))
      return;
    NodeHull hull;
    if (!hull.build(nodes.sharing(node))) return;
    is_hull[node] = 1;
    for (Index i = 0; i < size; ++i) {
      Index* const to = neighbours.data() + room[first + i];
      counts[first + i] = hull.visit_loop(i, [to, first](Index k, Index j) { to[k] = first + j; });
    }
  }
};

/// The others.
struct TraceLoops {
  NodesView nodes;
  View<const std::uint8_t> is_hull;
  View<const Index> room;
  View<Index> neighbours;
  View<Index> counts;
  TESSERA_FLAT_KERNEL void operator()(Index slot) const {
    const bool is_alone = room[slot] == room[slot + 1];
    if (!is_alone && is_hull[nodes.ends[slot].node] != 0) return;
    Index* const to = neighbours.data() + room[slot];
    counts[slot] =
        is_alone ? 0 : trace_loop(nodes, slot, [to](Index i, Index end) { to[i] = end; });
  }
};

struct LoopSize {
  View<const Index> counts;
  View<Index> sizes;
  TESSERA_KERNEL void operator()(Index e) const { sizes[e] = counts[e] == no_loop ? 0 : counts[e]; }
};

/// Moves the loops close together, with the junction before each neighbour.
struct WriteLoops {
  NodesView nodes;
  View<const std::uint8_t> is_hull;
  View<const Index> room;
  View<const Index> from;
  LoopsView loops;
  View<Index> neighbours;
  View<Junction> junctions;
  TESSERA_FLAT_KERNEL void operator()(Index slot) const {
    const Index begin = loops.offsets[slot];
    const Index count = loops.offsets[slot + 1] - begin;
    const Index* const loop = from.data() + room[slot];
    for (Index i = 0; i < count; ++i) neighbours[begin + i] = loop[i];
    if (count < 2) return;
    const bool is_shared = is_hull[nodes.ends[slot].node] != 0;
    for (Index i = 0; i < count; ++i) {
      const Index before = loop[i > 0 ? i - 1 : count - 1];
      const Index after = loop[i];
      if (!is_shared) {
        junctions[begin + i] = junction_of(nodes, slot, before, after);
      } else if (slot < before && slot < after) {
        // The three struts of a hull's triangle agree: one computes their junction for all.
        const Junction junction = junction_of(nodes, slot, before, after);
        junctions[begin + i] = junction;
        junctions[place_in(before, slot)] = junction;
        junctions[place_in(after, before)] = junction;
      }
    }
  }
  /// Of a neighbour in a loop that has it.
  TESSERA_KERNEL Index place_in(Index slot, Index neighbour) const {
    Index i = 0;
    while (from[room[slot] + i] != neighbour) ++i;
    return loops.offsets[slot] + i;
  }
};

/// Three struts meet in a junction if each of them passes there from one of the other two to the
/// other. Rounding could make them disagree, except in a hull; then the node's struts get caps of
/// their own.
struct CheckLoops {
  View<const StrutEnd> ends;
  View<const std::uint8_t> is_hull;
  LoopsView loops;
  View<Index> closed_nodes;
  TESSERA_FLAT_KERNEL void operator()(Index e) const {
    const Index count = loops.counts[e];
    if (count == 0 || is_hull[ends[e].node] != 0) return;
    bool fits = count != no_loop;
    for (Index i = 0; fits && i < count; ++i)
      fits = count == 1 ? loops.counts[loops.at(e, 0)] == 1
                        : passes(loops.at(e, i), loops.after(e, i), e);
    if (!fits) exec::atomic_max(closed_nodes[ends[e].node], Index{1});
  }
  TESSERA_KERNEL bool passes(Index e, Index from, Index to) const {
    const Index count = loops.counts[e];
    if (count == no_loop) return false;
    for (Index i = 0; i < count; ++i)
      if (loops.at(e, i) == from && loops.after(e, i) == to) return true;
    return false;
  }
};

/// Marks the arcs between junctions that belong in one place, and the nodes that have such.
struct FindShortArcs {
  View<const StrutEnd> ends;
  View<const Vec3d> nodes;
  LoopsView loops;
  View<const Junction> junctions;
  View<std::uint8_t> is_short;  ///< the arc that starts at each junction
  View<Index> crowded_nodes;
  TESSERA_FLAT_KERNEL void operator()(Index e) const {
    const Index count = loops.counts[e];
    if (count == no_loop || count < 2) return;
    const double nearness = detail::nearness(ends[e], nodes[ends[e].node]);
    const Index begin = loops.offsets[e];
    bool has_short = false;
    for (Index i = 0; i < count; ++i) {
      const Vec3d arc =
          junctions[begin + i].point - junctions[begin + (i + 1 < count ? i + 1 : 0)].point;
      const bool here = squared_length(arc) <= nearness * nearness;
      is_short[begin + i] = here ? 1 : 0;
      has_short = has_short || here;
    }
    if (has_short) exec::atomic_max(crowded_nodes[ends[e].node], Index{1});
  }
};

/// The junctions that belong in one place with each: those at the other ends of its three arcs,
/// where these are short.
struct NearJunctions {
  View<Index> before;
  View<Index> after;
  View<Index> across;
};

/// Whether a loop of so many neighbours has junctions, at a node where some belong in one place.
TESSERA_KERNEL bool is_crowded(Index count, Index node, View<const Index> closed_nodes,
                               View<const Index> crowded_nodes) {
  return count != no_loop && count > 1 && closed_nodes[node] == 0 && crowded_nodes[node] != 0;
}

struct FindNearJunctions {
  View<const StrutEnd> ends;
  LoopsView loops;
  View<const Index> closed_nodes;
  View<const Index> crowded_nodes;
  View<const std::uint8_t> is_short;
  NearJunctions near;
  TESSERA_FLAT_KERNEL void operator()(Index e) const {
    const Index count = loops.counts[e];
    if (!is_crowded(count, ends[e].node, closed_nodes, crowded_nodes)) return;
    const Index begin = loops.offsets[e];
    for (Index i = 0; i < count; ++i) {
      const Index before = begin + (i > 0 ? i - 1 : count - 1);
      const Index after = begin + (i + 1 < count ? i + 1 : 0);
      near.before[begin + i] = is_short[before] != 0 ? before : no_index;
      near.after[begin + i] = is_short[begin + i] != 0 ? after : no_index;
      near.across[begin + i] = across(loops.at(e, i), e, loops.before(e, i));
    }
  }
  /// The third arc is the border of the two neighbours: it starts here in the loop of the one.
  TESSERA_KERNEL Index across(Index e, Index from_end, Index to_end) const {
    const Index begin = loops.offsets[e];
    for (Index i = 0; i < loops.counts[e]; ++i) {
      if (loops.at(e, i) != to_end || loops.before(e, i) != from_end) continue;
      if (is_short[begin + i] == 0) return no_index;
      return begin + (i + 1 < loops.counts[e] ? i + 1 : 0);
    }
    return no_index;
  }
};

/// Junctions that belong in one place become one: each takes the place of the first of them, in the
/// order of coordinates. Single precision would tear them apart and join them again in ways that
/// make edges of four facets. The three struts that have a junction see the same, and have it in
/// the same place ever after.
struct MergeJunctions {
  View<const StrutEnd> ends;
  LoopsView loops;
  View<const Index> closed_nodes;
  View<const Index> crowded_nodes;
  NearJunctions near;
  View<const Vec3d> from;
  View<Vec3d> to;
  View<Index> changes;  ///< one number: set if a junction moved

  TESSERA_FLAT_KERNEL void operator()(Index e) const {
    const Index count = loops.counts[e];
    if (!is_crowded(count, ends[e].node, closed_nodes, crowded_nodes)) return;
    bool has_changed = false;
    const Index begin = loops.offsets[e];
    for (Index i = begin; i < begin + count; ++i) {
      Vec3d first = from[i];
      take_first(first, near.before[i]);
      take_first(first, near.after[i]);
      take_first(first, near.across[i]);
      has_changed = has_changed || first != from[i];
      to[i] = first;
    }
    if (has_changed) exec::atomic_max(changes[0], Index{1});
  }
  TESSERA_KERNEL void take_first(Vec3d& first, Index other) const {
    if (other == no_index) return;
    const Vec3d candidate = from[other];
    for (int k = 0; k < 3; ++k) {
      if (candidate[k] == first[k]) continue;
      if (candidate[k] < first[k]) first = candidate;
      return;
    }
  }
};

struct ReadPoints {
  View<const Junction> junctions;
  View<Vec3d> points;
  TESSERA_KERNEL void operator()(Index i) const { points[i] = junctions[i].point; }
};

/// Finds the places of junctions.
Buffer<Vec3d> place_junctions(const exec::Stream& stream, const NodesView& struts,
                              View<const Vec3d> nodes, const NodeLoops& result) {
  const LoopsView loops = result.view();
  const auto end_count = static_cast<Index>(struts.ends.size());
  const auto node_count = static_cast<Index>(nodes.size());
  const auto junction_count = static_cast<Index>(result.junctions.size());
  const View<const Junction> junctions = result.junctions.const_view();
  Buffer<Vec3d> places(stream, junction_count);
  exec::for_each(stream, junction_count, ReadPoints{junctions, places.view()});
  Buffer<Index> crowded(stream, node_count);
  exec::fill(stream, crowded.view(), 0);
  Buffer<std::uint8_t> is_short(stream, junction_count);
  exec::for_each(
      stream, end_count,
      FindShortArcs{struts.ends, nodes, loops, junctions, is_short.view(), crowded.view()});
  if (exec::reduce(stream, crowded.const_view(), Index{0}, exec::Maximum{}) == 0) return places;

  Buffer<Index> before(stream, junction_count);
  Buffer<Index> after(stream, junction_count);
  Buffer<Index> across(stream, junction_count);
  const NearJunctions near{before.view(), after.view(), across.view()};
  exec::for_each(stream, end_count,
                 FindNearJunctions{struts.ends, loops, result.closed_nodes.const_view(),
                                   crowded.const_view(), is_short.const_view(), near});
  Buffer<Vec3d> merged(stream, junction_count);
  exec::copy_on_device(stream, merged.view(), places.const_view());
  Buffer<Index> changes(stream, 1);
  // Places only become smaller, and there are few junctions in one; the limit is for the worst.
  constexpr int most_rounds = 32;
  for (int round = 0; round < most_rounds; ++round) {
    exec::fill(stream, changes.view(), 0);
    exec::for_each(
        stream, end_count,
        MergeJunctions{struts.ends, loops, result.closed_nodes.const_view(), crowded.const_view(),
                       near, places.const_view(), merged.view(), changes.view()});
    places.swap(merged);
    if (exec::download_one(stream, changes, 0) == 0) break;
  }
  return places;
}

}  // namespace

NodeLoops trace_loops(const exec::Stream& stream, View<const Vec3d> positions,
                      const NodeStruts& struts) {
  const auto end_count = static_cast<Index>(struts.ends.size());
  const auto node_count = static_cast<Index>(positions.size());
  const NodesView nodes = struts.view();
  NodeLoops result;
  result.counts = Buffer<Index>(stream, end_count);
  result.is_hull = Buffer<std::uint8_t>(stream, node_count);
  {
    const Offsets room = offsets_of(
        stream, end_count, end_count, "pairs of struts at one node", [&](View<Index> to) {
          return CountNeighbours{nodes, struts.has_own.const_view(), to};
        });
    Buffer<Index> traced(stream, room.total);
    exec::for_each(stream, node_count,
                   TraceNodes{nodes, struts.has_own.const_view(), room.offsets.const_view(),
                              traced.view(), result.counts.view(), result.is_hull.view()});
    exec::for_each(stream, end_count,
                   TraceLoops{nodes, result.is_hull.const_view(), room.offsets.const_view(),
                              traced.view(), result.counts.view()});
    Offsets packed = offsets_of(stream, end_count, end_count, "junctions", [&](View<Index> to) {
      return LoopSize{result.counts.const_view(), to};
    });
    result.offsets = std::move(packed.offsets);
    result.neighbours = Buffer<Index>(stream, packed.total);
    result.junctions = Buffer<Junction>(stream, packed.total);
    exec::for_each(stream, end_count,
                   WriteLoops{nodes, result.is_hull.const_view(), room.offsets.const_view(),
                              traced.const_view(), result.view(), result.neighbours.view(),
                              result.junctions.view()});
  }
  result.closed_nodes = Buffer<Index>(stream, node_count);
  exec::fill(stream, result.closed_nodes.view(), 0);
  exec::for_each(stream, end_count,
                 CheckLoops{struts.ends.const_view(), result.is_hull.const_view(), result.view(),
                            result.closed_nodes.view()});
  result.places = place_junctions(stream, nodes, positions, result);
  return result;
}

}  // namespace tessera::lattice::detail
