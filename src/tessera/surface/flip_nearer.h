// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "tessera/core/vec.h"
#include "tessera/surface/operators.h"
#include "tessera/surface/shape_operations.h"

namespace tessera::surface {

/// The middles of the nine triangles that a face is divided into, by the parts of its corners.
struct FaceSamples {
  static constexpr int count = 9;
  TESSERA_KERNEL static Vec3d parts(int k) {
    constexpr double parts[count][3] = {{7, 1, 1}, {1, 7, 1}, {1, 1, 7}, {5, 2, 2}, {2, 5, 2},
                                        {2, 2, 5}, {1, 4, 4}, {4, 1, 4}, {4, 4, 1}};
    return Vec3d{parts[k][0], parts[k][1], parts[k][2]} * (1.0 / count);
  }
};

/// Flips edges whose other diagonal leaves the faces nearer to a surface. Distance is
/// squared_distance(mesh, h, point): that of a point near a half-edge's face.
template <class Distance, class Measure = EuclideanMeasure>
struct FlipNearer {
  static constexpr Seed seed = Seed::edge;
  static constexpr Index new_faces = 0;
  static constexpr Index new_vertices = 0;
  Distance distance;
  double bearable;       ///< a distance; what is less does not matter
  double least_quality;  ///< that new faces have, see FaceShape
  Measure measure{};

  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index h, Wish& wish) const {
    if (mesh.is_border(h) || mesh.edge_marks[h] != 0) return false;
    const Index v[4] = {mesh.from(h), mesh.to(h), mesh.opposite(h), mesh.opposite(mesh.twins[h])};
    const Vec3d p[4] = {mesh.positions[v[0]], mesh.positions[v[1]], mesh.positions[v[2]],
                        mesh.positions[v[3]]};
    // How far apart the diagonals are bounds what there is to gain.
    const Vec3d across = cross(p[1] - p[0], p[3] - p[2]);
    const double gap = dot(across, p[2] - p[0]);
    if (!(gap * gap > bearable * bearable * squared_length(across))) return false;
    const Vec3d direction = cross(p[1] - p[0], p[2] - p[0]) + cross(p[3] - p[0], p[1] - p[0]);
    if (!is_right(shape_of(measure, mesh, v[0], v[3], v[2]), direction) ||
        !is_right(shape_of(measure, mesh, v[3], v[1], v[2]), direction))
      return false;
    constexpr double any = std::numeric_limits<double>::infinity();
    const double before =
        error_of(mesh, h, p[0], p[1], p[2], any) + error_of(mesh, h, p[1], p[0], p[3], any);
    constexpr double noticeable = 0.9;
    const double most = noticeable * before;
    double after = error_of(mesh, h, p[0], p[3], p[2], most);
    if (after < most) after += error_of(mesh, h, p[3], p[1], p[2], most - after);
    if (!(after < most)) return false;
    wish.priority = static_cast<std::uint16_t>(65535 * (1 - after / before));
    return true;
  }
  TESSERA_KERNEL bool can(const DynamicView& mesh, Index h, Wish&) const {
    return can_flip(mesh, h);
  }
  TESSERA_KERNEL void take(const DynamicView& mesh, Index h, Cavity& cavity) const {
    take_flip(mesh, h, cavity);
  }
  TESSERA_KERNEL void fill(Index h, int, Filling& filling) const { fill_flip(h, filling); }

 private:
  TESSERA_KERNEL bool is_right(const FaceShape& face, const Vec3d& direction) const {
    constexpr double least_cosine = 0.3;  // across a ridge the two faces of a flip turn a lot
    return face.squared > least_quality * least_quality &&
           dot(face.area, direction) >
               least_cosine * std::sqrt(squared_length(face.area) * squared_length(direction));
  }
  /// Squares of the distances of samples, each as heavy as the face is large. No more of them than
  /// make the sum too large.
  TESSERA_KERNEL double error_of(const DynamicView& mesh, Index h, const Vec3d& a, const Vec3d& b,
                                 const Vec3d& c, double most) const {
    const double area = length(cross(b - a, c - a));
    double sum = 0;
    for (int k = 0; k < FaceSamples::count && sum < most; ++k) {
      const Vec3d parts = FaceSamples::parts(k);
      sum += area * distance.squared_distance(mesh, h, a * parts[0] + b * parts[1] + c * parts[2]);
    }
    return sum;
  }
};

}  // namespace tessera::surface
