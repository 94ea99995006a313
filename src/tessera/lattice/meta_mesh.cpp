// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Meta-meshes: Zou and Gao, sections 4.1 and 4.3, with the geometry of detail/strut_end.h.
#include "tessera/lattice/meta_mesh.h"

#include <memory>
#include <utility>

#include "tessera/core/error.h"
#include "tessera/exec/atomic.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/sort.h"
#include "tessera/lattice/detail/arc_loop.h"
#include "tessera/lattice/detail/meta_mesh_data.h"
#include "tessera/lattice/detail/offsets.h"

namespace tessera::lattice {
namespace {

using detail::Border;
using detail::BorderEnd;
using detail::Junction;
using detail::no_loop;
using detail::NodesView;
using detail::Offsets;
using detail::StrutEnd;
using detail::StrutKind;
using exec::Buffer;
using exec::View;

struct MakeEnds {
  View<const Vec3d> nodes;
  View<const StrutNodes> struts;
  View<const Vec2f> radii;
  View<StrutEnd> ends;
  View<StrutKind> kinds;
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
      end.radius = r[i];
      end.reach = distance / r[1 - i];
      end.function = {end.direction * (1 / end.cosine) + detail::turn_of(end.direction),
                      end.sine / end.cosine};
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

/// Whether strut a gives way to b where they cannot share a node.
TESSERA_KERNEL bool gives_way(const StrutEnd& a, Index strut_a, const StrutEnd& b, Index strut_b) {
  return a.length != b.length ? a.length < b.length : strut_a > strut_b;
}

struct FindCapsules {
  NodesView nodes;
  View<const StrutKind> kinds;
  View<std::uint8_t> gives_up;  ///< for each end
  TESSERA_FLAT_KERNEL void operator()(Index e) const {
    gives_up[e] = 0;
    if (kinds[e / 2] != StrutKind::shared) return;
    const StrutEnd i = nodes.ends[e];
    if (i.radius == 0) return;
    for (Index k = nodes.offsets[i.node]; k < nodes.offsets[i.node + 1]; ++k) {
      const Index other = nodes.node_ends[k];
      if (other == e || kinds[other / 2] != StrutKind::shared) continue;
      const StrutEnd& j = nodes.ends[other];
      if (j.radius == 0 || !gives_way(i, e / 2, j, other / 2)) continue;
      if (!detail::can_share_node(i, j)) {
        gives_up[e] = 1;
        return;
      }
    }
  }
};

struct MarkCapsules {
  View<const std::uint8_t> gives_up;
  View<StrutKind> kinds;
  TESSERA_KERNEL void operator()(Index s) const {
    if (gives_up[2 * s] != 0 || gives_up[2 * s + 1] != 0) kinds[s] = StrutKind::capsule;
  }
};

/// The ends that share a node first, in order.
struct PartitionNodes {
  View<const StrutEnd> ends;
  View<const StrutKind> kinds;
  View<const Index> offsets;
  View<Index> node_ends;
  View<Index> node_share;
  TESSERA_KERNEL void operator()(Index n) const {
    Index share = 0;
    for (Index k = offsets[n]; k < offsets[n + 1]; ++k) {
      const Index e = node_ends[k];
      if (kinds[e / 2] != StrutKind::shared || ends[e].radius == 0) continue;
      for (Index m = k; m > offsets[n] + share; --m) node_ends[m] = node_ends[m - 1];
      node_ends[offsets[n] + share++] = e;
    }
    node_share[n] = share;
  }
};

struct CountNeighbours {
  NodesView nodes;
  View<const StrutKind> kinds;
  View<Index> counts;
  TESSERA_KERNEL void operator()(Index e) const {
    const bool shares = kinds[e / 2] == StrutKind::shared && nodes.ends[e].radius > 0;
    counts[e] = shares ? detail::most_neighbours(nodes, e) : 0;
  }
};

/// The loops as lists of neighbouring ends.
struct LoopsView {
  View<const Index> offsets;
  View<Index> neighbours;
  View<Index> counts;
  TESSERA_KERNEL Index at(Index e, Index i) const { return neighbours[offsets[e] + i]; }
  TESSERA_KERNEL Index after(Index e, Index i) const {
    return at(e, i + 1 < counts[e] ? i + 1 : 0);
  }
  TESSERA_KERNEL Index before(Index e, Index i) const {
    return at(e, i > 0 ? i - 1 : counts[e] - 1);
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
    counts[e] = alone ? 0 : detail::trace_loop(nodes, e, [to](Index i, Index end) { to[i] = end; });
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
  View<Junction> junctions;
  TESSERA_FLAT_KERNEL void operator()(Index e) const {
    const Index begin = loops.offsets[e];
    const Index count = loops.offsets[e + 1] - begin;
    for (Index i = 0; i < count; ++i) loops.neighbours[begin + i] = from[room[e] + i];
    if (count < 2) return;
    for (Index i = 0; i < count; ++i)
      junctions[begin + i] = detail::junction_of(nodes, e, loops.before(e, i), loops.at(e, i));
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

/// Calls f(piece, neighbour) for each arc of a loop, in order.
struct VisitArcs {
  NodesView nodes;
  LoopsView loops;
  View<const Junction> junctions;
  View<const Vec3d> places;  ///< of junctions, shared by those nearby
  View<const Index> closed_nodes;
  View<const Vec3d> positions;  ///< of nodes
  template <class F>
  TESSERA_KERNEL void visit(Index e, const F& f) const {
    const Index count = loops.counts[e];
    if (count == 0 || closed_nodes[nodes.ends[e].node] != 0) return;
    if (count == 1) {
      visit_border(e, loops.at(e, 0), {}, {}, 0, f);
      return;
    }
    const Index begin = loops.offsets[e];
    const double nearness = detail::nearness(nodes.ends[e], positions[nodes.ends[e].node]);
    for (Index i = 0; i < count; ++i) {
      const Index next = begin + (i + 1 < count ? i + 1 : 0);
      visit_border(e, loops.at(e, i), {junctions[begin + i], places[begin + i]},
                   {junctions[next], places[next]}, nearness, f);
    }
  }
  template <class F>
  TESSERA_KERNEL void visit_border(Index e, Index neighbour, const BorderEnd& from,
                                   const BorderEnd& to, double nearness, const F& f) const {
    const bool is_first = e < neighbour;
    // The corners of a convex polygon of three and more turn by less than half each.
    const bool is_short = loops.counts[e] > 2 && loops.counts[neighbour] > 2;
    const StrutEnd& a = nodes.ends[is_first ? e : neighbour];
    const StrutEnd& b = nodes.ends[is_first ? neighbour : e];
    const Border border = loops.counts[e] == 1 ? detail::make_closed_border(a, b)
                          : is_first ? detail::make_border(a, b, from, to, is_short, nearness)
                                     : detail::make_border(a, b, to, from, is_short, nearness);
    for (int i = 0; i < border.count; ++i) {
      detail::Piece piece = border.pieces[is_first ? i : border.count - 1 - i];
      if (!is_first) piece.start = i == 0 ? border.end : border.pieces[border.count - i].start;
      f(piece, neighbour);
    }
  }
};

struct CountArcs {
  VisitArcs arcs;
  View<Index> counts;
  TESSERA_FLAT_KERNEL void operator()(Index e) const {
    Index count = 0;
    arcs.visit(e, [&count](const detail::Piece&, Index) { ++count; });
    counts[e] = count;
  }
};

struct FillArcs {
  VisitArcs arcs;
  View<const Index> offsets;
  BasicArcsView<float, std::uint32_t> to;
  TESSERA_FLAT_KERNEL void operator()(Index e) const {
    Index at = offsets[e];
    const double radius = arcs.nodes.ends[e].radius;
    arcs.visit(e, [&](const detail::Piece& piece, Index neighbour) {
      to.set(at++, {cast<float>(piece.start * radius), neighbour |
                                                           (piece.on_ball ? Arc::on_ball_bit : 0) |
                                                           (piece.is_long ? Arc::long_bit : 0)});
    });
  }
};

struct IsKind {
  View<const StrutKind> kinds;
  StrutKind kind;
  TESSERA_KERNEL Index operator()(Index s) const { return kinds[s] == kind ? 1 : 0; }
};

/// The words of arcs, array after array.
template <class Float, class Word>
BasicArcsView<Float, Word> split_words(Word* words, std::size_t arcs) {
  auto* const floats = reinterpret_cast<Float*>(words);
  return {
      {floats, arcs}, {floats + arcs, arcs}, {floats + 2 * arcs, arcs}, {words + 3 * arcs, arcs}};
}

}  // namespace

MetaMesh::MetaMesh(const exec::Stream& stream)
    : stream_(stream), data_(std::make_unique<detail::MetaMeshData>()) {}
MetaMesh::~MetaMesh() = default;
MetaMesh::MetaMesh(MetaMesh&&) noexcept = default;
MetaMesh& MetaMesh::operator=(MetaMesh&&) noexcept = default;

Index MetaMesh::nodes() const {
  return static_cast<Index>(data_->nodes.size());
}
Index MetaMesh::struts() const {
  return static_cast<Index>(data_->kinds.size());
}
Index MetaMesh::arcs() const {
  return static_cast<Index>(arcs_.size() / 4);
}
std::size_t MetaMesh::bytes() const {
  return loops_.bytes() + arcs_.bytes();
}

ArcsView MetaMesh::arc_views() const {
  return split_words<const float>(arcs_.const_view().data(), arcs());
}

MetaMesh build_meta_mesh(const exec::Stream& stream, const LatticeGraph& graph) {
  if (const auto wrong = graph.validate()) throw InputError(*wrong);
  const auto strut_count = static_cast<Index>(graph.struts.size());
  const auto node_count = static_cast<Index>(graph.nodes.size());
  const Index end_count = 2 * strut_count;
  MetaMesh mesh(stream);
  detail::MetaMeshData& data = *mesh.data_;
  data.nodes = exec::upload(stream, graph.nodes);
  data.ends = Buffer<StrutEnd>(stream, end_count);
  data.kinds = Buffer<StrutKind>(stream, strut_count);

  Buffer<Index> node_ends = exec::all_indices(stream, end_count);
  Buffer<Index> node_offsets;
  {
    const Buffer<StrutNodes> struts = exec::upload(stream, graph.struts);
    const Buffer<Vec2f> radii = exec::upload(stream, graph.radii);
    exec::for_each(stream, strut_count,
                   MakeEnds{data.nodes.const_view(), struts.const_view(), radii.const_view(),
                            data.ends.view(), data.kinds.view()});
    Buffer<Index> node(stream, end_count);
    exec::for_each(stream, end_count, WriteNode{struts.const_view(), node.view()});
    exec::sort_pairs(stream, node, node_ends, exec::bits_for(node_count));
    node_offsets = exec::group_starts(stream, node_count, end_count, ReadNode{node.const_view()});
  }
  Buffer<Index> node_share(stream, node_count);
  const NodesView nodes{data.ends.const_view(), node_offsets.const_view(), node_ends.const_view(),
                        node_share.const_view()};
  {
    Buffer<std::uint8_t> gives_up(stream, end_count);
    exec::for_each(stream, end_count,
                   FindCapsules{nodes, data.kinds.const_view(), gives_up.view()});
    exec::for_each(stream, strut_count, MarkCapsules{gives_up.const_view(), data.kinds.view()});
  }
  exec::for_each(stream, node_count,
                 PartitionNodes{data.ends.const_view(), data.kinds.const_view(),
                                node_offsets.const_view(), node_ends.view(), node_share.view()});

  Buffer<Index> counts(stream, end_count);
  Offsets packed;
  Buffer<Index> neighbours;
  Buffer<Junction> junctions;
  {
    const Offsets room = detail::offsets_of(
        stream, end_count, end_count, "pairs of struts at one node", [&](View<Index> to) {
          return CountNeighbours{nodes, data.kinds.const_view(), to};
        });
    Buffer<Index> traced(stream, room.total);
    exec::for_each(stream, end_count,
                   TraceLoops{nodes, room.offsets.const_view(), traced.view(), counts.view()});
    packed = detail::offsets_of(stream, end_count, end_count, "junctions", [&](View<Index> to) {
      return LoopSize{counts.const_view(), to};
    });
    neighbours = Buffer<Index>(stream, packed.total);
    junctions = Buffer<Junction>(stream, packed.total);
    exec::for_each(stream, end_count,
                   WriteLoops{nodes,
                              room.offsets.const_view(),
                              traced.const_view(),
                              {packed.offsets.const_view(), neighbours.view(), counts.view()},
                              junctions.view()});
  }
  const LoopsView loops{packed.offsets.const_view(), neighbours.view(), counts.view()};
  Buffer<Index> closed_nodes(stream, node_count);
  exec::fill(stream, closed_nodes.view(), 0);
  exec::for_each(stream, end_count, CheckLoops{data.ends.const_view(), loops, closed_nodes.view()});

  const auto junction_count = static_cast<Index>(junctions.size());
  Buffer<Vec3d> places(stream, junction_count);
  exec::for_each(stream, junction_count, ReadPoints{junctions.const_view(), places.view()});
  {
    Buffer<Index> crowded(stream, node_count);
    exec::fill(stream, crowded.view(), 0);
    exec::for_each(stream, end_count,
                   FindCrowdedNodes{data.ends.const_view(), data.nodes.const_view(), loops,
                                    junctions.const_view(), crowded.view()});
    Buffer<Vec3d> merged(stream, junction_count);
    exec::copy_on_device(stream, merged.view(), places.const_view());
    Buffer<Index> changes(stream, 1);
    // Places only become smaller, and there are few junctions in one; the limit is for the worst.
    constexpr int most_rounds = 32;
    for (int round = 0; round < most_rounds; ++round) {
      exec::fill(stream, changes.view(), 0);
      exec::for_each(
          stream, end_count,
          MergeJunctions{data.ends.const_view(), data.nodes.const_view(), loops,
                         closed_nodes.const_view(), junctions.const_view(), crowded.const_view(),
                         places.const_view(), merged.view(), changes.view()});
      places.swap(merged);
      if (exec::download_one(stream, changes, 0) == 0) break;
    }
  }
  const VisitArcs arcs{nodes,
                       loops,
                       junctions.const_view(),
                       places.const_view(),
                       closed_nodes.const_view(),
                       data.nodes.const_view()};
  Offsets all_arcs = detail::offsets_of(stream, end_count, end_count, "arcs", [&](View<Index> to) {
    return CountArcs{arcs, to};
  });
  mesh.loops_ = std::move(all_arcs.offsets);
  mesh.arcs_ = Buffer<std::uint32_t>(stream, std::size_t{4} * all_arcs.total);
  exec::for_each(
      stream, end_count,
      FillArcs{arcs, mesh.loops_.const_view(),
               split_words<float, std::uint32_t>(mesh.arcs_.view().data(), all_arcs.total)});

  const auto count_kind = [&](StrutKind kind) {
    return exec::reduce(stream, strut_count, Index{0}, IsKind{data.kinds.const_view(), kind},
                        exec::Plus{});
  };
  mesh.report_ = {count_kind(StrutKind::capsule), count_kind(StrutKind::swallowed),
                  count_kind(StrutKind::pinched),
                  exec::reduce(stream, closed_nodes.const_view(), Index{0}, exec::Plus{})};
  return mesh;
}

}  // namespace tessera::lattice
