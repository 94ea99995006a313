// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/lattice/detail/node_loops.h"

#include "tessera/exec/atomic.h"
#include "tessera/exec/for_each.h"
#include "tessera/lattice/detail/offsets.h"

namespace tessera::lattice::detail {
namespace {

using exec::Buffer;
using exec::View;

struct CountNeighbours {
  NodesView nodes;
  View<const StrutKind> kinds;
  View<const Index> has_own;
  View<Index> counts;
  TESSERA_KERNEL void operator()(Index e) const {
    const StrutEnd& end = nodes.ends[e];
    const bool shares =
        kinds[e / 2] == StrutKind::shared && end.radius > 0 && has_own[end.node] != 0;
    counts[e] = shares ? most_neighbours(nodes, e) : 0;
  }
};

struct TraceLoops {
  NodesView nodes;
  View<const Index> room;  ///< where there is room for each loop's neighbours
  View<Index> neighbours;
  View<Index> counts;
  TESSERA_FLAT_KERNEL void operator()(Index e) const {
    Index* const to = neighbours.data() + room[e];
    const bool alone = room[e] == room[e + 1];
    counts[e] = alone ? 0 : trace_loop(nodes, e, [to](Index i, Index end) { to[i] = end; });
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
  View<const Index> room;
  View<const Index> from;
  LoopsView loops;
  View<Index> neighbours;
  View<Junction> junctions;
  TESSERA_FLAT_KERNEL void operator()(Index e) const {
    const Index begin = loops.offsets[e];
    const Index count = loops.offsets[e + 1] - begin;
    for (Index i = 0; i < count; ++i) neighbours[begin + i] = from[room[e] + i];
    if (count < 2) return;
    for (Index i = 0; i < count; ++i)
      junctions[begin + i] = junction_of(nodes, e, loops.before(e, i), loops.at(e, i));
  }
};

/// Three struts meet in a junction if each of them passes there from one of the other two to the
/// other. Rounding could make them disagree; then the node's struts get caps of their own.
struct CheckLoops {
  View<const StrutEnd> ends;
  LoopsView loops;
  View<Index> closed_nodes;
  TESSERA_FLAT_KERNEL void operator()(Index e) const {
    const Index count = loops.counts[e];
    if (count == 0) return;
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

/// Junctions that belong in one place, or nearly so, become one: each takes the place of the first
/// of them, in the order of coordinates. Single precision would tear them apart and join them again
/// in ways that make edges of four facets. A junction looks at those at the other ends of its three
/// arcs; so the three struts that have it see the same, and have it in the same place ever after.
struct MergeJunctions {
  View<const StrutEnd> ends;
  View<const Vec3d> nodes;
  LoopsView loops;
  View<const Index> closed_nodes;
  View<const Junction> junctions;
  View<const Index> crowded_nodes;  ///< those that have arcs so short
  View<const Vec3d> from;
  View<Vec3d> to;
  View<Index> changes;  ///< one number: set if a junction moved

  TESSERA_KERNEL bool has_junctions(Index e) const {
    const Index count = loops.counts[e];
    return count != no_loop && count > 1 && closed_nodes[ends[e].node] == 0;
  }
  TESSERA_FLAT_KERNEL void operator()(Index e) const {
    if (!has_junctions(e) || crowded_nodes[ends[e].node] == 0) return;
    const Index count = loops.counts[e];
    const double nearness = detail::nearness(ends[e], nodes[ends[e].node]);
    bool has_changed = false;
    for (Index i = 0; i < count; ++i) {
      const Index before = i > 0 ? i - 1 : count - 1;
      const Index after = i + 1 < count ? i + 1 : 0;
      Vec3d first = from[loops.offsets[e] + i];
      take_first(first, e, i, before, nearness);
      take_first(first, e, i, after, nearness);
      // The third arc is the border of the two neighbours: it ends here in the loop of the one.
      const Index neighbour = loops.at(e, i);
      const Index at = find(neighbour, e, loops.before(e, i));
      const Index next = at + 1 < loops.counts[neighbour] ? at + 1 : 0;
      if (at != no_index) take_first(first, neighbour, at, next, nearness);
      has_changed = has_changed || first != from[loops.offsets[e] + i];
      to[loops.offsets[e] + i] = first;
    }
    if (has_changed) exec::atomic_max(changes[0], Index{1});
  }
  /// The junction of e before its neighbour `to`, where that follows `from`.
  TESSERA_KERNEL Index find(Index e, Index from_end, Index to_end) const {
    for (Index i = 0; i < loops.counts[e]; ++i)
      if (loops.at(e, i) == to_end && loops.before(e, i) == from_end) return i;
    return no_index;
  }
  TESSERA_KERNEL void take_first(Vec3d& first, Index e, Index i, Index other,
                                 double nearness) const {
    const Index a = loops.offsets[e] + i;
    const Index b = loops.offsets[e] + other;
    if (squared_length(junctions[a].point - junctions[b].point) > nearness * nearness) return;
    const Vec3d candidate = from[b];
    for (int k = 0; k < 3; ++k) {
      if (candidate[k] == first[k]) continue;
      if (candidate[k] < first[k]) first = candidate;
      return;
    }
  }
};

/// Marks the nodes that have arcs between junctions that belong in one place.
struct FindCrowdedNodes {
  View<const StrutEnd> ends;
  View<const Vec3d> nodes;
  LoopsView loops;
  View<const Junction> junctions;
  View<Index> crowded_nodes;
  TESSERA_FLAT_KERNEL void operator()(Index e) const {
    const Index count = loops.counts[e];
    if (count == no_loop || count < 2) return;
    const double nearness = detail::nearness(ends[e], nodes[ends[e].node]);
    const Junction* const all = junctions.data() + loops.offsets[e];
    for (Index i = 0; i < count; ++i) {
      const Vec3d arc = all[i].point - all[i + 1 < count ? i + 1 : 0].point;
      if (squared_length(arc) > nearness * nearness) continue;
      exec::atomic_max(crowded_nodes[ends[e].node], Index{1});
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
Buffer<Vec3d> place_junctions(const exec::Stream& stream, const MetaMeshData& data,
                              const NodeLoops& result) {
  const LoopsView loops = result.view();
  const auto end_count = static_cast<Index>(data.ends.size());
  const auto node_count = static_cast<Index>(data.nodes.size());
  const auto junction_count = static_cast<Index>(result.junctions.size());
  const View<const Junction> junctions = result.junctions.const_view();
  Buffer<Vec3d> places(stream, junction_count);
  exec::for_each(stream, junction_count, ReadPoints{junctions, places.view()});
  Buffer<Index> crowded(stream, node_count);
  exec::fill(stream, crowded.view(), 0);
  exec::for_each(stream, end_count,
                 FindCrowdedNodes{data.ends.const_view(), data.nodes.const_view(), loops, junctions,
                                  crowded.view()});
  Buffer<Vec3d> merged(stream, junction_count);
  exec::copy_on_device(stream, merged.view(), places.const_view());
  Buffer<Index> changes(stream, 1);
  // Places only become smaller, and there are few junctions in one; the limit is for the worst.
  constexpr int most_rounds = 32;
  for (int round = 0; round < most_rounds; ++round) {
    exec::fill(stream, changes.view(), 0);
    exec::for_each(stream, end_count,
                   MergeJunctions{data.ends.const_view(), data.nodes.const_view(), loops,
                                  result.closed_nodes.const_view(), junctions, crowded.const_view(),
                                  places.const_view(), merged.view(), changes.view()});
    places.swap(merged);
    if (exec::download_one(stream, changes, 0) == 0) break;
  }
  return places;
}

}  // namespace

NodeLoops trace_loops(const exec::Stream& stream, const MetaMeshData& data,
                      const NodeStruts& struts) {
  const auto end_count = static_cast<Index>(data.ends.size());
  const auto node_count = static_cast<Index>(data.nodes.size());
  const NodesView nodes = struts.view(data);
  NodeLoops result;
  result.counts = Buffer<Index>(stream, end_count);
  {
    const Offsets room = offsets_of(
        stream, end_count, end_count, "pairs of struts at one node", [&](View<Index> to) {
          return CountNeighbours{nodes, data.kinds.const_view(), struts.has_own.const_view(), to};
        });
    Buffer<Index> traced(stream, room.total);
    exec::for_each(
        stream, end_count,
        TraceLoops{nodes, room.offsets.const_view(), traced.view(), result.counts.view()});
    Offsets packed = offsets_of(stream, end_count, end_count, "junctions", [&](View<Index> to) {
      return LoopSize{result.counts.const_view(), to};
    });
    result.offsets = std::move(packed.offsets);
    result.neighbours = Buffer<Index>(stream, packed.total);
    result.junctions = Buffer<Junction>(stream, packed.total);
    exec::for_each(stream, end_count,
                   WriteLoops{nodes, room.offsets.const_view(), traced.const_view(), result.view(),
                              result.neighbours.view(), result.junctions.view()});
  }
  result.closed_nodes = Buffer<Index>(stream, node_count);
  exec::fill(stream, result.closed_nodes.view(), 0);
  exec::for_each(stream, end_count,
                 CheckLoops{data.ends.const_view(), result.view(), result.closed_nodes.view()});
  result.places = place_junctions(stream, data, result);
  return result;
}

}  // namespace tessera::lattice::detail
