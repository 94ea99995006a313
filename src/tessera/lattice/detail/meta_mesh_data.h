// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/lattice_graph.h"
#include "tessera/exec/buffer.h"
#include "tessera/lattice/detail/strut_end.h"

namespace tessera::lattice::detail {

enum class StrutKind : std::uint8_t { shared, capsule, swallowed, pinched };

/// What triangulation needs of the graph besides the arcs.
struct MetaMeshData {
  exec::Buffer<Vec3d> nodes;
  exec::Buffer<StrutNodes> struts;
  exec::Buffer<StrutEnd> ends;
  exec::Buffer<StrutKind> kinds;
  std::uint64_t block = 0;  ///< number of the block that it is of
};

}  // namespace tessera::lattice::detail
