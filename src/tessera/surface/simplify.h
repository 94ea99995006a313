// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/progress.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"
#include "tessera/surface/fit.h"

namespace tessera::surface {

struct SimplifyOptions {
  /// To be left; where the topology does not allow so few, there are more.
  std::uint64_t faces = 0;
  /// Of fit(): vertices go to where the faces that are left are nearest to the input.
  int fitting_steps = 0;
  ProgressCallback progress{};
};

struct SimplifyResult {
  TriangleSoup mesh;
  std::uint64_t collapses = 0;
  int rounds = 0;
  FitReport fit;  ///< with fitting_steps
};

/// Fewer faces of the same shape: draws edges together, in every round those that do the least
/// harm, by the distance from the planes of all faces that the two vertices stand for (Garland and
/// Heckbert 1997). Borders, given ridges and the topology are kept; where the mesh is not a
/// manifold, it stays as it is (DynamicMesh). Attributes follow their elements (DynamicMesh). The
/// result does not depend on the number of threads. Throws InputError if the mesh is not valid,
/// Cancelled if the callback says so.
SimplifyResult simplify(const exec::Stream& stream, const TriangleSoup& mesh,
                        const SimplifyOptions& options);

}  // namespace tessera::surface
