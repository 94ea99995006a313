// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/exec/buffer.h"
#include "tessera/lattice/detail/strut_end.h"

namespace tessera::lattice::detail {

enum class StrutKind : std::uint8_t { shared, capsule, swallowed, pinched };

/// What triangulation needs of the graph besides the arcs.
struct MetaMeshData {
  exec::Buffer<Vec3d> nodes;
  exec::Buffer<StrutEnd> ends;
  exec::Buffer<StrutKind> kinds;
};

}  // namespace tessera::lattice::detail
