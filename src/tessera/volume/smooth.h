// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "tessera/core/progress.h"
#include "tessera/volume/complex.h"

namespace tessera::volume {

/// Cells with a corner that is flat or turned inside out: their scaled Jacobian is 0 or less.
enum class BadCells { counted, ignored };

struct SmoothOptions {
  int iterations = 10;
  double step = 1;  ///< of the way to the mean of the neighbours, 0 to 1
  ProgressCallback progress{};
  /// Counting takes the relations that qualities need, and about as long as an iteration.
  BadCells bad_cells = BadCells::counted;
};

struct SmoothResult {
  // Nothing where they were not counted.
  std::optional<Index> bad_cells_before;
  std::optional<Index> bad_cells_after;
};

/// Moves every vertex of a cell that is not on the boundary towards the mean of those that share an
/// edge of a face with it. Cells may turn inside out where the boundary is concave: the result says
/// how many are. The same on any number of threads. Throws InputError if an option is out of range;
/// Cancelled if the callback says so, positions as before.
SmoothResult smooth(Complex& complex, const SmoothOptions& options = {});

}  // namespace tessera::volume
