// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/remesh/metric_field.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>

#include "tessera/core/box.h"
#include "tessera/core/error.h"
#include "tessera/exec/atomic.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/reduce.h"
#include "tessera/surface/dynamic_mesh.h"

namespace tessera::remesh {
namespace {

using exec::Buffer;
using exec::View;
using surface::DynamicView;

TESSERA_KERNEL double angle_at(const DynamicView& mesh, Index h) {
  const Vec3d p = mesh.positions[mesh.from(h)];
  const Vec3d a = mesh.positions[mesh.to(h)] - p;
  const Vec3d b = mesh.positions[mesh.opposite(h)] - p;
  return std::atan2(length(cross(a, b)), dot(a, b));
}

struct VertexNormal {
  DynamicView mesh;
  View<Vec3d> normals;
  TESSERA_KERNEL void operator()(Index v) const {
    Vec3d sum{};
    if (mesh.is_vertex(v))
      mesh.visit_star(v, [&](Index h) {
        const Vec3d area = mesh.area(h / 3);
        const double size = length(area);
        if (size > 0) sum += area * (angle_at(mesh, h) / size);
        return true;
      });
    const double size = length(sum);
    normals[v] = size > 0 ? sum * (1 / size) : Vec3d{0, 0, 1};
  }
};

/// The curvature tensor at each vertex in the frame of its normal and any tangent: that which says
/// best how its edges bend, each weighing as much as the faces beside it. Zero on ridges and
/// borders.
struct CurvatureTensor {
  DynamicView mesh;
  View<const Vec3d> normals;
  View<Symmetric2> tensors;
  TESSERA_KERNEL void operator()(Index v) const {
    tensors[v] = {};
    if (!mesh.is_vertex(v)) return;
    const Vec3d n = normals[v];
    const Vec3d x = SurfaceMetric::any_tangent(n);
    const Vec3d y = cross(n, x);
    // Normal equations for (xx, xy, yy) and the mean, should they be singular.
    double m[3][4] = {};
    double sum = 0;
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
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) m[i][j] += weight * row[i] * row[j];
        m[i][3] += weight * row[i] * bend;
      }
      sum += weight * bend;
      weights += weight;
      return true;
    });
    if (is_on_line || !(weights > 0)) return;
    const double mean = sum / weights;
    tensors[v] = {mean, 0, mean};
    double solution[3];
    if (solve(m, weights, solution)) tensors[v] = {solution[0], solution[1], solution[2]};
  }
  /// By Cramer's rule; false if the directions do not tell the three apart.
  TESSERA_KERNEL static bool solve(const double (&m)[3][4], double size, double (&solution)[3]) {
    const auto determinant = [&m](int a, int b, int c) {
      return m[0][a] * (m[1][b] * m[2][c] - m[1][c] * m[2][b]) -
             m[0][b] * (m[1][a] * m[2][c] - m[1][c] * m[2][a]) +
             m[0][c] * (m[1][a] * m[2][b] - m[1][b] * m[2][a]);
    };
    const double all = determinant(0, 1, 2);
    if (!(all > 1e-4 * size * size * size)) return false;
    solution[0] = determinant(3, 1, 2) / all;
    solution[1] = determinant(0, 3, 2) / all;
    solution[2] = determinant(0, 1, 3) / all;
    return true;
  }
};

/// The mean of a vertex's tensor and those of its neighbours, carried there; on ridges and borders
/// that of the neighbours beside.
struct AverageTensors {
  DynamicView mesh;
  View<const Vec3d> normals;
  View<const Symmetric2> from;
  View<Symmetric2> to;
  TESSERA_KERNEL void operator()(Index v) const {
    to[v] = from[v];
    if (!mesh.is_vertex(v)) return;
    const Vec3d n = normals[v];
    const Vec3d x = SurfaceMetric::any_tangent(n);
    Symmetric2 sum = from[v];
    double count = 1;
    mesh.visit_star(v, [&](Index h) {
      const Index w = mesh.to(h);
      const Vec3d other = SurfaceMetric::any_tangent(normals[w]);
      const Vec3d carried = transported(other, normals[w], n);
      const double c = dot(carried, x);
      const double s = dot(carried, cross(n, x));
      const Symmetric2& t = from[w];
      // Turned from the frame of the other vertex.
      sum = sum + Symmetric2{c * c * t.xx - 2 * c * s * t.xy + s * s * t.yy,
                             c * s * (t.xx - t.yy) + (c * c - s * s) * t.xy,
                             s * s * t.xx + 2 * c * s * t.xy + c * c * t.yy};
      count += 1;
      return true;
    });
    to[v] = sum * (1 / count);
  }
};

struct MetricOfTensor {
  DynamicView mesh;
  View<const Vec3d> normals;
  View<const Symmetric2> tensors;
  double scale;  ///< one over eight times the error
  double least;  ///< one over the square of the largest size
  double most;
  Stretch stretch;
  View<SurfaceMetric> metrics;
  TESSERA_KERNEL void operator()(Index v) const {
    const Vec3d n = normals[v];
    const Vec3d x = SurfaceMetric::any_tangent(n);
    SurfaceMetric& metric = metrics[v];
    metric = {x, least, least};
    if (!mesh.is_vertex(v)) return;
    const auto limited = [this](double curvature) {
      const double value = scale * std::fabs(curvature);
      return value > least ? (value < most ? value : most) : least;
    };
    metric = SurfaceMetric::from_frame(tensors[v].mapped(limited), n, x);
    const double on_line = limited(curvature_of_line(v));
    if (stretch == Stretch::none)
      metric.across = metric.along = larger(metric.along, metric.across);
    metric.along = larger(metric.along, on_line);
    metric.across = larger(metric.across, on_line);
  }
  TESSERA_KERNEL static double larger(double a, double b) { return a > b ? a : b; }
  /// Of the ridge or border through a vertex, where it goes on: the circle through three points.
  TESSERA_KERNEL double curvature_of_line(Index v) const {
    const Vec3d p = mesh.positions[v];
    Vec3d ends[2] = {};
    Index count = 0;
    mesh.visit_lines(v, [&](Index other) {
      if (count < 2) ends[count] = mesh.positions[other] - p;
      ++count;
    });
    if (count != 2 || mesh.is_fixed(v)) return 0;
    const double sizes = length(ends[0]) * length(ends[1]) * length(ends[1] - ends[0]);
    return sizes > 0 ? 2 * length(cross(ends[0], ends[1])) / sizes : 0;
  }
};

/// What a neighbour allows at a vertex: its own metric, longer by as much as the factor lets it
/// grow over the edge between them.
struct Grade {
  DynamicView mesh;
  View<const Vec3d> normals;
  double logarithm;  ///< of the factor
  View<const SurfaceMetric> from;
  View<SurfaceMetric> to;
  View<std::uint8_t> has_changed;
  View<Index> is_done;  ///< one number
  TESSERA_KERNEL void operator()(Index v) const {
    SurfaceMetric metric = from[v];
    if (mesh.is_vertex(v)) {
      mesh.visit_star(v, [&](Index h) {
        limit(metric, v, mesh.to(h));
        const Index back = DynamicView::previous(h);
        if (mesh.is_border(back)) limit(metric, v, mesh.from(back));
        return true;
      });
      constexpr double noticed = 1.001;
      if (metric.density() > noticed * from[v].density()) {
        has_changed[v] = 1;
        exec::atomic_store(is_done[0], Index{0});
      }
    }
    to[v] = metric;
  }
  TESSERA_KERNEL void limit(SurfaceMetric& metric, Index v, Index other) const {
    const Vec3d edge = mesh.positions[other] - mesh.positions[v];
    const double steps = std::sqrt(from[other].squared_length_of(normals[other], edge));
    const double grown = 1 + steps * logarithm;
    SurfaceMetric carried = transported(from[other], normals[other], normals[v]);
    carried.along /= grown * grown;
    carried.across /= grown * grown;
    const SurfaceMetric both = intersected(metric, carried, normals[v]);
    if (both.density() > metric.density() * (1 + 1e-9)) metric = both;
  }
};

/// A mesh whose vertices know their numbers in the input.
class NumberedMesh {
 public:
  NumberedMesh(const exec::Stream& stream, const TriangleSoup& soup)
      : stream_(stream), mesh_(stream, numbered(soup)) {
    const View<const Index> origins = mesh_.view().carried.vertex_origins;
    origins_ = exec::download(stream, origins);
  }
  surface::DynamicMesh& mesh() { return mesh_; }

  /// Values of places for the vertices of the input; those without faces have a value of their own.
  template <class T>
  Array<T> to_input(const Buffer<T>& values, std::size_t vertices, const T& without) const {
    const Array<T> of_places = exec::download(stream_, values);
    Array<T> result(vertices);
    std::fill(result.begin(), result.end(), without);
    for (std::size_t v = origins_.size(); v-- > 0;) result[origins_[v]] = of_places[v];
    return result;
  }
  template <class T>
  Buffer<T> from_input(const Array<T>& values) const {
    Array<T> of_places(origins_.size());
    for (std::size_t v = 0; v < origins_.size(); ++v) of_places[v] = values[origins_[v]];
    return exec::upload(stream_, of_places);
  }

 private:
  static TriangleSoup numbered(const TriangleSoup& soup) {
    TriangleSoup copy;
    copy.positions = soup.positions;
    copy.triangles = soup.triangles;
    copy.vertex_attributes = {{"number", 1, Array<std::uint8_t>(soup.positions.size())}};
    return copy;
  }

  const exec::Stream& stream_;
  surface::DynamicMesh mesh_;
  Array<Index> origins_;
};

Buffer<Vec3d> normals_of(NumberedMesh& mesh) {
  const exec::Stream& stream = mesh.mesh().stream();
  Buffer<Vec3d> normals(stream, mesh.mesh().vertex_places());
  exec::for_each(stream, mesh.mesh().vertex_places(),
                 VertexNormal{mesh.mesh().view(), normals.view()});
  return normals;
}

void check_size(double size, const char* what) {
  if (!(size > 0) || !std::isfinite(size))
    throw InputError(std::string(what) + " is not a positive number");
}

constexpr Vec3d any_normal{0, 0, 1};

}  // namespace

MetricField uniform_metric(const exec::Stream& stream, const TriangleSoup& mesh, double size) {
  check_size(size, "the length of edges");
  NumberedMesh numbered(stream, mesh);
  MetricField field;
  field.normals = numbered.to_input(normals_of(numbered), mesh.positions.size(), any_normal);
  field.metrics.resize(mesh.positions.size());
  for (std::size_t v = 0; v < field.metrics.size(); ++v)
    field.metrics[v] = SurfaceMetric::isotropic(field.normals[v], size);
  return field;
}

MetricField curvature_metric(const exec::Stream& stream, const TriangleSoup& mesh,
                             const CurvatureMetricOptions& options) {
  check_size(options.error, "the error");
  if (!(options.smallest >= 0) || !(options.largest >= 0) || !std::isfinite(options.largest))
    throw InputError("a limit of the lengths of edges is negative or not a number");
  if (!(options.ridge_angle >= 0 && options.ridge_angle <= 180))
    throw InputError("the angle of ridges is not between 0 and 180 degrees");
  Box box;
  for (const Vec3d& p : mesh.positions) box.add(p);
  const double diagonal = mesh.positions.empty() ? 1 : length(box.max - box.min);
  const double largest = options.largest > 0 ? options.largest : diagonal / 10;
  const double smallest = options.smallest > 0 ? options.smallest : largest / 1000;
  if (smallest > largest) throw InputError("the smallest length of edges is above the largest");

  NumberedMesh numbered(stream, mesh);
  surface::DynamicMesh& dynamic = numbered.mesh();
  dynamic.mark_creases(options.ridge_angle);
  const Index n = dynamic.vertex_places();
  const Buffer<Vec3d> normals = normals_of(numbered);
  Buffer<Symmetric2> tensors(stream, n);
  Buffer<Symmetric2> averaged(stream, n);
  exec::for_each(stream, n, CurvatureTensor{dynamic.view(), normals.const_view(), tensors.view()});
  exec::for_each(
      stream, n,
      AverageTensors{dynamic.view(), normals.const_view(), tensors.const_view(), averaged.view()});
  Buffer<SurfaceMetric> metrics(stream, n);
  const double least = 1 / (largest * largest);
  exec::for_each(stream, n,
                 MetricOfTensor{dynamic.view(), normals.const_view(), averaged.const_view(),
                                1 / (8 * options.error), least, 1 / (smallest * smallest),
                                options.stretch, metrics.view()});
  const std::size_t vertices = mesh.positions.size();
  return {numbered.to_input(metrics, vertices, SurfaceMetric{{1, 0, 0}, least, least}),
          numbered.to_input(normals, vertices, any_normal)};
}

MetricField intersected(const MetricField& a, const MetricField& b) {
  if (a.metrics.size() != b.metrics.size())
    throw InputError("the metrics are those of different meshes");
  MetricField result = a;
  for (std::size_t v = 0; v < a.metrics.size(); ++v)
    result.metrics[v] = intersected(
        a.metrics[v], transported(b.metrics[v], b.normals[v], a.normals[v]), a.normals[v]);
  return result;
}

double points_of(const TriangleSoup& mesh, const MetricField& field) {
  double area = 0;
  for (const Triangle& t : mesh.triangles) {
    const Vec3d p = mesh.positions[t[0]];
    const double doubled = length(cross(mesh.positions[t[1]] - p, mesh.positions[t[2]] - p));
    double density = 0;
    for (int k = 0; k < 3; ++k) density += field.metrics[t[k]].density() / 3;
    area += doubled / 2 * density;
  }
  // Two triangles for each point.
  return area / (std::sqrt(3.0) / 2);
}

void scale_to_points(const TriangleSoup& mesh, MetricField& field, double points) {
  check_size(points, "the number of points");
  const double now = points_of(mesh, field);
  if (!(now > 0)) throw InputError("the mesh has no area");
  for (SurfaceMetric& metric : field.metrics) {
    metric.along *= points / now;
    metric.across *= points / now;
  }
}

GradationReport limit_gradation(const exec::Stream& stream, const TriangleSoup& mesh,
                                MetricField& field, double factor,
                                const ProgressCallback& progress) {
  if (!(factor > 1) || !std::isfinite(factor))
    throw InputError("the factor by which edges may grow is not above 1");
  if (field.metrics.size() != mesh.positions.size())
    throw InputError("the metric is that of another mesh");
  NumberedMesh numbered(stream, mesh);
  surface::DynamicMesh& dynamic = numbered.mesh();
  const Index n = dynamic.vertex_places();
  const Buffer<Vec3d> normals = numbered.from_input(field.normals);
  Buffer<SurfaceMetric> metrics = numbered.from_input(field.metrics);
  Buffer<SurfaceMetric> next(stream, n);
  Buffer<std::uint8_t> has_changed(stream, n);
  Buffer<Index> is_done(stream, 1);
  exec::fill(stream, has_changed.view(), 0);
  GradationReport report;
  Progress told(progress, "grading", 0);
  constexpr int most_passes = 10000;
  bool is_last = false;
  while (!is_last && report.passes < most_passes) {
    exec::fill(stream, is_done.view(), 1);
    exec::for_each(stream, n,
                   Grade{dynamic.view(), normals.const_view(), std::log(factor),
                         metrics.const_view(), next.view(), has_changed.view(), is_done.view()});
    metrics.swap(next);
    ++report.passes;
    is_last = exec::download_one(stream, is_done, 0) == 1;
    told.advance(0);
  }
  for (const std::uint8_t changed : exec::download(stream, has_changed))
    report.shortened += changed;
  const Array<SurfaceMetric> of_places =
      numbered.to_input(metrics, field.metrics.size(), SurfaceMetric{{0, 0, 0}, 0, 0});
  for (std::size_t v = 0; v < of_places.size(); ++v)
    if (of_places[v].along > 0) field.metrics[v] = of_places[v];
  return report;
}

Attribute to_attribute(const MetricField& field, const std::string& name) {
  const bool is_isotropic = std::all_of(
      field.metrics.begin(), field.metrics.end(),
      [](const SurfaceMetric& m) { return std::abs(m.along - m.across) <= 1e-9 * m.along; });
  if (is_isotropic) {
    Array<double> sizes(field.metrics.size());
    for (std::size_t v = 0; v < sizes.size(); ++v) sizes[v] = 1 / std::sqrt(field.metrics[v].along);
    return {name, 1, std::move(sizes)};
  }
  Array<double> matrices(6 * field.metrics.size());
  for (std::size_t v = 0; v < field.metrics.size(); ++v) {
    const SurfaceMetric& m = field.metrics[v];
    const Vec3d axes[3] = {m.axis, cross(field.normals[v], m.axis), field.normals[v]};
    const double values[3] = {m.along, m.across, std::max(m.along, m.across)};
    constexpr int row[6] = {0, 0, 1, 0, 1, 2};
    constexpr int column[6] = {0, 1, 1, 2, 2, 2};
    for (std::size_t i = 0; i < 6; ++i) {
      double sum = 0;
      for (int k = 0; k < 3; ++k) sum += values[k] * axes[k][row[i]] * axes[k][column[i]];
      matrices[6 * v + i] = sum;
    }
  }
  return {name, 6, std::move(matrices)};
}

MetricField metric_of(const exec::Stream& stream, const TriangleSoup& mesh,
                      const Attribute& attribute) {
  if (attribute.components != 1 && attribute.components != 6)
    throw InputError("the metric '" + attribute.name + "' has neither one nor six components");
  if (attribute.size() != mesh.positions.size())
    throw InputError("the metric '" + attribute.name + "' is that of another mesh");
  MetricField field = uniform_metric(stream, mesh, 1);
  const auto wrong = [&](std::size_t v) {
    return InputError("the metric '" + attribute.name + "' of vertex " + std::to_string(v) +
                      " is not positive");
  };
  std::visit(
      [&](const auto& values) {
        for (std::size_t v = 0; v < field.metrics.size(); ++v) {
          const Vec3d n = field.normals[v];
          if (attribute.components == 1) {
            const auto size = static_cast<double>(values[v]);
            if (!(size > 0) || !std::isfinite(size)) throw wrong(v);
            field.metrics[v] = SurfaceMetric::isotropic(n, size);
            continue;
          }
          double m[6];
          for (std::size_t i = 0; i < 6; ++i) m[i] = static_cast<double>(values[6 * v + i]);
          const auto product = [&m](const Vec3d& a, const Vec3d& b) {
            return a[0] * (m[0] * b[0] + m[1] * b[1] + m[3] * b[2]) +
                   a[1] * (m[1] * b[0] + m[2] * b[1] + m[4] * b[2]) +
                   a[2] * (m[3] * b[0] + m[4] * b[1] + m[5] * b[2]);
          };
          const Vec3d x = SurfaceMetric::any_tangent(n);
          const Vec3d y = cross(n, x);
          field.metrics[v] =
              SurfaceMetric::from_frame({product(x, x), product(x, y), product(y, y)}, n, x);
          if (!(field.metrics[v].across > 0) || !std::isfinite(field.metrics[v].along))
            throw wrong(v);
        }
      },
      attribute.values);
  return field;
}

}  // namespace tessera::remesh
