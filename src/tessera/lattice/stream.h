// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Lattices of any size, block after block: several blocks are in work at once, one on each CPU
// thread, or each on a stream of its own on a GPU, so that making blocks, computing, copying and
// what the caller does with the results overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tessera/core/facet.h"
#include "tessera/core/lattice_block.h"
#include "tessera/core/progress.h"
#include "tessera/exec/device.h"
#include "tessera/lattice/meta_mesh.h"

namespace tessera::lattice {

struct StreamOptions {
  /// About how much memory the blocks in work take, of the device and of the host each.
  std::size_t memory = std::size_t{2} << 30;
  ProgressCallback progress;
};

/// How many struts blocks should have on that device, to be fast and to fit into the memory.
Index suitable_block(const exec::Device& device, const StreamOptions& options);

struct StreamReport {
  std::uint64_t struts = 0;
  std::uint64_t arcs = 0;
  MetaReport treated;                 ///< empty if the blocks had their arcs
  std::vector<std::uint64_t> facets;  ///< for each chord error
};

/// Takes facets: those of chord error number `which`, from facet number `first` on. Called by
/// several threads at once and in any order; the numbers do not depend on that. The facets are gone
/// after the call.
using FacetSink =
    std::function<void(std::size_t which, std::uint64_t first, std::span<const Facet> facets)>;

/// Triangulates a lattice (triangulate.h), once for each chord error. Blocks that have their arcs
/// are not meta-meshed again. Throws what those functions throw, what the sink throws, and
/// Cancelled.
StreamReport mesh_stream(const exec::Device& device, const LatticeSource& source,
                         const std::vector<double>& chord_errors, const StreamOptions& options,
                         const FacetSink& sink);

/// Takes blocks with their arcs, in order, one at a time.
using BlockSink = std::function<void(LatticeBlock block)>;

/// Meta-meshes a lattice.
StreamReport meta_mesh_stream(const exec::Device& device, const LatticeSource& source,
                              const StreamOptions& options, const BlockSink& sink);

}  // namespace tessera::lattice
