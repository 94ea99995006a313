// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"
#include "tessera/remesh/metric_field.h"
#include "tessera/remesh/surface_metric.h"
#include "tessera/surface/dynamic_view.h"

namespace tessera::remesh::detail {

/// A symmetric tensor in the tangent plane of a vertex, in the frame of SurfaceMetric::any_tangent,
/// and how much it is to count in means: nothing where it is not known.
struct VertexTensor {
  Symmetric2 tensor;
  double weight = 0;
};

/// The mean of a vertex's tensor and those of its neighbours, carried there by parallel transport.
struct AverageTensors {
  surface::DynamicView mesh;
  exec::View<const Vec3d> normals;
  exec::View<const VertexTensor> from;
  exec::View<Symmetric2> to;
  TESSERA_KERNEL void operator()(Index v) const {
    to[v] = {};
    if (!mesh.is_vertex(v)) return;
    const Vec3d n = normals[v];
    const Vec3d x = SurfaceMetric::any_tangent(n);
    const Vec3d y = cross(n, x);
    Symmetric2 sum = from[v].tensor * from[v].weight;
    double weight = from[v].weight;
    const auto add = [&](Index w) {
      const Vec3d carried = transported(SurfaceMetric::any_tangent(normals[w]), normals[w], n);
      const double c = dot(carried, x);
      const double s = dot(carried, y);
      const Symmetric2& t = from[w].tensor;
      // Turned from the frame of the other vertex.
      const Symmetric2 turned{c * c * t.xx - 2 * c * s * t.xy + s * s * t.yy,
                              c * s * (t.xx - t.yy) + (c * c - s * s) * t.xy,
                              s * s * t.xx + 2 * c * s * t.xy + c * c * t.yy};
      sum = sum + turned * from[w].weight;
      weight += from[w].weight;
    };
    mesh.visit_star(v, [&](Index h) {
      add(mesh.to(h));
      const Index back = surface::DynamicView::previous(h);
      if (mesh.is_border(back)) add(mesh.from(back));
      return true;
    });
    if (weight > 0) to[v] = sum * (1 / weight);
  }
};

/// The metric whose edges of length h keep d h^2 / 8 at an error, for the second derivatives d that
/// a tensor holds: what a curve leaves its chord by, or a function its linear interpolation.
struct ErrorMetric {
  double scale;  ///< one over eight times the error; 0 for none, which nothing exceeds
  double least;  ///< one over the square of the largest size
  double most;
  Stretch stretch;

  static ErrorMetric with(double error, double smallest, double largest, Stretch stretch) {
    return {error > 0 ? 1 / (8 * error) : 0, 1 / (largest * largest), 1 / (smallest * smallest),
            stretch};
  }
  TESSERA_KERNEL double of(double second_derivative) const {
    const double value = scale * std::fabs(second_derivative);
    return value > least ? (value < most ? value : most) : least;
  }
  /// Of a tensor in the frame of SurfaceMetric::any_tangent.
  TESSERA_KERNEL SurfaceMetric of(const Symmetric2& tensor, const Vec3d& normal) const {
    const auto value = [this](double second_derivative) { return of(second_derivative); };
    SurfaceMetric metric =
        SurfaceMetric::from_frame(tensor.mapped(value), normal, SurfaceMetric::any_tangent(normal));
    if (stretch == Stretch::none)
      metric.across = metric.along = metric.along > metric.across ? metric.along : metric.across;
    return metric;
  }
};

}  // namespace tessera::remesh::detail
