// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Walton and Meek, A triangular G1 patch from boundary curves, 1996.
#pragma once

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"

namespace tessera::remesh {

/// A point of a surface.
struct SurfacePoint {
  Vec3d position;
  Vec3d normal;  ///< of length 1, or 0 where the surface has none
};

/// The inner control points of a cubic curve between two points of a surface.
struct CubicSide {
  Vec3d first;
  Vec3d second;

  /// A curve that is at right angles to the normals at its ends and bends towards them.
  TESSERA_KERNEL static CubicSide between(const SurfacePoint& a, const SurfacePoint& b) {
    const Vec3d edge = b.position - a.position;
    const double along_a = dot(a.normal, edge);
    const double along_b = dot(b.normal, edge);
    const double cosine = dot(a.normal, b.normal);
    const double scale = 6 / (4 - cosine * cosine);
    const double bend_a = scale * (2 * along_a + cosine * along_b);
    const double bend_b = scale * (2 * along_b + cosine * along_a);
    return {a.position + (6 * edge - 2 * bend_a * a.normal + bend_b * b.normal) * (1. / 18),
            b.position - (6 * edge + bend_a * a.normal - 2 * bend_b * b.normal) * (1. / 18)};
  }
  /// A curve with given directions of length 1 at its ends, such as along a ridge.
  TESSERA_KERNEL static CubicSide along(const Vec3d& a, const Vec3d& from, const Vec3d& b,
                                        const Vec3d& to) {
    const double third = length(b - a) * (1. / 3);
    return {a + third * from, b - third * to};
  }
};

/// A triangle that bends: a quartic patch that joins its neighbours without a kink, because all
/// that it is made of along a side are the two corners there, their normals and the curve between.
/// Exact on a plane.
class CurvedTriangle {
 public:
  /// Side k goes from corner k to the next. Where a side is a ridge, the normals at its ends are
  /// those of this triangle's part of the surface.
  TESSERA_KERNEL CurvedTriangle(const SurfacePoint (&corners)[3], const CubicSide (&sides)[3]) {
    for (int k = 0; k < 3; ++k) {
      const Vec3d a = corners[k].position;
      const Vec3d b = corners[(k + 1) % 3].position;
      rim_[k][0] = a;
      rim_[k][1] = (a + 3 * sides[k].first) * 0.25;
      rim_[k][2] = (sides[k].first + sides[k].second) * 0.5;
      rim_[k][3] = (3 * sides[k].second + b) * 0.25;
      flat_normal_ += cross(a, b);
    }
    for (int k = 0; k < 3; ++k) set_inner(k, corners, sides[k]);
  }
  /// All sides between the corners' normals.
  TESSERA_KERNEL static CurvedTriangle smooth(const SurfacePoint (&corners)[3]) {
    const CubicSide sides[3] = {CubicSide::between(corners[0], corners[1]),
                                CubicSide::between(corners[1], corners[2]),
                                CubicSide::between(corners[2], corners[0])};
    return CurvedTriangle(corners, sides);
  }

  /// The point for three parts of the corners, not negative and with a sum of 1.
  TESSERA_KERNEL SurfacePoint at(const Vec3d& parts) const {
    const double u = parts[0];
    const double v = parts[1];
    const double w = parts[2];
    // De Casteljau's last steps need the three sub-triangles of the first three steps.
    Vec3d points[3];
    lower(u, v, w, points);
    SurfacePoint result;
    result.position = points[0] * u + points[1] * v + points[2] * w;
    Vec3d normal = cross(points[1] - points[0], points[2] - points[0]);
    double size = length(normal);
    if (!(size > 0)) {
      normal = flat_normal_;
      size = length(normal);
    }
    result.normal = size > 0 ? normal * (1 / size) : Vec3d{};
    return result;
  }

 private:
  /// The two inner points next to a side, such that across it the patch follows the directions that
  /// are blended from one end to the other.
  TESSERA_KERNEL void set_inner(int k, const SurfacePoint (&corners)[3], const CubicSide& side) {
    const int next = (k + 1) % 3;
    const int last = (k + 2) % 3;
    const Vec3d end = corners[next].position;
    const Vec3d steps[3] = {side.first - corners[k].position, side.second - side.first,
                            end - side.second};
    Vec3d across[3] = {
        unit(cross(corners[k].normal, steps[0])), {}, unit(cross(corners[next].normal, steps[2]))};
    across[1] = unit(across[0] + across[2]);
    // Derivatives across the side at its ends, given by the other two sides.
    const Vec3d at_start = rim_[last][3] - (rim_[k][0] + rim_[k][1]) * 0.5;
    const Vec3d at_end = rim_[next][1] - (rim_[k][3] + end) * 0.5;
    const double along_start = part_along(at_start, steps[0]);
    const double along_end = part_along(at_end, steps[2]);
    const double up_start = dot(at_start, across[0]);
    const double up_end = dot(at_end, across[2]);
    inner_[k][0] =
        (rim_[k][1] + rim_[k][2]) * 0.5 + (2 * along_start * steps[1] + along_end * steps[0] +
                                           2 * up_start * across[1] + up_end * across[0]) *
                                              (1. / 3);
    inner_[k][1] =
        (rim_[k][2] + rim_[k][3]) * 0.5 + (along_start * steps[2] + 2 * along_end * steps[1] +
                                           up_start * across[2] + 2 * up_end * across[1]) *
                                              (1. / 3);
  }
  TESSERA_KERNEL static Vec3d unit(const Vec3d& a) {
    const double size = length(a);
    return size > 0 ? a * (1 / size) : Vec3d{};
  }
  TESSERA_KERNEL static double part_along(const Vec3d& a, const Vec3d& direction) {
    const double squared = squared_length(direction);
    return squared > 0 ? dot(a, direction) / squared : 0;
  }
  /// Between the points that two sides ask for, all of the first where its weight is all.
  TESSERA_KERNEL static Vec3d blend(const Vec3d& a, double of_a, const Vec3d& b, double of_b) {
    const double sum = of_a + of_b;
    return sum > 0 ? (a * of_a + b * of_b) * (1 / sum) : (a + b) * 0.5;
  }
  /// The last triangle of de Casteljau's scheme: where the point lies in it, and which way it
  /// faces there but for the turn of the blended points, which is of higher order.
  TESSERA_KERNEL void lower(double u, double v, double w, Vec3d (&points)[3]) const {
    const Vec3d near_0 = blend(inner_[0][0], v, inner_[2][1], w);
    const Vec3d near_1 = blend(inner_[1][0], w, inner_[0][1], u);
    const Vec3d near_2 = blend(inner_[2][0], u, inner_[1][1], v);
    // Row r of the control net has r + 1 points, from side 0 at the left to side 2 at the right.
    const Vec3d quartic[15] = {rim_[0][0], rim_[0][1], rim_[2][3], rim_[0][2], near_0,
                               rim_[2][2], rim_[0][3], near_1,     near_2,     rim_[2][1],
                               rim_[1][0], rim_[1][1], rim_[1][2], rim_[1][3], rim_[2][0]};
    Vec3d cubic[10];
    Vec3d quadratic[6];
    step(quartic, 4, u, v, w, cubic);
    step(cubic, 3, u, v, w, quadratic);
    step(quadratic, 2, u, v, w, points);
  }
  TESSERA_KERNEL static void step(const Vec3d* from, int rows, double u, double v, double w,
                                  Vec3d* to) {
    for (int r = 0; r < rows; ++r)
      for (int i = 0; i <= r; ++i) {
        const int at = r * (r + 1) / 2 + i;
        const int below = (r + 1) * (r + 2) / 2 + i;
        to[at] = from[at] * u + from[below] * v + from[below + 1] * w;
      }
  }

  Vec3d rim_[3][4];    ///< control points of the sides, each without its end
  Vec3d inner_[3][2];  ///< next to each side
  Vec3d flat_normal_{};
};

}  // namespace tessera::remesh
