// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"
#include "tessera/remesh/detail/ground.h"
#include "tessera/remesh/detail/vertex_state.h"
#include "tessera/surface/operators.h"

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
    if (!(squared > 1) || !surface::can_split(mesh, h) || !is_longest(mesh, h)) return false;
    wish.priority = static_cast<std::uint16_t>(std::fmin(65535.0, 4096 * squared));
    return true;
  }
  /// Of the edges of its faces. Others wait: in a thin triangle each split of one that is not would
  /// make another one as long, without end.
  TESSERA_KERNEL bool is_longest(const surface::DynamicView& mesh, Index h) const {
    const double squared = measure.squared_length(mesh, mesh.from(h), mesh.to(h));
    const Index sides[2] = {h, mesh.twins[h]};
    for (const Index side : sides) {
      if (side == no_index) continue;
      const Index third = mesh.opposite(side);
      for (const Index end : {mesh.from(h), mesh.to(h)})
        if (measure.squared_length(mesh, end, third) > squared * (1 + 1e-9)) return false;
    }
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
    PlacedPoint found = point_of(mesh, h, part, is_near);
    if (!is_near)
      found.point.position = mesh.positions[a] + (mesh.positions[b] - mesh.positions[a]) * part;
    VertexState state;
    state.face = found.face;
    state.normal = found.point.normal;
    state.metric = between(at_a.metric, at_a.normal, at_b.metric, at_b.normal, part, state.normal);
    const Index added = surface::fill_split(h, found.point.position, filling);
    state.store(mesh, added);
  }
  /// A part of an edge, on the surface. What is farther away than a part of the edge is another
  /// part of the surface, or a patch that noise has thrown up.
  TESSERA_KERNEL PlacedPoint point_of(const surface::DynamicView& mesh, Index h, double part,
                                      bool& is_near) const {
    constexpr double farthest = 0.25;
    const Vec3d start = mesh.positions[mesh.from(h)];
    const Vec3d edge = mesh.positions[mesh.to(h)] - start;
    const Vec3d point = start + edge * part;
    const Index face = VertexState::of(mesh, mesh.from(h)).face;
    const PlacedPoint found = mesh.is_line(h)
                                  ? ground.on_line(point)
                                  : ground.on_surface(point, face, farthest * length(edge));
    is_near =
        squared_length(found.point.position - point) <= farthest * farthest * squared_length(edge);
    return found;
  }
};

}  // namespace tessera::remesh::detail
