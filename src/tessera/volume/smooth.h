// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/progress.h"
#include "tessera/volume/complex.h"

namespace tessera::volume {

struct SmoothOptions {
  int iterations = 10;
  double step = 1;  ///< of the way to the mean of the neighbours, 0 to 1
  ProgressCallback progress{};
};

/// Moves every vertex that is not on the boundary towards the mean of those that share an edge with
/// it. Cells may turn inside out where the boundary is concave: volume::analyze() counts such. The
/// same on any number of threads. Throws InputError if an option is out of range; Cancelled if the
/// callback says so, positions as before.
void smooth(Complex& complex, const SmoothOptions& options = {});

}  // namespace tessera::volume
