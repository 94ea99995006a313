// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"

namespace tessera::surface::detail {

/// A face that spans no area: a repeated vertex number, or a height so small against the longest
/// side that it is rounding (twice the area at most 1e-12 of that side's square).
TESSERA_KERNEL constexpr bool is_degenerate(const Triangle& t, const Vec3d& p0, const Vec3d& p1,
                                            const Vec3d& p2) {
  if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) return true;
  const double a = squared_length(p1 - p0);
  const double b = squared_length(p2 - p1);
  const double c = squared_length(p0 - p2);
  const double ab = a < b ? b : a;
  const double longest = ab < c ? c : ab;
  // Of the squares: the comparison needs no root.
  return squared_length(cross(p1 - p0, p2 - p0)) <= 1e-24 * longest * longest;
}

TESSERA_KERNEL constexpr bool is_degenerate(const Triangle& t, exec::View<const Vec3d> positions) {
  return is_degenerate(t, positions[t[0]], positions[t[1]], positions[t[2]]);
}

/// The area of a face; 0 if it is degenerate, where it would be rounding.
TESSERA_KERNEL inline double face_area(const Triangle& t, exec::View<const Vec3d> positions) {
  const Vec3d& p = positions[t[0]];
  return is_degenerate(t, positions)
             ? 0
             : 0.5 * length(cross(positions[t[1]] - p, positions[t[2]] - p));
}

/// 2 * inradius / circumradius of a face: 1 if equilateral, 0 if degenerate.
TESSERA_KERNEL inline double face_quality(const Triangle& t, const Vec3d& p0, const Vec3d& p1,
                                          const Vec3d& p2) {
  if (is_degenerate(t, p0, p1, p2)) return 0;
  const double a = length(p1 - p0);
  const double b = length(p2 - p1);
  const double c = length(p0 - p2);
  const double doubled_area = length(cross(p1 - p0, p2 - p1));
  return 4 * (doubled_area / (a * b)) * (doubled_area / (c * (a + b + c)));
}

}  // namespace tessera::surface::detail
