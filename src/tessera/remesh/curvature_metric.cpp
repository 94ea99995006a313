// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/remesh/curvature_metric.h"

#include <cmath>

#include "tessera/core/error.h"
#include "tessera/exec/for_each.h"
#include "tessera/remesh/detail/curvature_metrics.h"
#include "tessera/remesh/detail/least_squares.h"
#include "tessera/remesh/detail/tensors.h"

namespace tessera::remesh {
namespace {

using detail::AverageTensors;
using detail::ErrorMetric;
using detail::LeastSquares;
using detail::MetricMesh;
using detail::Metrics;
using detail::VertexTensor;
using exec::Buffer;
using exec::View;
using surface::DynamicView;

/// The curvature tensor at each vertex in the frame of its normal and any tangent: that which says
/// best how its edges bend, each weighing as much as the faces beside it. On ridges and borders it
/// is not known.
struct CurvatureTensor {
  DynamicView mesh;
  View<const Vec3d> normals;
  View<VertexTensor> tensors;
  TESSERA_KERNEL void operator()(Index v) const {
    tensors[v] = {};
    if (!mesh.is_vertex(v)) return;
    const Vec3d n = normals[v];
    const Vec3d x = SurfaceMetric::any_tangent(n);
    const Vec3d y = cross(n, x);
    LeastSquares<3> equations;  // for (xx, xy, yy)
    double sum = 0;             // for the mean, should they not tell
    double weights = 0;
    bool is_on_line = false;
    mesh.visit_star(v, [&](Index h) {
      is_on_line = is_on_line || mesh.is_line(h) || mesh.is_border(DynamicView::previous(h));
      const Vec3d edge = mesh.positions[mesh.to(h)] - mesh.positions[v];
      const double squared = squared_length(edge);
      const double c = dot(edge, x);
      const double s = dot(edge, y);
      const double flat = c * c + s * s;
      if (!(flat > 0)) return true;
      const double bend = -2 * dot(edge, n) / squared;
      double weight = length(mesh.area(h / 3));
      if (!mesh.is_border(h)) weight += length(mesh.area(mesh.twins[h] / 3));
      const double row[3] = {c * c / flat, 2 * c * s / flat, s * s / flat};
      equations.add(row, bend, weight);
      sum += weight * bend;
      weights += weight;
      return true;
    });
    if (is_on_line || !(weights > 0)) return;
    const double mean = sum / weights;
    tensors[v] = {{mean, 0, mean}, 1};
    double solution[3];
    if (equations.solve(solution)) tensors[v].tensor = {solution[0], solution[1], solution[2]};
  }
};

struct MetricOfTensor {
  DynamicView mesh;
  View<const Vec3d> normals;
  View<const Symmetric2> tensors;
  ErrorMetric metric;
  View<SurfaceMetric> metrics;
  TESSERA_KERNEL void operator()(Index v) const {
    metrics[v] = metric.of(tensors[v], normals[v]);
    if (!mesh.is_vertex(v)) return;
    // Across the line as well: where it is asked for along it alone, the fandisk is as far from its
    // ridges with as many faces, and their mean quality is 0.895, not 0.925.
    const double on_line = metric.of(curvature_of_line(v));
    metrics[v].along = larger(metrics[v].along, on_line);
    metrics[v].across = larger(metrics[v].across, on_line);
  }
  TESSERA_KERNEL static double larger(double a, double b) { return a > b ? a : b; }
  /// Of the ridge or border through a vertex, where it goes on: the circle through three points.
  TESSERA_KERNEL double curvature_of_line(Index v) const {
    const auto [count, ends] = mesh.lines_at(v);
    if (count != 2 || mesh.is_fixed(v)) return 0;
    const double sizes = length(ends[0]) * length(ends[1]) * length(ends[1] - ends[0]);
    return sizes > 0 ? 2 * length(cross(ends[0], ends[1])) / sizes : 0;
  }
};

}  // namespace

namespace detail {

Metrics curvature_metrics(MetricMesh& mesh, const CurvatureMetricOptions& options) {
  const exec::Stream& stream = mesh.stream();
  const Index n = mesh.places();
  mesh.mesh().mark_creases(options.ridge_angle);
  Buffer<Symmetric2> averaged(stream, n);
  {
    Buffer<VertexTensor> tensors(stream, n);
    exec::for_each(stream, n, CurvatureTensor{mesh.view(), mesh.normals(), tensors.view()});
    exec::for_each(
        stream, n,
        AverageTensors{mesh.view(), mesh.normals(), tensors.const_view(), averaged.view()});
  }
  Metrics metrics(stream, n);
  exec::for_each(stream, n,
                 MetricOfTensor{mesh.view(), mesh.normals(), averaged.const_view(),
                                ErrorMetric::with(options.error, options.smallest, options.largest,
                                                  options.stretch),
                                metrics.view()});
  return metrics;
}

}  // namespace detail

MetricField curvature_metric(const exec::Stream& stream, const TriangleSoup& mesh,
                             const CurvatureMetricOptions& options) {
  detail::check_positive(options.error, "the error");
  CurvatureMetricOptions limited = options;
  detail::set_limits(stream, mesh, limited.smallest, limited.largest);
  MetricMesh numbered(stream, mesh);
  return numbered.field_of(detail::curvature_metrics(numbered, limited));
}

}  // namespace tessera::remesh
