// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"
#include "tessera/remesh/curved_triangle.h"
#include "tessera/surface/bvh_view.h"
#include "tessera/surface/corner_parts.h"
#include "tessera/surface/dynamic_view.h"

namespace tessera::remesh {

/// A point of an ideal surface and where it is: a start for searches nearby.
struct PlacedPoint {
  SurfacePoint point;
  Index place = no_index;  ///< of the face in the tree; no_index: there is no surface
};

/// What kernels see of an IdealSurface.
struct IdealSurfaceView {
  surface::DynamicView mesh;
  surface::BvhView tree;
  exec::View<const Vec3f> corner_normals;  ///< of each half-edge's face where it starts
  exec::View<const Vec3f> tangents;        ///< of ridges and borders at vertices; 0 at corners

  TESSERA_KERNEL CurvedTriangle triangle(Index f) const {
    const Vec3d normals[3] = {cast<double>(corner_normals[3 * f]),
                              cast<double>(corner_normals[3 * f + 1]),
                              cast<double>(corner_normals[3 * f + 2])};
    const Triangle t = mesh.triangles[f];
    const SurfacePoint corners[3] = {{mesh.positions[t[0]], normals[0]},
                                     {mesh.positions[t[1]], normals[1]},
                                     {mesh.positions[t[2]], normals[2]}};
    const CubicSide sides[3] = {side(3 * f, corners[0], corners[1]),
                                side(3 * f + 1, corners[1], corners[2]),
                                side(3 * f + 2, corners[2], corners[0])};
    return CurvedTriangle(corners, sides);
  }
  /// Above the point of the flat faces that is nearest to a point. The search starts at a place.
  TESSERA_KERNEL PlacedPoint closest(const Vec3d& point, Index place = no_index) const {
    const surface::ClosestPoint flat = tree.closest_from(point, place);
    if (flat.place == no_index) return {{point, Vec3d{}}, no_index};
    const Triangle t = mesh.triangles[flat.face];
    const Vec3d corners[3] = {mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]};
    const Vec3d parts = surface::corner_parts(flat.point, corners);
    return {triangle(flat.face).at(parts), flat.place};
  }

 private:
  TESSERA_KERNEL CubicSide side(Index h, const SurfacePoint& a, const SurfacePoint& b) const {
    if (!mesh.is_line(h)) return CubicSide::between(a, b);
    const Vec3d edge = b.position - a.position;
    return CubicSide::along(a.position, along_line(mesh.from(h), edge), b.position,
                            along_line(mesh.to(h), edge));
  }
  TESSERA_KERNEL Vec3d along_line(Index v, const Vec3d& edge) const {
    const Vec3d tangent = cast<double>(tangents[v]);
    const double along = dot(tangent, edge);
    if (along != 0) return along > 0 ? tangent : -tangent;
    const double size = length(edge);
    return size > 0 ? edge * (1 / size) : edge;
  }
};

}  // namespace tessera::remesh
