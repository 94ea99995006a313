// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"

namespace tessera::volume::detail {

/// A *use* is a polygon on its own, or a face as one cell has it: first all polygons, then the
/// faces of cell after cell. The corners of each, all round.
struct Uses {
  exec::View<Index> offsets;
  exec::View<Index> corners;
  TESSERA_KERNEL Index size(Index use) const { return offsets[use + 1] - offsets[use]; }
  TESSERA_KERNEL const Index* loop(Index use) const { return corners.data() + offsets[use]; }
};

/// An order of all uses in which those of one face stand together: in one run, that is, and in the
/// order of their numbers. Few faces share a run, as a rule one.
struct GroupedUses {
  exec::Buffer<Index> order;
  exec::Buffer<Index> run_starts;  ///< places in order; the first `runs` count
  Index runs = 0;
};

/// Runs come in the order of the smallest vertices of their faces.
GroupedUses group_uses(const exec::Stream& stream, const Uses& uses, Index count,
                       std::size_t vertices);

}  // namespace tessera::volume::detail
