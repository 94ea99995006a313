// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/surface/dynamic_mesh.h"
#include "tessera/surface/update.h"

namespace tessera::surface {

struct DelaunayReport {
  std::uint64_t flips = 0;
  int rounds = 0;
  std::uint64_t violating = 0;  ///< edges that cannot be flipped, as their other diagonal exists
};

/// Flips edges until no two angles opposite to one sum up to more than 180 degrees. Vertices stay
/// where they are; edges that are marked (creases) stay edges.
DelaunayReport make_delaunay(DynamicMesh& mesh);

}  // namespace tessera::surface
