// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/lattice/clip.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tessera/core/error.h"
#include "tessera/core/parallel.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/input.h"

namespace tessera::lattice {
namespace {

/// A part of the struts of a lattice.
struct Part {
  std::size_t first;
  std::size_t count;
};

/// Nodes of a part, each with the largest of its radii there.
struct Balls {
  Array<Vec3d> centres;
  Array<float> radii;
  Array<Index> numbers;  ///< of nodes from `first_node` on: the ball, or no_index
  Index first_node = 0;

  Balls(const LatticeGraph& graph, const Part& part) {
    Index last_node = 0;
    first_node = no_index;
    for (std::size_t s = part.first; s < part.first + part.count; ++s)
      for (const Index node : graph.struts[s].v) {
        first_node = std::min(first_node, node);
        last_node = std::max(last_node, node);
      }
    if (part.count == 0) return;
    numbers.assign(last_node - first_node + std::size_t{1}, no_index);
    for (std::size_t s = part.first; s < part.first + part.count; ++s)
      for (int i = 0; i < 2; ++i) {
        const Index node = graph.struts[s][i];
        Index& ball = numbers[node - first_node];
        if (ball == no_index) {
          ball = static_cast<Index>(centres.size());
          centres.push_back(graph.nodes[node]);
          radii.push_back(graph.radii[s][i]);
        }
        radii[ball] = std::max(radii[ball], graph.radii[s][i]);
      }
  }

  Index of(Index node) const { return numbers[node - first_node]; }
};

/// Sets drop[s] for the struts of a part with an end wholly on the other side.
void mark(const BallLocator& locator, const LatticeGraph& graph, const Part& part, ClipSide keep,
          const ProgressCallback& progress, Array<std::uint8_t>& drop) {
  const Balls balls(graph, part);
  const BallDistances distances = locator.distances(balls.centres, balls.radii, progress);
  const BallPlace unwanted = keep == ClipSide::inside ? BallPlace::outside : BallPlace::inside;
  parallel_for_ranges(part.count, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = part.first + begin; s < part.first + end; ++s)
      for (int i = 0; i < 2; ++i)
        if (distances.place(balls.of(graph.struts[s][i]), graph.radii[s][i]) == unwanted)
          drop[s] = 1;
  });
}

/// The graph without the marked struts, and without nodes that have none.
ClipResult without(LatticeGraph graph, const Array<std::uint8_t>& drop) {
  constexpr Index used = 0;
  Array<Index> numbers(graph.nodes.size(), no_index);
  std::size_t struts = 0;
  for (std::size_t s = 0; s < drop.size(); ++s) {
    if (drop[s] != 0) continue;
    for (const Index node : graph.struts[s].v) numbers[node] = used;
    graph.struts[struts] = graph.struts[s];
    graph.radii[struts] = graph.radii[s];
    ++struts;
  }
  Index nodes = 0;
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    if (numbers[n] != used) continue;
    graph.nodes[nodes] = graph.nodes[n];
    numbers[n] = nodes++;
  }
  graph.nodes.resize(nodes);
  graph.struts.resize(struts);
  graph.radii.resize(struts);
  for (StrutNodes& strut : graph.struts) strut = {numbers[strut[0]], numbers[strut[1]]};
  return {std::move(graph), drop.size() - struts};
}

void require_valid(const LatticeGraph& graph) {
  if (const auto wrong = graph.validate()) throw InputError("not a valid lattice: " + *wrong);
}

ClipResult keep(const exec::Stream& stream, LatticeGraph graph, const TriangleSoup& surface,
                ClipSide side, const ProgressCallback& progress) {
  require_valid(graph);
  Array<std::uint8_t> drop(graph.struts.size(), 0);
  mark(BallLocator(stream, surface), graph, {0, graph.struts.size()}, side, progress, drop);
  return without(std::move(graph), drop);
}

}  // namespace

BallLocator::BallLocator(const exec::Stream& stream, const TriangleSoup& surface)
    : device_(stream.device()), tree_(stream, surface) {
  stream.synchronize();  // other streams use the tree
}

BallDistances BallLocator::distances(std::span<const Vec3d> centres, std::span<const float> radii,
                                     const ProgressCallback& progress) const {
  // A stream belongs to one thread at a time.
  const exec::Stream stream = exec::Stream::create(device_);
  const exec::Input<Vec3d> points(stream, centres);
  const exec::Input<float> reach(stream, radii);
  surface::WindingOptions options;
  options.progress = progress;
  BallDistances result;
  result.inside =
      exec::download(stream, surface::are_inside(stream, tree_, points.view(), options));
  result.distances = exec::download(
      stream,
      surface::distances_within(stream, tree_.bvh(), points.view(), reach.view(), progress));
  return result;
}

Array<BallPlace> BallLocator::places(std::span<const Vec3d> centres, std::span<const float> radii,
                                     const ProgressCallback& progress) const {
  const BallDistances all = distances(centres, radii, progress);
  Array<BallPlace> places(centres.size());
  parallel_for_ranges(places.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) places[i] = all.place(i, radii[i]);
  });
  return places;
}

ClipResult keep_inside(const exec::Stream& stream, LatticeGraph graph, const TriangleSoup& surface,
                       const ProgressCallback& progress) {
  return keep(stream, std::move(graph), surface, ClipSide::inside, progress);
}

ClipResult keep_outside(const exec::Stream& stream, LatticeGraph graph, const TriangleSoup& surface,
                        const ProgressCallback& progress) {
  return keep(stream, std::move(graph), surface, ClipSide::outside, progress);
}

ClipResult clip(const exec::Stream& stream, LatticeGraph graph,
                std::span<const LatticeClipping> clippings, const ProgressCallback& progress) {
  require_valid(graph);
  Array<std::uint8_t> drop(graph.struts.size(), 0);
  for (const LatticeClipping& c : clippings) {
    if (c.first_strut > drop.size() || c.struts > drop.size() - c.first_strut)
      throw std::invalid_argument("a clipping of struts that the lattice does not have");
    mark(BallLocator(stream, c.surface), graph, {c.first_strut, c.struts}, c.keep, progress, drop);
  }
  return without(std::move(graph), drop);
}

}  // namespace tessera::lattice
