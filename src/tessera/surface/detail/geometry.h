// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

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

}  // namespace tessera::surface::detail
