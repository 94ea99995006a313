// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/progress.h"
#include "tessera/surface/dynamic_mesh.h"
#include "tessera/surface/update.h"

namespace tessera::surface {

struct DelaunayOptions {
  /// Edges whose faces turn by more degrees are creases: they stay, or flips would bevel them.
  double ridge_angle = 60;
  ProgressCallback progress{};
};

struct DelaunayReport {
  std::uint64_t flips = 0;
  int rounds = 0;
  std::uint64_t violating = 0;  ///< edges left, but creases, as their other diagonal exists
};

/// Flips edges until no two angles opposite to one sum up to more than 180 degrees. Vertices stay
/// where they are; creases stay edges. Throws InputError if the angle is not from 0 to 180,
/// Cancelled if the callback says so: the flips up to then, and the creases, stay.
DelaunayReport make_delaunay(DynamicMesh& mesh, const DelaunayOptions& options = {});

}  // namespace tessera::surface
