// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/lattice_graph.h"
#include "tessera/exec/buffer.h"
#include "tessera/lattice/detail/arc_loop.h"
#include "tessera/lattice/detail/meta_mesh_data.h"

namespace tessera::lattice::detail {

/// The own struts of a block.
struct StrutRange {
  Index first;
  Index count;
  TESSERA_KERNEL bool contains(Index strut) const {
    return strut >= first && strut - first < count;
  }
};

/// Uploads a graph: nodes, and struts as seen from them. Kinds are right for struts that are
/// capsules because of nothing but themselves (swallowed, pinched).
MetaMeshData upload_graph(const exec::Stream& stream, const LatticeGraph& graph);

/// The struts around each node, see NodesView.
struct NodeStruts {
  exec::Buffer<StrutEnd> ends;
  exec::Buffer<Index> offsets;
  exec::Buffer<Index> numbers;
  exec::Buffer<Index> slots;  ///< of the ends, the other way round
  exec::Buffer<Index> node_share;
  exec::Buffer<Index> has_own;  ///< does an own strut end at the node? Others get no loops

  NodesView view() const {
    return {ends.const_view(), offsets.const_view(), node_share.const_view(), numbers.const_view()};
  }
};

/// Finds the capsules among the struts at nodes of own struts, and who shares which node.
NodeStruts find_node_struts(const exec::Stream& stream, const LatticeGraph& graph, StrutRange own,
                            MetaMeshData& data);

}  // namespace tessera::lattice::detail
