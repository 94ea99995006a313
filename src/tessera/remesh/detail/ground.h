// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Rakotoarivelo and Ledoux, Accurate manycore-accelerated manifold surface remesh kernels, section
// 2.
#pragma once

#include <cmath>

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"
#include "tessera/remesh/adapt.h"
#include "tessera/remesh/detail/vertex_state.h"
#include "tessera/remesh/ideal_surface_view.h"
#include "tessera/surface/bvh_view.h"

namespace tessera::remesh::detail {

/// Where points are put.
struct GroundView {
  IdealSurfaceView surface;
  surface::BvhView lines;  ///< ridges and borders
  Ground ground;
  double highest;  ///< that points are above the flat faces

  /// Above a point near a face; what is farther away than `far` is looked for everywhere.
  TESSERA_KERNEL PlacedPoint on_surface(const Vec3d& point, Index face, double far) const {
    return on_ground(surface.closest_from(point, face, far));
  }
  /// The curve above the nearest point of a ridge or border. Its normal is that between both sides.
  TESSERA_KERNEL PlacedPoint on_line(const Vec3d& point) const {
    return on_ground(
        surface.closest_to_line(lines.size() == 0 ? point : lines.closest(point).point));
  }
  /// Whether a point on a line is on that of a vertex nearby: the two rims of a thin wall do not
  /// face alike. Lines of corners, whose normals are of more than two sides, may.
  TESSERA_KERNEL static bool is_same_line(const PlacedPoint& found, const Vec3d& normal) {
    constexpr double least_cosine = 0.25;
    return dot(found.point.normal, normal) > least_cosine;
  }
  /// Where a path along the surface ends that starts at a vertex and is as long as a step in its
  /// tangent plane (the exponential map). The step is made longer or shorter once by as much as the
  /// path was not as long: that of an arc between the two normals.
  TESSERA_KERNEL PlacedPoint along_surface(const Vec3d& start, const VertexState& state,
                                           const Vec3d& step) const {
    const double wanted = length(step);
    // Vertices are above the flat faces by less than that, however small a step is.
    const double size = 1 / std::sqrt(std::fmax(state.metric.along, state.metric.across));
    const double far = wanted + 0.5 * size;
    const PlacedPoint first = on_surface(start + step, state.face, far);
    const double chord = length(first.point.position - start);
    const double cosine = dot(state.normal, first.point.normal);
    // An arc that turns by an angle is longer than its chord by a 24th of its square.
    const double passed = chord * (1 + (1 - std::fmax(cosine, 0.0)) / 12);
    constexpr double noticed = 0.02;
    if (!(std::fabs(passed - wanted) > noticed * wanted) || !(passed > 0.5 * wanted)) return first;
    return on_surface(start + step * (wanted / passed), first.face, far);
  }

 private:
  TESSERA_KERNEL PlacedPoint on_ground(PlacedPoint found) const {
    const Vec3d rise = found.point.position - found.flat;
    const double squared = squared_length(rise);
    if (ground == Ground::flat)
      found.point.position = found.flat;
    else if (squared > highest * highest)
      found.point.position = found.flat + rise * (highest / std::sqrt(squared));
    return found;
  }
};

}  // namespace tessera::remesh::detail
