// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Meta-meshes: Zou and Gao, sections 4.1 and 4.3, with the geometry of detail/strut_end.h.
#include "tessera/lattice/meta_mesh.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "tessera/core/error.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/reduce.h"
#include "tessera/lattice/detail/meta_mesh_data.h"
#include "tessera/lattice/detail/node_loops.h"
#include "tessera/lattice/detail/node_struts.h"
#include "tessera/lattice/detail/offsets.h"

namespace tessera::lattice {
namespace {

using detail::Border;
using detail::BorderEnd;
using detail::Junction;
using detail::LoopsView;
using detail::NodeLoops;
using detail::NodeStruts;
using detail::NodesView;
using detail::Offsets;
using detail::StrutEnd;
using detail::StrutKind;
using detail::StrutRange;
using detail::Treatment;
using exec::Buffer;
using exec::View;

/// Calls f(piece, neighbour) for each arc of a loop, in order, with slots for ends (NodesView).
struct VisitArcs {
  NodesView nodes;
  LoopsView loops;
  View<const Junction> junctions;
  View<const Vec3d> places;  ///< of junctions, shared by those nearby
  View<const Index> closed_nodes;
  View<const std::uint8_t> is_hull;  ///< for each node
  View<const Vec3d> positions;       ///< of nodes
  template <class F>
  TESSERA_KERNEL void visit(Index slot, const F& f) const {
    const Index count = loops.counts[slot];
    const StrutEnd& end = nodes.ends[slot];
    if (count == 0 || closed_nodes[end.node] != 0) return;
    if (count == 1) {
      visit_border(slot, loops.at(slot, 0), {}, {}, 0, f);
      return;
    }
    const Index begin = loops.offsets[slot];
    const double nearness = detail::nearness(end, positions[end.node]);
    // Between cylinders, heights are a sine wave without shift, negative for half a turn only, and
    // the corners of a convex polygon of three and more turn by less than half each: one arc, not
    // on the ball and less than half around.
    const bool are_simple = is_hull[end.node] != 0;
    for (Index i = 0; i < count; ++i) {
      const Index next = begin + (i + 1 < count ? i + 1 : 0);
      const Index neighbour = loops.at(slot, i);
      if (are_simple && !junctions[begin + i].on_ball && !junctions[next].on_ball) {
        f(detail::Piece{places[begin + i], false, false}, neighbour);
        continue;
      }
      visit_border(slot, neighbour, {junctions[begin + i], places[begin + i]},
                   {junctions[next], places[next]}, nearness, f);
    }
  }
  template <class F>
  TESSERA_KERNEL void visit_border(Index e, Index neighbour, const BorderEnd& from,
                                   const BorderEnd& to, double nearness, const F& f) const {
    const bool is_first = e < neighbour;
    const StrutEnd& a = nodes.ends[is_first ? e : neighbour];
    const StrutEnd& b = nodes.ends[is_first ? neighbour : e];
    const Border border = loops.counts[e] == 1 ? detail::make_closed_border(a, b)
                          : is_first           ? detail::make_border(a, b, from, to, nearness)
                                               : detail::make_border(a, b, to, from, nearness);
    for (int i = 0; i < border.count; ++i) {
      detail::Piece piece = border.pieces[is_first ? i : border.count - 1 - i];
      if (!is_first) piece.start = i == 0 ? border.end : border.pieces[border.count - i].start;
      f(piece, neighbour);
    }
  }
};

/// By slot, in the order in which all that is read lies; what is written lies elsewhere.
struct CountArcs {
  VisitArcs arcs;
  StrutRange own;  ///< others have no arcs
  View<Index> counts;
  TESSERA_FLAT_KERNEL void operator()(Index slot) const {
    const Index e = arcs.nodes.numbers[slot];
    Index count = 0;
    if (own.contains(e / 2)) arcs.visit(slot, [&count](const detail::Piece&, Index) { ++count; });
    counts[e] = count;
  }
};

struct FillArcs {
  VisitArcs arcs;
  View<const Index> offsets;
  BasicArcsView<float, std::uint32_t> to;
  TESSERA_FLAT_KERNEL void operator()(Index slot) const {
    const Index e = arcs.nodes.numbers[slot];
    Index at = offsets[e];
    if (at == offsets[e + 1]) return;
    const double radius = arcs.nodes.ends[slot].radius;
    arcs.visit(slot, [&](const detail::Piece& piece, Index neighbour) {
      to.set(at++, {cast<float>(piece.start * radius), arcs.nodes.numbers[neighbour] |
                                                           (piece.on_ball ? Arc::on_ball_bit : 0) |
                                                           (piece.is_long ? Arc::long_bit : 0)});
    });
  }
};

struct IsKind {
  View<const Treatment> kinds;
  Index first;
  StrutKind kind;
  TESSERA_KERNEL Index operator()(Index i) const { return kinds[first + i] == kind ? 1 : 0; }
};

/// A node at the border of blocks is in several: it is counted by the one that has its first strut.
struct IsClosedNode {
  NodesView nodes;
  View<const Index> closed_nodes;
  StrutRange own;
  TESSERA_KERNEL Index operator()(Index n) const {
    return closed_nodes[n] != 0 && own.contains(nodes.numbers[nodes.offsets[n]] / 2) ? 1 : 0;
  }
};

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

ArcsView MetaMesh::arc_views() const {
  return split_arcs<const float>(arcs_.const_view().data(), arcs());
}

namespace {

/// Facets have single precision.
void check_graph(const LatticeGraph& graph) {
  if (const auto wrong = graph.validate()) throw InputError(*wrong);
  constexpr double largest = 1e37;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    for (const double x : graph.nodes[n].v)
      if (std::abs(x) > largest)
        throw InputError("node " + std::to_string(n) +
                         " is too far out for the single precision of facets");
  for (std::size_t s = 0; s < graph.radii.size(); ++s)
    for (const float r : graph.radii[s].v)
      if (r > largest)
        throw InputError("strut " + std::to_string(s) +
                         " is too thick for the single precision of facets");
}

}  // namespace

MetaMesh build_meta_mesh(const exec::Stream& stream, const LatticeGraph& graph, Index first,
                         Index count) {
  check_graph(graph);
  const std::size_t struts = graph.struts.size();
  if (first > struts || count > struts - first) throw InputError("there are no such struts");
  MetaMesh mesh(stream);
  detail::MetaMeshData& data = *mesh.data_ = detail::upload_graph(stream, graph);
  const StrutRange own{first, count};
  const NodeStruts node_struts = detail::find_node_struts(stream, graph, own, data);
  const NodesView nodes = node_struts.view();
  const NodeLoops loops = detail::trace_loops(stream, data.nodes.const_view(), node_struts);

  const auto end_count = static_cast<Index>(data.ends.size());
  const VisitArcs arcs{nodes,
                       loops.view(),
                       loops.junctions.const_view(),
                       loops.places.const_view(),
                       loops.closed_nodes.const_view(),
                       loops.is_hull.const_view(),
                       data.nodes.const_view()};
  Offsets all_arcs = detail::offsets_of(stream, end_count, end_count, "arcs", [&](View<Index> to) {
    return CountArcs{arcs, own, to};
  });
  mesh.loops_ = std::move(all_arcs.offsets);
  mesh.arcs_ = Buffer<std::uint32_t>(stream, std::size_t{4} * all_arcs.total);
  exec::for_each(stream, end_count,
                 FillArcs{arcs, mesh.loops_.const_view(),
                          split_arcs<float>(mesh.arcs_.view().data(), all_arcs.total)});

  const auto count_kind = [&](StrutKind kind) {
    return exec::reduce(stream, count, std::uint64_t{0},
                        IsKind{data.kinds.const_view(), first, kind}, exec::Plus{});
  };
  mesh.report_ = {
      count_kind(StrutKind::capsule), count_kind(StrutKind::swallowed),
      count_kind(StrutKind::pinched),
      exec::reduce(stream, static_cast<Index>(graph.nodes.size()), std::uint64_t{0},
                   IsClosedNode{nodes, loops.closed_nodes.const_view(), own}, exec::Plus{})};
  return mesh;
}

MetaMesh build_meta_mesh(const exec::Stream& stream, const LatticeBlock& block) {
  MetaMesh mesh = build_meta_mesh(stream, block.graph, block.first, block.count);
  mesh.data_->block = block.number;
  return mesh;
}

MetaMesh build_meta_mesh(const exec::Stream& stream, const LatticeGraph& graph) {
  return build_meta_mesh(stream, graph, 0, static_cast<Index>(graph.struts.size()));
}

ArcLoops download_loops(const MetaMesh& mesh, const LatticeBlock& block) {
  if (block.graph.struts.size() != mesh.struts() || block.first > mesh.struts() ||
      block.count > mesh.struts() - block.first)
    throw InputError("the meta-mesh is not that of the block");
  const exec::Stream& stream = mesh.stream();
  ArcLoops result;
  result.kinds.resize(mesh.struts());
  exec::copy_to_host(stream, std::span(result.kinds),
                     View<const std::uint8_t>(reinterpret_cast<const std::uint8_t*>(
                                                  mesh.data().kinds.const_view().data()),
                                              mesh.struts()));
  result.loops = exec::download(
      stream, mesh.loops().subview(2 * std::size_t{block.first}, 2 * std::size_t{block.count} + 1));
  const Index first_arc = result.loops.front();
  const std::size_t arcs = result.loops.back() - first_arc;
  result.arcs.resize(4 * arcs);
  for (std::size_t word = 0; word < 4; ++word)
    exec::copy_to_host(stream, std::span(result.arcs).subspan(word * arcs, arcs),
                       mesh.words().subview(word * mesh.arcs() + first_arc, arcs));
  stream.synchronize();
  for (Index& at : result.loops) at -= first_arc;
  return result;
}

namespace {

/// Throws InputError naming the first thing that is wrong.
void check_loops(const LatticeBlock& block) {
  const LatticeGraph& graph = block.graph;
  check_graph(graph);
  const std::size_t struts = graph.struts.size();
  if (block.first > struts || block.count > struts - block.first)
    throw InputError("a block's own struts are not among its struts");
  if (!block.arcs) throw InputError("a block has no arcs");
  const ArcLoops& given = *block.arcs;
  const std::size_t arcs = given.arcs.size() / 4;
  if (given.kinds.size() != struts || given.loops.size() != 2 * std::size_t{block.count} + 1 ||
      given.arcs.size() % 4 != 0 || given.loops.front() != 0 || given.loops.back() != arcs)
    throw InputError("the arcs of a block are not as many as its struts need");
  for (std::size_t s = 0; s < struts; ++s)
    if ((given.kinds[s] & Treatment::kind_mask) > static_cast<std::uint8_t>(StrutKind::pinched))
      throw InputError("strut " + std::to_string(s) + " of block " + std::to_string(block.number) +
                       " is of no known kind");
  const auto node_of = [&graph](std::size_t end) {
    return graph.struts[end / 2][static_cast<int>(end % 2)];
  };
  for (std::size_t i = 0; i + 1 < given.loops.size(); ++i) {
    const std::size_t end = 2 * std::size_t{block.first} + i;
    const auto fail = [&block, end](const char* what) {
      throw InputError("the arcs at end " + std::to_string(end % 2) + " of strut " +
                       std::to_string(end / 2) + " of block " + std::to_string(block.number) + " " +
                       what);
    };
    if (given.loops[i] > given.loops[i + 1] || given.loops[i + 1] > arcs) fail("are out of order");
    if (given.loops[i] < given.loops[i + 1] &&
        (given.kinds[end / 2] != static_cast<std::uint8_t>(StrutKind::shared) ||
         !(graph.radii[end / 2][static_cast<int>(end % 2)] > 0)))
      fail("belong to a strut that has none");
    for (std::size_t a = given.loops[i]; a < given.loops[i + 1]; ++a) {
      const Arc arc{{}, given.arcs[3 * arcs + a]};
      if (arc.neighbour() >= 2 * struts || arc.neighbour() == end ||
          node_of(arc.neighbour()) != node_of(end))
        fail("border on no strut of its node");
      for (std::size_t k = 0; k < 3; ++k)
        if (!std::isfinite(std::bit_cast<float>(given.arcs[k * arcs + a]))) fail("are not finite");
    }
  }
}

}  // namespace

MetaMesh upload_meta_mesh(const exec::Stream& stream, const LatticeBlock& block) {
  check_loops(block);
  const ArcLoops& given = *block.arcs;
  MetaMesh mesh(stream);
  *mesh.data_ = detail::upload_graph(stream, block.graph);
  mesh.data_->block = block.number;
  mesh.data_->kinds = Buffer<Treatment>(stream, given.kinds.size());
  exec::copy_to_device(
      stream, mesh.data_->kinds.view(),
      std::span(reinterpret_cast<const Treatment*>(given.kinds.data()), given.kinds.size()));
  // Other struts have no arcs.
  Array<Index> loops(2 * block.graph.struts.size() + 1, 0);
  const std::size_t own = 2 * std::size_t{block.first};
  std::copy(given.loops.begin(), given.loops.end(), loops.begin() + own);
  std::fill(loops.begin() + own + given.loops.size(), loops.end(), given.loops.back());
  mesh.loops_ = exec::upload(stream, loops);
  mesh.arcs_ = exec::upload(stream, given.arcs);
  return mesh;
}

}  // namespace tessera::lattice
