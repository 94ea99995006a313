// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace tessera {

/// How many values fall into each of equally wide bins from min to max. A value on the border of
/// two bins is in the upper one; values beyond are in the first or the last.
struct Histogram {
  double min = 0;
  double max = 0;
  std::vector<std::uint64_t> counts;
};

}  // namespace tessera
