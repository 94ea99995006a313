// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <numbers>

#include "tessera/exec/kernel.h"

namespace tessera::lattice::detail {

/// The angle of (x, y) as std::atan2(y, x), to 3e-13: a third of its time on a CPU, and the same
/// bits on every device. Both zero: zero.
TESSERA_KERNEL inline double arc_tangent(double y, double x) {
  constexpr double pi = std::numbers::pi;
  constexpr double tangent_of_eighth = 0.41421356237309503;  // of pi / 8
  const double across = std::abs(x);
  const double up = std::abs(y);
  const bool is_steep = up > across;
  const double large = is_steep ? up : across;
  const double small = is_steep ? across : up;
  if (large == 0) return 0;
  // The angle from 0 or from pi / 4, whichever is nearer.
  const bool is_wide = small > tangent_of_eighth * large;
  const double t = (is_wide ? small - large : small) / (is_wide ? small + large : large);
  // Interpolates at the zeros of Chebyshev's polynomial, up to tan(pi / 8).
  constexpr double terms[8] = {0.9999999999992445,   -0.33333333276916066, 0.19999993053110954,
                               -0.14285386540040962, 0.11103456693779999,  -0.08992551121119165,
                               0.06974190231845855,  -0.03765498263102677};
  const double z = t * t;
  const double z2 = z * z;
  const double z4 = z2 * z2;
  const double sum = (terms[0] + terms[1] * z) + (terms[2] + terms[3] * z) * z2 +
                     ((terms[4] + terms[5] * z) + (terms[6] + terms[7] * z) * z2) * z4;
  double angle = (is_wide ? pi / 4 : 0) + t * sum;
  angle = (is_steep ? pi / 2 : 0) + (is_steep ? -angle : angle);
  angle = (x < 0 ? pi : 0) + (x < 0 ? -angle : angle);
  return std::copysign(angle, y);
}

}  // namespace tessera::lattice::detail
