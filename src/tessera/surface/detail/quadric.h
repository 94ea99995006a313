// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"

namespace tessera::surface::detail {

/// Solves three equations with a symmetric matrix; infinite or no numbers if it is singular.
TESSERA_KERNEL inline Vec3d solve_symmetric(double xx, double xy, double xz, double yy, double yz,
                                            double zz, const Vec3d& right) {
  const double c00 = yy * zz - yz * yz;
  const double c01 = xz * yz - xy * zz;
  const double c02 = xy * yz - yy * xz;
  const double c11 = xx * zz - xz * xz;
  const double c12 = xy * xz - xx * yz;
  const double c22 = xx * yy - xy * xy;
  const double inverse = 1 / (xx * c00 + xy * c01 + xz * c02);
  return {(c00 * right[0] + c01 * right[1] + c02 * right[2]) * inverse,
          (c01 * right[0] + c11 * right[1] + c12 * right[2]) * inverse,
          (c02 * right[0] + c12 * right[1] + c22 * right[2]) * inverse};
}

/// The weighted sum of squared distances from planes, as a function of the point: p.A p + 2 b.p +
/// c, with A symmetric.
struct Quadric {
  double xx, xy, xz, yy, yz, zz;  ///< A
  double x, y, z;                 ///< b
  double c;
  double weight;  ///< of all planes

  TESSERA_KERNEL static Quadric zero() { return {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}; }
  /// The plane through a point with a normal of unit length.
  TESSERA_KERNEL static Quadric plane(const Vec3d& n, const Vec3d& point, double weight) {
    const double d = -dot(n, point);
    return {weight * n[0] * n[0],
            weight * n[0] * n[1],
            weight * n[0] * n[2],
            weight * n[1] * n[1],
            weight * n[1] * n[2],
            weight * n[2] * n[2],
            weight * n[0] * d,
            weight * n[1] * d,
            weight * n[2] * d,
            weight * d * d,
            weight};
  }
  TESSERA_KERNEL Quadric operator+(const Quadric& o) const {
    return {xx + o.xx, xy + o.xy, xz + o.xz, yy + o.yy, yz + o.yz,        zz + o.zz,
            x + o.x,   y + o.y,   z + o.z,   c + o.c,   weight + o.weight};
  }
  /// Never negative, as rounding could make it.
  TESSERA_KERNEL double at(const Vec3d& p) const {
    const double ax = xx * p[0] + xy * p[1] + xz * p[2];
    const double ay = xy * p[0] + yy * p[1] + yz * p[2];
    const double az = xz * p[0] + yz * p[1] + zz * p[2];
    const double value = p[0] * (ax + 2 * x) + p[1] * (ay + 2 * y) + p[2] * (az + 2 * z) + c;
    return value > 0 ? value : 0;
  }
  /// Where it is smallest; a little weight draws to `guess` where planes leave a choice.
  TESSERA_KERNEL Vec3d minimum(const Vec3d& guess) const {
    constexpr double share = 1e-6;
    const double pull = share * weight;
    // From the guess on: where planes leave a choice, rounding must not be multiplied by the
    // distance from the origin.
    const Vec3d slope{xx * guess[0] + xy * guess[1] + xz * guess[2] + x,
                      xy * guess[0] + yy * guess[1] + yz * guess[2] + y,
                      xz * guess[0] + yz * guess[1] + zz * guess[2] + z};
    const Vec3d found = guess - solve_symmetric(xx + pull, xy, xz, yy + pull, yz, zz + pull, slope);
    return std::isfinite(found[0] + found[1] + found[2]) ? found : guess;
  }
};

}  // namespace tessera::surface::detail
