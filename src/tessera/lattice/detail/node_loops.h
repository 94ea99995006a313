// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/exec/buffer.h"
#include "tessera/lattice/detail/arc_loop.h"
#include "tessera/lattice/detail/node_struts.h"

namespace tessera::lattice::detail {

/// The loops of all slots (NodesView) as lists of neighbouring slots.
struct LoopsView {
  exec::View<const Index> offsets;
  exec::View<const Index> neighbours;
  exec::View<const Index> counts;
  TESSERA_KERNEL Index at(Index e, Index i) const { return neighbours[offsets[e] + i]; }
  TESSERA_KERNEL Index after(Index e, Index i) const {
    return at(e, i + 1 < counts[e] ? i + 1 : 0);
  }
  TESSERA_KERNEL Index before(Index e, Index i) const {
    return at(e, i > 0 ? i - 1 : counts[e] - 1);
  }
};

/// The loops of all ends at nodes of own struts, see LoopsView.
struct NodeLoops {
  exec::Buffer<Index> offsets;
  exec::Buffer<Index> neighbours;
  exec::Buffer<Index> counts;
  exec::Buffer<Junction> junctions;    ///< before each neighbour
  exec::Buffer<Vec3d> places;          ///< of junctions, shared by those nearby
  exec::Buffer<std::uint8_t> is_hull;  ///< for each node: its loops are those of a NodeHull
  exec::Buffer<Index> closed_nodes;    ///< 1: their loops do not fit, each strut gets a cap there

  LoopsView view() const {
    return {offsets.const_view(), neighbours.const_view(), counts.const_view()};
  }
};

NodeLoops trace_loops(const exec::Stream& stream, exec::View<const Vec3d> nodes,
                      const NodeStruts& struts);

}  // namespace tessera::lattice::detail
