// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

#include "tessera/core/vec.h"

namespace tessera {

/// The smallest box around points, its sides along the axes. Without points it is empty: its
/// minimum is above its maximum.
struct Box {
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  Vec3d min{infinity, infinity, infinity};
  Vec3d max{-infinity, -infinity, -infinity};

  constexpr void add(const Vec3d& p) {
    for (int i = 0; i < 3; ++i) {
      if (p[i] < min[i]) min[i] = p[i];
      if (p[i] > max[i]) max[i] = p[i];
    }
  }
  constexpr void add(const Box& other) {
    for (int i = 0; i < 3; ++i) {
      if (other.min[i] < min[i]) min[i] = other.min[i];
      if (other.max[i] > max[i]) max[i] = other.max[i];
    }
  }

  /// Halves first: the whole may be too large a number.
  constexpr Vec3d middle() const { return 0.5 * min + 0.5 * max; }
  constexpr Vec3d half_extent() const { return 0.5 * max - 0.5 * min; }
};

/// For reduce().
struct UniteBoxes {
  constexpr Box operator()(Box a, const Box& b) const {
    a.add(b);
    return a;
  }
};

}  // namespace tessera
