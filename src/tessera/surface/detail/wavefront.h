// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"

namespace tessera::surface::detail {

/// When a front that reaches a at time ta and b at tb, with speed 1, comes to the third corner of
/// their triangle, which is the origin: the update of fast marching (Kimmel and Sethian 1998) and
/// of Romero Calla et al. 2019. A planar front if it enters through the side ab, else along the
/// earlier one of the two other sides. Never NaN unless a coordinate is; times may be infinite.
///
/// With X = [a b], Q = (X^T X)^-1, t = (ta, tb), 1 = (1, 1), the time p of a planar front is the
/// larger root of  p^2 1'Q1 - 2 p 1'Qt + t'Qt - 1 = 0,  and the front enters through the side if
/// both components of Q (t - p 1) are negative. All of this times det(X^T X), with times counted
/// from the earlier one and e = b - a, has no differences of large numbers: the discriminant
/// becomes det * (|e|^2 - (tb - ta)^2), and thin triangles, which have no good inverse, do no harm.
TESSERA_KERNEL inline float arrival_through_side(const Vec3f& a, float ta, const Vec3f& b,
                                                 float tb) {
  const float along_a = ta + std::sqrt(squared_length(a));
  const float along_b = tb + std::sqrt(squared_length(b));
  const float along = along_b < along_a ? along_b : along_a;
  const Vec3f e = b - a;
  const float side = squared_length(e);
  const float later = tb - ta;
  const float slack = side - later * later;
  if (!(slack > 0)) return along;  // also where a time is infinite
  const float determinant = squared_length(cross(a, e));
  if (!(determinant > 0)) return along;

  const float start = tb < ta ? tb : ta;
  const float ua = ta - start;
  const float ub = tb - start;
  const float ae = dot(a, e);
  const float be = dot(b, e);
  const float p = (ua * be - ub * ae + std::sqrt(determinant * slack)) / side;
  const float ab = dot(a, b);
  const bool through = be * (ua - p) < ab * later && ab * later < ae * (ub - p);
  return through && start + p < along ? start + p : along;
}

}  // namespace tessera::surface::detail
