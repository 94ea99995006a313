// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/progress.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"

namespace tessera::surface {

struct SimplifyOptions {
  std::uint64_t faces =
      0;  ///< to be left; where the topology does not allow so few, there are more
  ProgressCallback progress{};
};

struct SimplifyResult {
  TriangleSoup mesh;
  std::uint64_t collapses = 0;
  int rounds = 0;
};

/// Fewer faces of the same shape: draws edges together, in every round those that do the least
/// harm, by the distance from the planes of all faces that the two vertices stand for (Garland and
/// Heckbert 1997). Borders and the topology are kept; where the mesh is not a manifold, it stays as
/// it is (DynamicMesh). Attributes follow their elements (DynamicMesh). The result does not depend
/// on the number of threads. Throws InputError if the mesh is not valid, Cancelled if the callback
/// says so.
SimplifyResult simplify(const exec::Stream& stream, const TriangleSoup& mesh,
                        const SimplifyOptions& options);

}  // namespace tessera::surface
