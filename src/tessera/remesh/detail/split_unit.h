// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"
#include "tessera/remesh/detail/ground.h"
#include "tessera/remesh/detail/vertex_state.h"
#include "tessera/surface/operators.h"
#include "tessera/surface/shape_operations.h"

namespace tessera::remesh::detail {

/// Splits edges that are too long in the metric, at their middle on the surface.
struct SplitUnit {
  static constexpr surface::Seed seed = surface::Seed::edge;
  static constexpr Index new_faces = 2;
  static constexpr Index new_vertices = 1;
  GroundView ground;
  MetricMeasure measure;
  double longest;
  TESSERA_KERNEL bool wants(const surface::DynamicView& mesh, Index h, surface::Wish& wish) const {
    const double squared =
        measure.squared_length(mesh, mesh.from(h), mesh.to(h)) / (longest * longest);
    if (!(squared > 1) || !surface::can_split(mesh, h) || !surface::is_longest(measure, mesh, h))
      return false;
    wish.priority = static_cast<std::uint16_t>(std::fmin(65535.0, 4096 * squared));
    return true;
  }
  TESSERA_KERNEL void take(const surface::DynamicView&, Index h, surface::Cavity& cavity) const {
    cavity.take_edge(h);
  }
  TESSERA_KERNEL void fill(Index h, int, surface::Filling& filling) const {
    split_at(h, 0.5, filling);
  }
  /// Puts a vertex at a part of an edge.
  TESSERA_KERNEL void split_at(Index h, double part, surface::Filling& filling) const {
    const surface::DynamicView& mesh = filling.mesh();
    const Index a = mesh.from(h);
    const Index b = mesh.to(h);
    const VertexState at_a = VertexState::of(mesh, a);
    const VertexState at_b = VertexState::of(mesh, b);
    bool is_near = false;
    const PlacedPoint found = point_of(mesh, h, part, is_near);
    VertexState state;
    Vec3d position = found.point.position;
    if (is_near) {
      state.face = found.face;
      state.normal = found.point.normal;
    } else {
      position = mesh.positions[a] + (mesh.positions[b] - mesh.positions[a]) * part;
      state.face = at_a.face;
      state.normal = normal_between(at_a, at_b);
    }
    state.metric = between(at_a.metric, at_a.normal, at_b.metric, at_b.normal, part, state.normal);
    const Index added = surface::fill_split(h, position, filling);
    state.store(mesh, added);
  }
  /// A part of an edge, on the surface. What is farther away than a part of the edge, or on a ridge
  /// that faces elsewhere, is another part of the surface, or a patch that noise has thrown up.
  TESSERA_KERNEL PlacedPoint point_of(const surface::DynamicView& mesh, Index h, double part,
                                      bool& is_near) const {
    constexpr double farthest = 0.25;
    const Vec3d start = mesh.positions[mesh.from(h)];
    const Vec3d edge = mesh.positions[mesh.to(h)] - start;
    const Vec3d point = start + edge * part;
    const double most = farthest * farthest * squared_length(edge);
    const bool is_line = mesh.is_line(h);
    const PlacedPoint found = is_line ? ground.on_line(point) : beside_faces(mesh, h, point);
    is_near =
        squared_length(found.point.position - point) <= most &&
        squared_length(found.point.normal) > 0 &&
        (!is_line || ground.is_same_line(found, normal_between(VertexState::of(mesh, mesh.from(h)),
                                                               VertexState::of(mesh, mesh.to(h)))));
    return found;
  }

 private:
  TESSERA_KERNEL static Vec3d normal_between(const VertexState& a, const VertexState& b) {
    const Vec3d sum = a.normal + b.normal;
    const double size = length(sum);
    return size > 0 ? sum * (1 / size) : a.normal;
  }
  /// The nearest point where the surface faces as the two faces of an edge. The vertices of these
  /// know faces to start from, but at a ridge those may be on its other side, and large: then the
  /// search ends there, farther away than it should.
  TESSERA_KERNEL PlacedPoint beside_faces(const surface::DynamicView& mesh, Index h,
                                          const Vec3d& point) const {
    constexpr double anywhere = std::numeric_limits<double>::infinity();
    constexpr double least_cosine = 0.5;
    constexpr double surely_right = 0.05;  // of the edge
    const double enough = surely_right * surely_right *
                          squared_length(mesh.positions[mesh.to(h)] - mesh.positions[mesh.from(h)]);
    const Index twin = mesh.twins[h];
    const Vec3d direction = mesh.area(h / 3) + mesh.area(twin / 3);
    const Index around[4] = {mesh.from(h), mesh.to(h), mesh.opposite(h), mesh.opposite(twin)};
    PlacedPoint best;
    double nearest = anywhere;
    for (int k = 0; k <= 4 && nearest > enough; ++k) {
      const bool is_last = k == 4;  // the nearest of all
      const Index face = is_last ? no_index : VertexState::of(mesh, around[k]).face;
      const PlacedPoint found = ground.on_surface(point, face, anywhere);
      const double squared = squared_length(found.point.position - point);
      const bool is_facing = dot(found.point.normal, direction) > least_cosine * length(direction);
      if (is_facing ? squared < nearest : is_last && nearest == anywhere) {
        best = found;
        nearest = squared;
      }
    }
    return best;
  }
};

}  // namespace tessera::remesh::detail
