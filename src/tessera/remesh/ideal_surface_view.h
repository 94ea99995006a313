// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <limits>

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"
#include "tessera/remesh/curved_triangle.h"
#include "tessera/surface/bvh_view.h"
#include "tessera/surface/corner_parts.h"
#include "tessera/surface/dynamic_view.h"
#include "tessera/surface/point_triangle.h"

namespace tessera::remesh {

/// A point of an ideal surface and where it is: a start for searches nearby.
struct PlacedPoint {
  SurfacePoint point;
  Index face = no_index;  ///< of the surface's mesh; no_index: there is no surface
  Vec3d flat{};           ///< the point of that face which it is above
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
  /// Above the point of the flat faces that is nearest to a point.
  TESSERA_KERNEL PlacedPoint closest(const Vec3d& point) const {
    const Index face = tree.closest(point).face;
    if (face == no_index) return {{point, Vec3d{}}, no_index, point};
    return above(point, flat_point(point, face));
  }
  /// The same for a point of a ridge or border, with the normal between those of both sides.
  TESSERA_KERNEL PlacedPoint closest_to_line(const Vec3d& point) const {
    const Index face = tree.closest(point).face;
    if (face == no_index) return {{point, Vec3d{}}, no_index, point};
    const FlatPoint flat = flat_point(point, face);
    PlacedPoint found = above(point, flat);
    constexpr double nearly_none = 1e-6;  // the point has the rounding of where the surface lies
    for (int k = 0; k < 3; ++k) {
      const Index side = 3 * face + static_cast<Index>(k);
      const Index twin = mesh.twins[side];
      if (flat.parts[(k + 2) % 3] > nearly_none || twin == no_index || !mesh.is_line(side))
        continue;
      Vec3d beyond{};
      beyond[static_cast<int>(twin % 3)] = flat.parts[(k + 1) % 3];
      beyond[static_cast<int>((twin + 1) % 3)] = flat.parts[k];
      const Vec3d sum = found.point.normal + triangle(twin / 3).at(beyond).normal;
      const double size = length(sum);
      if (size > 0) found.point.normal = sum * (1 / size);
      break;
    }
    return found;
  }
  /// The same for a point near a face: goes on to neighbours as long as they are nearer, so it
  /// stays on the same sheet of the surface. Only what is still farther away than `far` is searched
  /// for everywhere.
  TESSERA_KERNEL PlacedPoint closest_from(const Vec3d& point, Index face, double far) const {
    if (face == no_index) return closest(point);
    const FlatPoint best = flat_point_from(point, face, 0);
    return best.is_nearest && best.squared <= far * far ? above(point, best) : closest(point);
  }
  /// How far a point near a face is from the flat faces, squared. What is nearer than `enough` may
  /// be nearer still.
  TESSERA_KERNEL double squared_distance_from(const Vec3d& point, Index face, double far,
                                              double enough = 0) const {
    if (face != no_index) {
      const FlatPoint best = flat_point_from(point, face, enough);
      if (best.is_nearest && best.squared <= far * far) return best.squared;
    }
    const double distance = tree.closest(point).distance;
    return distance * distance;
  }

 private:
  /// The point of a face that is nearest to another point, as seen from there: rounding is then
  /// that of their distance, wherever the surface lies.
  struct FlatPoint {
    Index face;
    Vec3d offset;  ///< from the other point
    Vec3d parts;   ///< of the face's corners
    double squared;
    bool is_nearest = true;  ///< of all faces that can be walked to
  };
  /// What rounding leaves of a corner's part.
  static constexpr double none = 1e-12;

  TESSERA_KERNEL FlatPoint flat_point(const Vec3d& point, Index face) const {
    FlatPoint flat{no_index, {}, {}, std::numeric_limits<double>::infinity()};
    find_nearer(point, face, flat);
    flat.parts = parts_of(point, flat);
    return flat;
  }
  /// Takes the point of a face if it is nearer, without its parts.
  TESSERA_KERNEL void find_nearer(const Vec3d& point, Index face, FlatPoint& best) const {
    const Triangle t = mesh.triangles[face];
    Vec3d found;
    const double squared = surface::closest_on_triangle(
        Vec3d{}, mesh.positions[t[0]] - point, mesh.positions[t[1]] - point,
        mesh.positions[t[2]] - point, best.squared, found);
    if (squared < best.squared || best.face == no_index) best = {face, found, {}, squared};
  }
  TESSERA_KERNEL Vec3d parts_of(const Vec3d& point, const FlatPoint& flat) const {
    const Triangle t = mesh.triangles[flat.face];
    const Vec3d corners[3] = {mesh.positions[t[0]] - point, mesh.positions[t[1]] - point,
                              mesh.positions[t[2]] - point};
    return surface::corner_parts(flat.offset, corners);
  }
  /// The same, going on from a face to neighbours as long as they are nearer, or until that is
  /// enough.
  TESSERA_KERNEL FlatPoint flat_point_from(const Vec3d& point, Index face, double enough) const {
    constexpr int most_steps = 64;
    FlatPoint best = flat_point(point, face);
    int step = 0;
    while (step < most_steps && best.squared > enough * enough && go_nearer(point, best)) ++step;
    best.is_nearest = step < most_steps;
    return best;
  }
  /// Tries the faces beyond the side or corner that the point of a face lies on.
  TESSERA_KERNEL bool go_nearer(const Vec3d& point, FlatPoint& best) const {
    const Index face = best.face;
    const Vec3d parts = best.parts;
    const auto attempt = [&](Index h) {
      if (h != no_index && h / 3 != face) find_nearer(point, h / 3, best);
    };
    for (int k = 0; k < 3; ++k) {
      const Index h = 3 * face + static_cast<Index>(k);
      const bool has_next = parts[(k + 1) % 3] > none;
      const bool has_last = parts[(k + 2) % 3] > none;
      if (has_next && has_last) {
        if (parts[k] <= none) attempt(mesh.twins[surface::DynamicView::next(h)]);
      } else if (!has_next && !has_last) {
        mesh.visit_star(mesh.from(h), [&](Index e) {
          attempt(e);
          return true;
        });
      }
    }
    if (best.face == face) return false;
    best.parts = parts_of(point, best);
    return true;
  }
  TESSERA_KERNEL PlacedPoint above(const Vec3d& point, const FlatPoint& flat) const {
    PlacedPoint found{triangle(flat.face).at(flat.parts), flat.face, point + flat.offset};
    // Not far: where faces turn by nearly as much as at a ridge, a curved triangle rises by a tenth
    // of its side, which nobody meant; still less a sliver.
    constexpr double highest = 0.05;
    const Vec3d rise = found.point.position - found.flat;
    const double squared = squared_length(rise);
    const double most = highest * highest * shortest_squared(flat.face);
    if (squared > most) found.point.position = found.flat + rise * std::sqrt(most / squared);
    return found;
  }
  TESSERA_KERNEL double shortest_squared(Index f) const {
    const Triangle t = mesh.triangles[f];
    const Vec3d p[3] = {mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]};
    return std::fmin(squared_length(p[1] - p[0]),
                     std::fmin(squared_length(p[2] - p[1]), squared_length(p[0] - p[2])));
  }
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
