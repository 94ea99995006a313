// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/box.h"
#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"

// Places along a space-filling curve: sorted by them, what is near in space is near in memory.

namespace tessera::exec {

/// Puts two zeros between any two bits. Of 32 bits the lowest ten are kept, of 64 the lowest 21.
TESSERA_KERNEL constexpr std::uint32_t spread(std::uint32_t x) {
  x = (x | (x << 16)) & 0x030000ffU;
  x = (x | (x << 8)) & 0x0300f00fU;
  x = (x | (x << 4)) & 0x030c30c3U;
  x = (x | (x << 2)) & 0x09249249U;
  return x;
}
TESSERA_KERNEL constexpr std::uint64_t spread(std::uint64_t x) {
  x = (x | (x << 32)) & 0x001f00000000ffffU;
  x = (x | (x << 16)) & 0x001f0000ff0000ffU;
  x = (x | (x << 8)) & 0x100f00f00f00f00fU;
  x = (x | (x << 4)) & 0x10c30c30c30c30c3U;
  x = (x | (x << 2)) & 0x1249249249249249U;
  return x;
}

/// A box cut into cubes, and the places of points along curves through them.
template <class Key>
class CurveGrid {
 public:
  CurveGrid(const Box& box, int bits_per_axis)
      : origin_(box.min), cells_(Key{1} << bits_per_axis), bits_(bits_per_axis) {
    double extent = 0;
    for (int i = 0; i < 3; ++i)
      if (box.max[i] - box.min[i] > extent) extent = box.max[i] - box.min[i];
    scale_ = extent > 0 ? static_cast<double>(cells_) / extent : 0;
  }

  // Points outside have the place of a point of the box near them.

  /// Along a Z-shaped curve: cheap to compute, but it jumps.
  TESSERA_KERNEL Key key(const Vec3d& p) const {
    const Cell cell = cell_of(p);
    return spread(cell[0]) | (spread(cell[1]) << 1) | (spread(cell[2]) << 2);
  }

  /// Along Hilbert's curve, whose consecutive cells touch: groups of consecutive points have
  /// smaller boxes. After Skilling, "Programming the Hilbert curve" (2004).
  TESSERA_KERNEL Key hilbert_key(const Vec3d& p) const {
    Cell x = cell_of(p);
    for (int level = bits_ - 1; level > 0; --level) {
      // Where x[i] has the bit, x[0] is turned over below it; else the two are swapped there. Masks
      // instead of branches, which would go the wrong way every other time.
      const Key below = (Key{1} << level) - 1;
      for (int i = 0; i < 3; ++i) {
        const Key turn = below & (Key{0} - ((x[i] >> level) & 1));
        const Key different = (x[0] ^ x[i]) & (below ^ turn);
        x[0] ^= different | turn;
        x[i] ^= different;
      }
    }
    x[1] ^= x[0];
    x[2] ^= x[1];
    Key flips = 0;
    for (int level = bits_ - 1; level > 0; --level)
      flips ^= ((Key{1} << level) - 1) & (Key{0} - ((x[2] >> level) & 1));
    for (int i = 0; i < 3; ++i) x[i] ^= flips;
    return (spread(x[0]) << 2) | (spread(x[1]) << 1) | spread(x[2]);
  }

 private:
  using Cell = Vec<Key, 3>;

  TESSERA_KERNEL Cell cell_of(const Vec3d& p) const {
    Cell cell{};
    for (int i = 0; i < 3; ++i) {
      // Differences of finite numbers can overflow, and infinity times zero is not a number: both
      // comparisons then say no.
      const double place = (p[i] - origin_[i]) * scale_;
      cell[i] = place < static_cast<double>(cells_) ? static_cast<Key>(place > 0 ? place : 0)
                                                    : cells_ - 1;
    }
    return cell;
  }

  Vec3d origin_;
  double scale_;
  Key cells_;  ///< along an axis
  int bits_;   ///< of their number
};

}  // namespace tessera::exec
