// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "tessera/core/lattice_block.h"

namespace tessera::lattice {

/// A graph in blocks of neighbouring struts, in the order of a curve through space.
class GraphBlocks final : public LatticeSource {
 public:
  /// Throws InputError if the graph is not valid or a block is to have no struts.
  GraphBlocks(LatticeGraph graph, Index struts_a_block);
  ~GraphBlocks() override;

  std::uint64_t blocks() const override;
  std::uint64_t struts() const override;
  std::uint64_t largest_block() const override;
  LatticeBlock block(std::uint64_t number) const override;

 private:
  struct Incidence;
  LatticeGraph graph_;
  Index struts_a_block_;
  std::unique_ptr<Incidence> incidence_;
};

}  // namespace tessera::lattice
