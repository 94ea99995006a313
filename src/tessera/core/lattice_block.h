// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "tessera/core/array.h"
#include "tessera/core/lattice_graph.h"

namespace tessera {

/// The loops of arcs that end a block's struts, as lattice/meta_mesh.h makes them.
struct ArcLoops {
  Array<std::uint8_t> kinds;  ///< how each strut of the block's graph is treated
  Array<Index> loops;         ///< two for each own strut, and one more: where their arcs start
  Array<std::uint32_t> arcs;  ///< x of all, y of all, z of all (float), links of all
};

/// A part of a lattice that stands for itself: some struts of its own, and those around them that
/// have a say in how they end. These are the ones that share a node with an own strut, and the ones
/// that share a node with those, at least where one of that node's has to stand apart. Blocks of
/// one lattice have their struts in one order: of two that occur in several blocks, the same one
/// comes first everywhere.
struct LatticeBlock {
  std::uint64_t number = 0;  ///< which one of its lattice it is
  LatticeGraph graph;
  Index first = 0;  ///< own struts are first .. first + count - 1
  Index count = 0;
  std::optional<ArcLoops> arcs;  ///< if they are known already
};

/// A lattice that need not fit into memory: a number of blocks, each made or read when asked for.
class LatticeSource {
 public:
  LatticeSource() = default;
  LatticeSource(const LatticeSource&) = delete;
  LatticeSource& operator=(const LatticeSource&) = delete;
  virtual ~LatticeSource() = default;

  virtual std::uint64_t blocks() const = 0;
  /// Of all blocks together; where that is not known before they are made, an upper bound.
  virtual std::uint64_t struts() const = 0;
  /// Own struts of the largest block, about.
  virtual std::uint64_t largest_block() const = 0;
  /// Any thread, any order, several at once.
  virtual LatticeBlock block(std::uint64_t number) const = 0;
};

}  // namespace tessera
