// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"
#include "tessera/remesh/surface_metric.h"
#include "tessera/surface/dynamic_view.h"
#include "tessera/surface/shape_operations.h"

namespace tessera::remesh::detail {

/// What a vertex knows besides where it is: its metric, the normal of the ideal surface, and the
/// face of that surface's mesh that it is above. Kept as the values that the mesh carries for each
/// vertex, so that it grows and moves with the mesh; every operation sets it anew.
struct VertexState {
  static constexpr int width = 9;

  SurfaceMetric metric;
  Vec3d normal;
  Index face = no_index;

  /// As numbers; faces are whole numbers of 32 bits, which a double holds.
  void write(double* to) const {
    for (int k = 0; k < 3; ++k) to[k] = metric.axis[k];
    to[3] = metric.along;
    to[4] = metric.across;
    for (int k = 0; k < 3; ++k) to[5 + k] = normal[k];
    to[8] = face;
  }
  TESSERA_KERNEL static VertexState of(const surface::DynamicView& mesh, Index v) {
    const auto at = [&](Index i) { return mesh.carried.value(v, i); };
    return {
        {{at(0), at(1), at(2)}, at(3), at(4)}, {at(5), at(6), at(7)}, static_cast<Index>(at(8))};
  }
  TESSERA_KERNEL static Vec3d normal_of(const surface::DynamicView& mesh, Index v) {
    return {mesh.carried.value(v, 5), mesh.carried.value(v, 6), mesh.carried.value(v, 7)};
  }
  TESSERA_KERNEL void store(const surface::DynamicView& mesh, Index v) const {
    const auto set = [&](Index i, double value) { mesh.carried.value(v, i) = value; };
    for (int k = 0; k < 3; ++k) set(static_cast<Index>(k), metric.axis[k]);
    set(3, metric.along);
    set(4, metric.across);
    for (int k = 0; k < 3; ++k) set(static_cast<Index>(5 + k), normal[k]);
    set(8, face);
  }
  /// Whether a metric is the same in all directions, but for rounding.
  TESSERA_KERNEL static bool is_isotropic(double along, double across) {
    return std::fabs(along - across) <= 1e-6 * along;
  }
  TESSERA_KERNEL bool is_isotropic() const { return is_isotropic(metric.along, metric.across); }
  TESSERA_KERNEL double squared_length_of(const Vec3d& edge) const {
    return is_isotropic() ? metric.along * tessera::squared_length(edge)
                          : metric.squared_length_of(normal, edge);
  }
};

/// The length of an edge in the metrics of its ends.
TESSERA_KERNEL inline double length_between(const VertexState& a, const VertexState& b,
                                            const Vec3d& edge) {
  return mean_length(std::sqrt(a.squared_length_of(edge)), std::sqrt(b.squared_length_of(edge)));
}

/// Lengths and shapes in the metric, for the operations that surface/ has.
struct MetricMeasure {
  bool is_isotropic = false;  ///< at all vertices; then less is to be read

  TESSERA_KERNEL double squared_length(const surface::DynamicView& mesh, Index a, Index b) const {
    const Vec3d edge = mesh.positions[b] - mesh.positions[a];
    if (is_isotropic) {
      const double at_a = mesh.carried.value(a, 3);
      const double at_b = mesh.carried.value(b, 3);
      if (at_a == at_b) return at_a * tessera::squared_length(edge);
      const double mean = mean_length(std::sqrt(at_a), std::sqrt(at_b));
      return mean * mean * tessera::squared_length(edge);
    }
    const double size = length_between(VertexState::of(mesh, a), VertexState::of(mesh, b), edge);
    return size * size;
  }
  /// Not against the normals of its vertices. Those on a ridge are between its sides.
  TESSERA_KERNEL bool may_face(const surface::DynamicView& mesh, const Triangle& t,
                               const Vec3d& area) const {
    Vec3d normals{};
    for (int k = 0; k < 3; ++k) normals += VertexState::normal_of(mesh, t[k]);
    constexpr double least = -0.5;  // of 3 for a face that lies right
    return dot(area, normals) > least * length(area);
  }
  /// How far the surface leaves the middle of an edge that is to be, by the normals at its ends: an
  /// arc does by an eighth of its chord times the angle between these.
  TESSERA_KERNEL double rise(const surface::DynamicView& mesh, Index a, Index b) const {
    const Vec3d edge = mesh.positions[b] - mesh.positions[a];
    const Vec3d turn = VertexState::normal_of(mesh, b) - VertexState::normal_of(mesh, a);
    return std::fabs(dot(turn, edge)) / 8;
  }
  /// Triangles as large as in the middle of their corners' metrics.
  TESSERA_KERNEL surface::FaceShape shape(const surface::DynamicView& mesh, const Triangle& t,
                                          const Vec3d& a, const Vec3d& b, const Vec3d& c) const {
    if (is_isotropic ||
        (is_isotropic_at(mesh, t[0]) && is_isotropic_at(mesh, t[1]) && is_isotropic_at(mesh, t[2])))
      return surface::FaceShape::of(a, b, c);
    const Vec3d area = cross(b - a, c - a);
    const Vec3d edges[3] = {b - a, c - b, a - c};
    double sum = 0;
    double density = 0;
    for (int k = 0; k < 3; ++k) {
      const VertexState state = VertexState::of(mesh, t[k]);
      density += state.metric.density() / 3;
      for (const Vec3d& edge : edges) sum += state.squared_length_of(edge) / 3;
    }
    const double size = density * density * tessera::squared_length(area);
    return {area, sum * sum > 0 ? 12 * size / (sum * sum) : 0};
  }

 private:
  TESSERA_KERNEL static bool is_isotropic_at(const surface::DynamicView& mesh, Index v) {
    return VertexState::is_isotropic(mesh.carried.value(v, 3), mesh.carried.value(v, 4));
  }
};

}  // namespace tessera::remesh::detail
