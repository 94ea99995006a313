// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"
#include "tessera/remesh/detail/split_unit.h"
#include "tessera/remesh/detail/vertex_state.h"
#include "tessera/remesh/ideal_surface_view.h"
#include "tessera/surface/flip_nearer.h"
#include "tessera/surface/operators.h"

namespace tessera::remesh::detail {

/// Edges whose faces are still what they were at some time, so that what was found out then still
/// holds.
struct Unchanged {
  exec::View<const Triangle> then;
  TESSERA_KERNEL bool at(const surface::DynamicView& mesh, Index h) const {
    return is_same(mesh, h / 3) && (mesh.is_border(h) || is_same(mesh, mesh.twins[h] / 3));
  }

 private:
  TESSERA_KERNEL bool is_same(const surface::DynamicView& mesh, Index f) const {
    return f < then.size() && mesh.triangles[f] == then[f];
  }
};

/// Splits edges that leave the surface too far, where that is most or else elsewhere, and whatever
/// the metric says of them, unless that makes a sliver or turns a face over. Those that are hardly
/// too far only where that leaves good triangles.
struct SplitFar {
  static constexpr surface::Seed seed = surface::Seed::edge;
  static constexpr Index new_faces = 2;
  static constexpr Index new_vertices = 1;
  static constexpr int parts = 3;  ///< of an edge, where it is looked at and split
  SplitUnit split;
  double tolerance;
  Unchanged unchanged;
  exec::View<const std::uint8_t> are_far;  ///< of half-edges, where nothing has changed
  TESSERA_KERNEL bool wants(const surface::DynamicView& mesh, Index h, surface::Wish& wish) const {
    if (unchanged.at(mesh, h) && are_far[h] == 0) return false;
    // Nobody wants a thousand faces for an edge.
    constexpr double shortest = 1.0 / 16;
    if (!surface::can_split(mesh, h) ||
        split.measure.squared_length(mesh, mesh.from(h), mesh.to(h)) < shortest * shortest)
      return false;
    double ratios[parts];
    if (!(excess(mesh, h, ratios) > 1)) return false;
    constexpr double hardly = 1.2 * 1.2;
    int best = -1;
    for (int k = 0; k < parts; ++k)
      // With any triangle but turned ones, as many edges are left, 8 % more faces are made, and
      // angles of 0.1 degrees. A quality of 0.16 is an angle of five degrees or more.
      if (ratios[k] > 1 && (best < 0 || ratios[k] > ratios[best]) &&
          is_good(mesh, h, part(k), ratios[k] < hardly ? 0.2 : 0.16))
        best = k;
    if (best < 0) return false;
    wish.choice = static_cast<std::uint8_t>(best);
    wish.priority = static_cast<std::uint16_t>(std::fmin(65535.0, 4096 * ratios[best]));
    return true;
  }
  /// How many times the tolerance an edge leaves the surface at each of its parts, squared, and
  /// where that is most; anything to 1 within it.
  TESSERA_KERNEL double excess(const surface::DynamicView& mesh, Index h,
                               double (&ratios)[parts]) const {
    const Vec3d start = mesh.positions[mesh.from(h)];
    const Vec3d edge = mesh.positions[mesh.to(h)] - start;
    // A shorter one is near because its ends are, by half of the tolerance.
    if (!(squared_length(edge) > tolerance * tolerance)) return 0;
    const Index face = VertexState::of(mesh, mesh.from(h)).face;
    double most = 0;
    for (int k = 0; k < parts; ++k) {
      ratios[k] = split.ground.surface.squared_distance_from(start + edge * part(k), face,
                                                             tolerance, tolerance) /
                  (tolerance * tolerance);
      most = std::fmax(most, ratios[k]);
    }
    return most;
  }
  TESSERA_KERNEL bool is_far(const surface::DynamicView& mesh, Index h) const {
    double ratios[parts];
    return excess(mesh, h, ratios) > 1;
  }
  /// The middle first.
  TESSERA_KERNEL static double part(int k) {
    constexpr double all[parts] = {0.5, 0.25, 0.75};
    return all[k];
  }
  /// Whether the surface is near, no face turns over, and all are as good as that.
  TESSERA_KERNEL bool is_good(const surface::DynamicView& mesh, Index h, double part,
                              double quality) const {
    bool is_near = false;
    const SurfacePoint there = split.point_of(mesh, h, part, is_near).point;
    if (!is_near) return false;
    const Vec3d& middle = there.position;
    const Index sides[2] = {h, mesh.twins[h]};
    for (const Index side : sides) {
      if (side == no_index) continue;
      const Triangle t = mesh.triangles[side / 3];
      for (const Index end : {mesh.from(side), mesh.to(side)}) {
        Vec3d corners[3];
        for (int k = 0; k < 3; ++k) corners[k] = t[k] == end ? middle : mesh.positions[t[k]];
        const surface::FaceShape shape =
            split.measure.shape(mesh, t, corners[0], corners[1], corners[2]);
        constexpr double least_cosine = 0.5;
        const double least = least_cosine * length(shape.area);
        const bool is_facing = mesh.is_line(h) || dot(shape.area, there.normal) > least;
        if (shape.squared < quality * quality || !is_facing ||
            !(dot(shape.area, mesh.area(side / 3)) > least * length(mesh.area(side / 3))))
          return false;
      }
    }
    return true;
  }
  TESSERA_KERNEL void take(const surface::DynamicView& mesh, Index h,
                           surface::Cavity& cavity) const {
    split.take(mesh, h, cavity);
  }
  TESSERA_KERNEL void fill(Index h, int choice, surface::Filling& filling) const {
    split.split_at(h, part(choice), filling);
  }
};

/// Finds the edges that are too far, where something has changed.
struct FindFar {
  surface::DynamicView mesh;
  SplitFar far;
  exec::View<std::uint8_t> are_far;
  TESSERA_KERNEL void operator()(Index h) const {
    if (!mesh.is_edge(h))
      are_far[h] = 0;
    else if (!far.unchanged.at(mesh, h))
      are_far[h] = far.is_far(mesh, h) ? 1 : 0;
  }
};

struct IsFar {
  exec::View<const std::uint8_t> are_far;
  TESSERA_KERNEL Index operator()(Index h) const { return are_far[h]; }
};

/// Of points near a face, from the faces of the input.
struct DistanceFrom {
  IdealSurfaceView surface;
  TESSERA_KERNEL double squared_distance(const surface::DynamicView& mesh, Index h,
                                         const Vec3d& point) const {
    return surface.squared_distance_from(point, VertexState::of(mesh, mesh.from(h)).face,
                                         0.25 * length(mesh.positions[mesh.to(h)] - point));
  }
};

/// Flips edges away from the surface only where something has changed.
struct FlipChanged {
  static constexpr surface::Seed seed = surface::Seed::edge;
  static constexpr Index new_faces = 0;
  static constexpr Index new_vertices = 0;
  surface::FlipNearer<DistanceFrom, MetricMeasure> flip;
  Unchanged unchanged;
  TESSERA_KERNEL bool wants(const surface::DynamicView& mesh, Index h, surface::Wish& wish) const {
    return !unchanged.at(mesh, h) && flip.wants(mesh, h, wish);
  }
  TESSERA_KERNEL bool can(const surface::DynamicView& mesh, Index h, surface::Wish& wish) const {
    return flip.can(mesh, h, wish);
  }
  TESSERA_KERNEL void take(const surface::DynamicView& mesh, Index h,
                           surface::Cavity& cavity) const {
    flip.take(mesh, h, cavity);
  }
  TESSERA_KERNEL void fill(Index h, int choice, surface::Filling& filling) const {
    flip.fill(h, choice, filling);
  }
};

}  // namespace tessera::remesh::detail
