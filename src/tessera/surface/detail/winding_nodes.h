// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>

#include "tessera/core/vec.h"
#include "tessera/exec/float4.h"
#include "tessera/exec/kernel.h"
#include "tessera/surface/detail/bvh_nodes.h"

// What a WindingTree keeps for the nodes of its Bvh, and solid angles.

namespace tessera::surface::detail {

/// A point in the frame of a tree as two floats for each coordinate, which add up to it: where two
/// such points are near each other, their difference is still right, to 2^-46 of the mesh.
struct FinePoint {
  Vec3f point;  ///< on a grid so coarse that floats of up to 4 are exact, and differ exactly
  Vec3f rest;

  TESSERA_KERNEL explicit FinePoint(const Vec3d& p) : point{}, rest{} {
    // Not by a cast to float and back: g++ 12 makes that the number itself where it vectorises.
    for (int i = 0; i < 3; ++i) {
      const double on_grid =
          static_cast<double>(static_cast<std::int64_t>(p[i] * 0x1p22)) * 0x1p-22;
      point[i] = static_cast<float>(on_grid);
      rest[i] = static_cast<float>(p[i] - on_grid);
    }
  }
};

/// Of the triangles below each child of a node, the field far away: of a dipole, a quadrupole and
/// an octupole in one point, divided by 4 pi and by powers of the radius, so that no number is too
/// large or small. Side by side, so that a CPU works on several with one instruction.
///
/// Poles are polynomials of the direction to the point. The two higher ones are harmonic, and some
/// of their coefficients follow from the others.
struct alignas(64) WindingNode {
  static constexpr int width = BvhNode::width;

  float centre[3][width];  ///< where the poles are, with `rest` as a FinePoint
  float rest[3][width];
  float inverse_radius[width];  ///< of a ball around that which holds the triangles
  float dipole[3][width];       ///< coefficients of x, y, z
  float quadrupole[5][width];   ///< of xx, yy, xy, yz, zx
  float octupole[7][width];     ///< of xxx, yyy, zzz, xyy, yzz, zxx, xyz

  /// Adds the winding numbers of the children whose centres are farther away than the root of
  /// `squared_beta`, in units of their radii. Bit c of the result is set where child c is not.
  TESSERA_KERNEL unsigned add_far(const FinePoint& p, float squared_beta, exec::Float4& sum) const {
    using exec::Float4;
    unsigned near = 0;
    for (int c = 0; c < width; c += 4) {
      const auto get = [c](const float(&numbers)[width]) { return Float4::load(numbers + c); };
      const Float4 scale = get(inverse_radius);
      const auto away = [&](int i) {
        return ((get(centre[i]) - Float4(p.point[i])) + (get(rest[i]) - Float4(p.rest[i]))) * scale;
      };
      Float4 x = away(0);
      Float4 y = away(1);
      Float4 z = away(2);
      const Float4 squared = x * x + y * y + z * z;
      const Float4 inverse = inverse_root(squared);
      x = x * inverse;
      y = y * inverse;
      z = z * inverse;
      const Float4 xy = x * x - y * y;
      const Float4 yz = y * y - z * z;
      const Float4 zx = z * z - x * x;
      const Float4 two(2);
      const Float4 first = get(dipole[0]) * x + get(dipole[1]) * y + get(dipole[2]) * z;
      const Float4 second = get(quadrupole[1]) * yz - get(quadrupole[0]) * zx +
                            get(quadrupole[2]) * x * y + get(quadrupole[3]) * y * z +
                            get(quadrupole[4]) * z * x;
      const Float4 third = (get(octupole[3]) * yz - get(octupole[0]) * (zx + two * z * z)) * x +
                           (get(octupole[4]) * zx - get(octupole[1]) * (xy + two * x * x)) * y +
                           (get(octupole[5]) * xy - get(octupole[2]) * (yz + two * y * y)) * z +
                           get(octupole[6]) * x * y * z;
      const Float4 all = inverse * inverse * (first + inverse * (second + inverse * third));
      const Float4 limit(squared_beta);
      sum = sum + where_larger(squared, limit, all);
      near |= at_most(squared, limit) << c;
    }
    return near;
  }
};

/// The solid angle of a triangle seen from the origin, positive where its back is seen: Van
/// Oosterom and Strackee, "The Solid Angle of a Plane Triangle" (1983). 0 from its corners.
TESSERA_KERNEL inline double solid_angle(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  // From the sides, not the corners: nothing for a triangle with two equal corners.
  const double volume = dot(a, cross(b - a, c - a));
  const double la = length(a);
  const double lb = length(b);
  const double lc = length(c);
  const double lengths = la * lb * lc;
  if (volume == 0 || lengths == 0) return 0;
  return 2 * std::atan2(volume, lengths + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
}

}  // namespace tessera::surface::detail
