// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"

namespace tessera::surface {

/// Takes the point nearest to p on a side, given as start and vector, if it is nearer than
/// `squared`. A side may have no length.
TESSERA_KERNEL inline void closest_on_side(const Vec3d& p, const Vec3d& start, const Vec3d& side,
                                           double& squared, Vec3d& point) {
  const Vec3d to_p = p - start;
  const double along = dot(to_p, side);
  const double all = squared_length(side);
  const double t = along <= 0 ? 0 : along >= all ? 1 : along / all;
  const Vec3d found = start + side * t;
  const Vec3d offset = to_p - side * t;
  const double here = squared_length(offset);
  if (here < squared) {
    squared = here;
    point = found;
  }
}

/// The square of the distance of p from a triangle, and the nearest point; infinity, and no
/// point, perhaps, where it is more than `bound`. Coordinates are about 1 or less where the
/// triangle is.
///
/// Degenerate triangles are as good as any. A triangle whose height is below 1e-8 of its length
/// counts as its three sides: its normal would be more rounding than that.
TESSERA_KERNEL inline double closest_on_triangle(const Vec3d& p, const Vec3d& a, const Vec3d& b,
                                                 const Vec3d& c, double bound, Vec3d& point) {
  const Vec3d ab = b - a;
  const Vec3d ac = c - a;
  const Vec3d ap = p - a;
  const Vec3d normal = cross(ab, ac);
  const double area = squared_length(normal);
  const double size = squared_length(ab) + squared_length(ac);
  const bool thin = area <= 1e-16 * size * size;
  double u = -1;
  double v = -1;
  double w = -1;
  if (!thin) {
    const double height = dot(ap, normal);
    const double squared_height = height * height;
    // With room for rounding: a side nearer than the plane, by rounding, must not be missed.
    const double error = 1e-30 * size * size * squared_length(ap);
    if (squared_height > bound * area * (1 + 1e-12) + error)
      return std::numeric_limits<double>::infinity();
    // Where p is above the triangle, as three areas. From its normal and p's offset rather than
    // from products of lengths, which lose all digits on a long thin triangle.
    v = dot(cross(ap, ac), normal);
    w = dot(cross(ab, ap), normal);
    u = area - v - w;
    if (u > 0 && v > 0 && w > 0) {
      point = p - normal * (height / area);
      return squared_height / area;
    }
  }
  // The nearest side is among those that p is beyond. Sides find their ends without rounding.
  double squared = std::numeric_limits<double>::infinity();
  point = a;
  if (w <= 0) closest_on_side(p, a, ab, squared, point);
  if (v <= 0) closest_on_side(p, a, ac, squared, point);
  if (u <= 0) closest_on_side(p, b, c - b, squared, point);
  return squared;
}

}  // namespace tessera::surface
