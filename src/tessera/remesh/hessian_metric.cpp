// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/remesh/hessian_metric.h"

#include <cmath>
#include <limits>
#include <string>

#include "tessera/core/error.h"
#include "tessera/core/find_first.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/reduce.h"
#include "tessera/remesh/detail/curvature_metrics.h"
#include "tessera/remesh/detail/hessian_metrics.h"
#include "tessera/remesh/detail/least_squares.h"
#include "tessera/remesh/detail/sheets.h"
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

/// A symmetric matrix with the same axes whose eigenvalues are not negative.
TESSERA_KERNEL Symmetric2 magnitude(const Symmetric2& a) {
  return a.mapped([](double x) { return std::fabs(x); });
}

/// A symmetric matrix that is no less than either of two in any direction.
TESSERA_KERNEL Symmetric2 upper_bound(const Symmetric2& a, const Symmetric2& b) {
  return (a + b + magnitude(a + b * -1)) * 0.5;
}

/// The second derivatives of a field along the surface at each vertex, without their signs, in the
/// frame of its normal and any tangent. Where ridges part the faces around it, the largest of all
/// sides, each turned into the vertex's plane.
///
/// A polynomial of the third degree is fitted to the vertices within two rings, whose places in the
/// tangent plane are those at their distance in their direction, nearer ones counting much more.
/// Measured against true derivatives on jittered spheres, it is of the second order; errors at
/// 32,000 faces: 0.16 %, and 0.41 % if all count alike, 1.0 % for the second degree over one ring
/// or two (of the first order), 1.3 to 1.6 % for the mean of all that with the neighbours' tensors.
/// Noise is magnified three times as much as if all counted alike, but across fronts that are only
/// a few cells wide the largest derivative is right to 3 to 12 %, not 10 to 38 %. At borders the
/// third degree extrapolates (over 20 times the error from noise), so there it is the second, and
/// all vertices count alike.
struct FieldHessian {
  DynamicView mesh;
  View<const Vec3d> normals;
  View<const double> field;
  View<VertexTensor> hessians;

  TESSERA_KERNEL void operator()(Index v) const {
    hessians[v] = {};
    if (!mesh.is_vertex(v)) return;
    bool is_parted = false;
    mesh.visit_star(v, [&](Index h) {
      is_parted = is_parted || mesh.is_line(h);
      if (mesh.is_line(h)) add_sheet(v, h, hessians[v]);
      return true;
    });
    if (!is_parted) add_sheet(v, mesh.vertex_edges[v], hessians[v]);
  }

 private:
  struct Frame {
    Vec3d normal;
    Vec3d x;
    Vec3d y;
  };
  struct Place {
    double x = 0;
    double y = 0;
  };

  TESSERA_KERNEL void add_sheet(Index v, Index h, VertexTensor& sum) const {
    Vec3d normal{};
    detail::visit_sheet(mesh, h, [&](Index g) { normal += detail::corner_normal(mesh, g); });
    const double size = length(normal);
    if (!(size > 0)) return;
    normal *= 1 / size;
    const Vec3d x = transported(SurfaceMetric::any_tangent(normals[v]), normals[v], normal);
    const Frame frame{normal, x, cross(normal, x)};
    Symmetric2 hessian;
    const bool is_closed = !mesh.is_line(detail::first_of_sheet(mesh, h));
    const bool is_known =
        (is_closed && fit<9>(v, h, frame, hessian)) || fit<5>(v, h, frame, hessian);
    if (!is_known) return;
    sum = {upper_bound(sum.tensor, magnitude(hessian)), 1};
  }

  /// Some come several times: those that several edges lead to count more.
  template <class F>
  TESSERA_KERNEL void visit_two_rings(Index v, Index h, const Frame& frame, const F& f) const {
    const auto add = [&](Index w) {
      if (w == v) return;
      const Vec3d edge = mesh.positions[w] - mesh.positions[v];
      const double x = dot(edge, frame.x);
      const double y = dot(edge, frame.y);
      const double flat = x * x + y * y;
      // What leaves the plane by more than 60 degrees is on no smooth surface with it.
      if (!(flat > 0.25 * squared_length(edge))) return;
      const double turned = std::sqrt(squared_length(edge) / flat);
      f(w, Place{x * turned, y * turned});
    };
    detail::visit_neighbours(mesh, h, [&](Index to_ring) {
      detail::visit_neighbours(mesh, to_ring, [&](Index k) { add(mesh.from(k)); });
    });
  }

  /// By a polynomial of so many coefficients, 5 or 9: of the second or third degree, without a
  /// constant, since the vertex has its value.
  template <int Coefficients>
  TESSERA_KERNEL bool fit(Index v, Index h, const Frame& frame, Symmetric2& hessian) const {
    // In units of the rings' extent in each direction, so that stretched cells do as well.
    Symmetric2 moments;
    double count = 0;
    visit_two_rings(v, h, frame, [&](Index, const Place& p) {
      moments = moments + Symmetric2{p.x * p.x, p.x * p.y, p.y * p.y};
      ++count;
    });
    const Symmetric2::Axes axes = moments.axes();
    if (!(axes.small > 1e-12 * axes.large)) return false;
    const Symmetric2 scale =
        (moments * (1 / count)).mapped([](double x) { return 1 / std::sqrt(x); });
    LeastSquares<Coefficients> equations;
    visit_two_rings(v, h, frame, [&](Index w, const Place& place) {
      const double x = scale.xx * place.x + scale.xy * place.y;
      const double y = scale.xy * place.x + scale.yy * place.y;
      double row[Coefficients] = {x, y, x * x / 2, x * y, y * y / 2};
      if constexpr (Coefficients == 9) {
        row[5] = x * x * x;
        row[6] = x * x * y;
        row[7] = x * y * y;
        row[8] = y * y * y;
      }
      equations.add(row, field[w] - field[v],
                    Coefficients == 9 ? std::exp(-3 * (x * x + y * y)) : 1.0);
    });
    double solution[Coefficients];
    if (!equations.solve(solution)) return false;
    hessian = Symmetric2{solution[2], solution[3], solution[4]}.between(scale);
    return true;
  }
};

struct MetricOfHessian {
  View<const Vec3d> normals;
  View<const VertexTensor> hessians;
  View<const Symmetric2> of_neighbours;
  ErrorMetric metric;
  View<SurfaceMetric> metrics;
  TESSERA_KERNEL void operator()(Index v) const {
    const bool is_known = hessians[v].weight > 0;
    metrics[v] = metric.of(is_known ? hessians[v].tensor : of_neighbours[v], normals[v]);
  }
};

struct Range {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
};
struct UniteRanges {
  TESSERA_KERNEL Range operator()(const Range& a, const Range& b) const {
    return {a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most};
  }
};
struct RangeAt {
  View<const double> field;
  TESSERA_KERNEL Range operator()(Index v) const { return {field[v], field[v]}; }
};

Buffer<double> values_of(const MetricMesh& mesh, const Attribute& field) {
  if (field.components != 1)
    throw InputError("the field '" + field.name + "' has more than one component");
  if (field.size() != mesh.place_of_vertex().size())
    throw InputError("the field '" + field.name + "' is that of another mesh");
  const Array<double> values = detail::numbers_of(mesh.stream(), field);
  const std::size_t wrong =
      find_first(values.size(), [&](std::size_t v) { return !std::isfinite(values[v]); });
  if (wrong != values.size())
    throw InputError("the field '" + field.name + "' of vertex " + std::to_string(wrong) +
                     " is no number");
  return mesh.from_input(values);
}

}  // namespace

namespace detail {

Metrics hessian_metrics(MetricMesh& mesh, const Attribute& field,
                        const HessianMetricOptions& options) {
  const exec::Stream& stream = mesh.stream();
  const Index n = mesh.places();
  const Buffer<double> values = values_of(mesh, field);
  mesh.mesh().mark_creases(options.ridge_angle);
  Buffer<VertexTensor> hessians(stream, n);
  exec::for_each(stream, n,
                 FieldHessian{mesh.view(), mesh.normals(), values.const_view(), hessians.view()});
  Buffer<Symmetric2> of_neighbours(stream, n);
  exec::for_each(
      stream, n,
      AverageTensors{mesh.view(), mesh.normals(), hessians.const_view(), of_neighbours.view()});
  double error = options.error;
  if (error == 0) {
    const Range range =
        exec::reduce(stream, n, Range{}, RangeAt{values.const_view()}, UniteRanges{});
    error = options.error_of_range * (range.most - range.least);
  }
  Metrics metrics(stream, n);
  exec::for_each(
      stream, n,
      MetricOfHessian{mesh.normals(), hessians.const_view(), of_neighbours.const_view(),
                      ErrorMetric::with(error, options.smallest, options.largest, options.stretch),
                      metrics.view()});
  return metrics;
}

void check_field_error(double error, double of_range) {
  if (!(error >= 0) || !std::isfinite(error))
    throw InputError("the error of a field is negative or not a number");
  if (error == 0) check_positive(of_range, "the part of a field's range that is its error");
}

}  // namespace detail

MetricField hessian_metric(const exec::Stream& stream, const TriangleSoup& mesh,
                           const Attribute& field, const HessianMetricOptions& options) {
  detail::check_field_error(options.error, options.error_of_range);
  HessianMetricOptions limited = options;
  detail::set_limits(stream, mesh, limited.smallest, limited.largest);
  MetricMesh numbered(stream, mesh);
  return numbered.field_of(detail::hessian_metrics(numbered, field, limited));
}

}  // namespace tessera::remesh
