// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"

namespace tessera::surface {

/// How much of each corner a point of a triangle has; of a point elsewhere, the one of the triangle
/// below it or near it. A thin triangle counts as its longest side.
TESSERA_KERNEL inline Vec3d corner_parts(const Vec3d& p, const Vec3d (&corners)[3]) {
  const Vec3d area = cross(corners[1] - corners[0], corners[2] - corners[0]);
  int longest = 0;
  double size = 0;
  for (int k = 0; k < 3; ++k) {
    const double squared = squared_length(corners[(k + 1) % 3] - corners[k]);
    if (!(squared > size)) continue;
    size = squared;
    longest = k;
  }
  Vec3d parts{};
  if (squared_length(area) > 1e-16 * size * size) {
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
      const double part = dot(cross(corners[(k + 1) % 3] - p, corners[(k + 2) % 3] - p), area);
      parts[k] = part > 0 ? part : 0;
      sum += parts[k];
    }
    if (sum > 0) return parts * (1 / sum);
  }
  const int next = (longest + 1) % 3;
  const double along = dot(p - corners[longest], corners[next] - corners[longest]);
  const double part = along <= 0 ? 0 : along >= size ? 1 : along / size;
  parts = Vec3d{};
  parts[longest] = 1 - part;
  parts[next] = part;
  return parts;
}

/// The corner that a point is nearest to.
TESSERA_KERNEL inline int nearest_corner(const Vec3d& p, const Vec3d (&corners)[3]) {
  int nearest = 0;
  for (int k = 1; k < 3; ++k)
    if (squared_length(corners[k] - p) < squared_length(corners[nearest] - p)) nearest = k;
  return nearest;
}

}  // namespace tessera::surface
