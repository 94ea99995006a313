// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/lattice/graph_blocks.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "tessera/core/box.h"
#include "tessera/core/error.h"
#include "tessera/core/parallel.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/sort.h"
#include "tessera/exec/space_curve.h"
#include "tessera/lattice/detail/strut_end.h"

namespace tessera::lattice {
namespace {

/// Struts in the order of Hilbert's curve through their middles.
void sort_along_curve(LatticeGraph& graph) {
  Box box;
  for (const Vec3d& p : graph.nodes) box.add(p);
  constexpr int bits_per_axis = 21;
  const exec::CurveGrid<std::uint64_t> grid(box, bits_per_axis);
  const exec::Stream stream(exec::Device::cpu());
  const auto n = static_cast<Index>(graph.struts.size());
  exec::Buffer<std::uint64_t> places(stream, n);
  exec::Buffer<Index> order = exec::all_indices(stream, n);
  const exec::View<std::uint64_t> place = places.view();
  parallel_for(n, [&](std::size_t s) {
    const StrutNodes& nodes = graph.struts[s];
    place[s] = grid.hilbert_key(graph.nodes[nodes[0]] * 0.5 + graph.nodes[nodes[1]] * 0.5);
  });
  exec::sort_pairs(stream, places, order, 3 * bits_per_axis);
  LatticeGraph sorted;
  sorted.struts.resize(n);
  sorted.radii.resize(n);
  const exec::View<const Index> strut = order.const_view();
  parallel_for(n, [&](std::size_t s) {
    sorted.struts[s] = graph.struts[strut[s]];
    sorted.radii[s] = graph.radii[strut[s]];
  });
  graph.struts = std::move(sorted.struts);
  graph.radii = std::move(sorted.radii);
}

/// Numbers that nodes have in a block: kept from one block to the next, because clearing all of
/// them takes longer than making a block.
class LocalNodes {
 public:
  explicit LocalNodes(std::size_t nodes) : numbers_(nodes, no_index) {}
  /// Gives the node a number if it has none.
  Index number(Index node) {
    if (numbers_[node] == no_index) {
      numbers_[node] = static_cast<Index>(nodes_.size());
      nodes_.push_back(node);
    }
    return numbers_[node];
  }
  const std::vector<Index>& nodes() const { return nodes_; }
  void clear() {
    for (const Index node : nodes_) numbers_[node] = no_index;
    nodes_.clear();
  }

 private:
  std::vector<Index> numbers_;
  std::vector<Index> nodes_;
};

/// Whether all struts of a node can share it, as far as is soon known: then it makes no capsules.
bool surely_shared(const LatticeGraph& graph, std::span<const Index> struts, Index node,
                   std::vector<detail::StrutEnd>& ends) {
  constexpr std::size_t many = 64;
  if (struts.size() > many) return false;
  ends.clear();
  for (const Index s : struts) {
    const StrutNodes& at = graph.struts[s];
    const Vec2f& radii = graph.radii[s];
    const Vec3d along = graph.nodes[at[1]] - graph.nodes[at[0]];
    if (radii[0] != radii[1] || radii[0] == 0 || !(squared_length(along) > 0)) return false;
    const detail::StrutEnd end = detail::plain_end(along, radii, at[0] == node ? 0 : 1);
    for (const detail::StrutEnd& other : ends)
      if (!detail::surely_share_node(end, other)) return false;
    ends.push_back(end);
  }
  return true;
}

}  // namespace

/// The struts at each node.
struct GraphBlocks::Incidence {
  std::vector<Index> offsets;
  Array<Index> struts;
  Array<std::uint8_t> makes_capsules;  ///< does a node perhaps?
  std::mutex mutex;
  std::vector<std::unique_ptr<LocalNodes>> unused;

  explicit Incidence(const LatticeGraph& graph)
      : offsets(graph.nodes.size() + 1, 0), struts(2 * graph.struts.size()) {
    for (const StrutNodes& s : graph.struts)
      for (const Index n : s.v) ++offsets[n];
    Index total = 0;
    for (Index& n : offsets) n = total += n;
    for (std::size_t s = graph.struts.size(); s-- > 0;)
      for (const Index n : graph.struts[s].v) struts[--offsets[n]] = static_cast<Index>(s);
    offsets.back() = total;
    find_capsules(graph);
  }

  std::span<const Index> at(Index node) const {
    return std::span(struts).subspan(offsets[node], offsets[node + 1] - offsets[node]);
  }

  void find_capsules(const LatticeGraph& graph) {
    makes_capsules.resize(graph.nodes.size());
    constexpr std::size_t grain = 1024;
    parallel_for_ranges(graph.nodes.size(), grain, [&](std::size_t begin, std::size_t end) {
      std::vector<detail::StrutEnd> ends;
      for (auto n = static_cast<Index>(begin); n < end; ++n)
        makes_capsules[n] = surely_shared(graph, at(n), n, ends) ? 0 : 1;
    });
  }

  std::unique_ptr<LocalNodes> take() {
    {
      const std::lock_guard guard(mutex);
      if (!unused.empty()) {
        auto nodes = std::move(unused.back());
        unused.pop_back();
        return nodes;
      }
    }
    return std::make_unique<LocalNodes>(offsets.size() - 1);
  }
  void give_back(std::unique_ptr<LocalNodes> nodes) {
    nodes->clear();
    const std::lock_guard guard(mutex);
    unused.push_back(std::move(nodes));
  }
};

GraphBlocks::GraphBlocks(LatticeGraph graph, Index struts_a_block)
    : graph_(std::move(graph)), struts_a_block_(struts_a_block) {
  if (const auto wrong = graph_.validate()) throw InputError(*wrong);
  if (struts_a_block == 0) throw InputError("a block has at least one strut");
  if (graph_.struts.size() <= struts_a_block) return;
  sort_along_curve(graph_);
  incidence_ = std::make_unique<Incidence>(graph_);
}
GraphBlocks::~GraphBlocks() = default;

std::uint64_t GraphBlocks::blocks() const {
  return (graph_.struts.size() + struts_a_block_ - 1) / struts_a_block_;
}
std::uint64_t GraphBlocks::struts() const {
  return graph_.struts.size();
}

std::uint64_t GraphBlocks::largest_block() const {
  return std::min<std::uint64_t>(struts(), struts_a_block_);
}

LatticeBlock GraphBlocks::block(std::uint64_t number) const {
  if (number >= blocks()) throw InputError("there is no such block");
  const auto all = static_cast<Index>(graph_.struts.size());
  if (!incidence_) return {0, graph_, 0, all, {}};
  const auto begin = static_cast<Index>(number * struts_a_block_);
  const Index end = begin + std::min(struts_a_block_, all - begin);

  auto local = incidence_->take();
  for (Index s = begin; s < end; ++s)
    for (const Index n : graph_.struts[s].v) local->number(n);
  // The struts at those nodes, and those at the nodes of these that may make them capsules.
  std::vector<Index> around;
  std::size_t from = 0;
  for (int ring = 0; ring < 2; ++ring) {
    const std::size_t to = local->nodes().size();
    for (; from < to; ++from) {
      const Index node = local->nodes()[from];
      if (ring > 0 && incidence_->makes_capsules[node] == 0) continue;
      for (const Index s : incidence_->at(node)) {
        if (s >= begin && s < end) continue;
        around.push_back(s);
        for (const Index n : graph_.struts[s].v) local->number(n);
      }
    }
  }
  std::sort(around.begin(), around.end());
  around.erase(std::unique(around.begin(), around.end()), around.end());
  const auto after = std::lower_bound(around.begin(), around.end(), begin);

  LatticeBlock block;
  block.number = number;
  block.first = static_cast<Index>(after - around.begin());
  block.count = end - begin;
  const std::size_t total = around.size() + block.count;
  block.graph.struts.reserve(total);
  block.graph.radii.reserve(total);
  const auto add = [&](Index s) {
    const StrutNodes& nodes = graph_.struts[s];
    block.graph.struts.push_back({local->number(nodes[0]), local->number(nodes[1])});
    block.graph.radii.push_back(graph_.radii[s]);
  };
  std::for_each(around.begin(), after, add);
  for (Index s = begin; s < end; ++s) add(s);
  std::for_each(after, around.end(), add);
  block.graph.nodes.resize(local->nodes().size());
  for (std::size_t n = 0; n < block.graph.nodes.size(); ++n)
    block.graph.nodes[n] = graph_.nodes[local->nodes()[n]];
  incidence_->give_back(std::move(local));
  return block;
}

}  // namespace tessera::lattice
