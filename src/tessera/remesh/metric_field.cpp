// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/remesh/metric_field.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>

#include "tessera/core/error.h"
#include "tessera/core/find_first.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/host_loop.h"
#include "tessera/exec/reduce.h"
#include "tessera/remesh/detail/metric_mesh.h"

namespace tessera::remesh {
namespace {

using detail::MetricMesh;
using detail::Metrics;
using exec::View;
using surface::DynamicView;

struct SetSize {
  View<const Vec3d> normals;
  double size;
  View<SurfaceMetric> metrics;
  TESSERA_KERNEL void operator()(Index v) const {
    metrics[v] = SurfaceMetric::isotropic(normals[v], size);
  }
};

struct Intersect {
  View<const Vec3d> normals;
  View<const SurfaceMetric> others;
  View<SurfaceMetric> metrics;
  TESSERA_KERNEL void operator()(Index v) const {
    metrics[v] = intersected(metrics[v], others[v], normals[v]);
  }
};

struct Resize {
  View<const SurfaceMetric> from;
  detail::SizeChange change;
  View<SurfaceMetric> to;
  TESSERA_KERNEL void operator()(Index v) const {
    to[v] = from[v].resized(change.factor, change.smallest, change.largest);
  }
};

/// The size of a face in the metric.
struct AreaInMetric {
  View<const Triangle> triangles;
  View<const Vec3d> positions;
  View<const SurfaceMetric> metrics;
  TESSERA_KERNEL double operator()(Index f) const {
    const Triangle t = triangles[f];
    const Vec3d p = positions[t[0]];
    const double doubled = length(cross(positions[t[1]] - p, positions[t[2]] - p));
    double density = 0;
    for (int k = 0; k < 3; ++k) density += metrics[t[k]].density() / 3;
    return doubled / 2 * density;
  }
};

/// A point has two triangles.
double points_of_area(double area) {
  return area / (std::sqrt(3.0) / 2);
}

/// The part of a size or a symmetric matrix that says something of the surface.
struct ReadMetric {
  View<const Vec3d> normals;
  View<const double> values;
  View<const Index> places;
  std::size_t components;
  View<SurfaceMetric> metrics;  ///< not positive where the values are not
  TESSERA_KERNEL void operator()(Index v) const {
    const Index place = places[v];
    const Vec3d n = normals[place];
    const Vec3d x = SurfaceMetric::any_tangent(n);
    const double* m = values.data() + components * v;
    if (components == 1) {
      const double value = m[0] > 0 ? 1 / (m[0] * m[0]) : 0;
      metrics[place] = {x, value, value};
      return;
    }
    const Vec3d y = cross(n, x);
    metrics[place] =
        SurfaceMetric::from_frame({product(m, x, x), product(m, x, y), product(m, y, y)}, n, x);
  }
  TESSERA_KERNEL static double product(const double* m, const Vec3d& a, const Vec3d& b) {
    return a[0] * (m[0] * b[0] + m[1] * b[1] + m[3] * b[2]) +
           a[1] * (m[1] * b[0] + m[2] * b[1] + m[4] * b[2]) +
           a[2] * (m[3] * b[0] + m[4] * b[1] + m[5] * b[2]);
  }
};

struct FindWrong {
  View<const SurfaceMetric> metrics;
  View<const Index> places;
  TESSERA_KERNEL Index operator()(Index v) const {
    const SurfaceMetric& m = metrics[places[v]];
    const bool is_positive = m.across > 0 && m.along > 0 && m.along < 1e300 && m.across < 1e300;
    return is_positive ? no_index : v;
  }
};

/// Vertices behind those of the input are there where the mesh was cut.
struct CopyToCuts {
  DynamicView mesh;
  Index first;
  View<const Vec3d> normals;
  View<SurfaceMetric> metrics;
  TESSERA_KERNEL void operator()(Index i) const {
    const Index v = first + i;
    const Index origin = mesh.origin(v);
    metrics[v] = transported(metrics[origin], normals[origin], normals[v]);
  }
};

void check_field(const TriangleSoup& mesh, const MetricField& field) {
  if (field.metrics.size() != mesh.positions.size() || field.normals.size() != field.metrics.size())
    throw InputError("the metric is that of another mesh");
}

bool is_isotropic(const SurfaceMetric& m) {
  return std::abs(m.along - m.across) <= 1e-9 * m.along;
}

}  // namespace

namespace detail {

Array<double> numbers_of(const exec::Stream& stream, const Attribute& attribute) {
  return std::visit(
      [&](const auto& values) {
        Array<double> numbers(values.size());
        exec::host_for_each(stream, numbers.size(),
                            [&](std::size_t i) { numbers[i] = static_cast<double>(values[i]); });
        return numbers;
      },
      attribute.values);
}

Metrics uniform_metrics(MetricMesh& mesh, double size) {
  Metrics metrics(mesh.stream(), mesh.places());
  exec::for_each(mesh.stream(), mesh.places(), SetSize{mesh.normals(), size, metrics.view()});
  return metrics;
}

void intersect(MetricMesh& mesh, Metrics& metrics, const Metrics& others) {
  exec::for_each(mesh.stream(), mesh.places(),
                 Intersect{mesh.normals(), others.const_view(), metrics.view()});
}

double points_of(MetricMesh& mesh, const Metrics& metrics) {
  const DynamicView view = mesh.view();
  return points_of_area(exec::reduce(
      mesh.stream(), mesh.mesh().face_places(), 0.0,
      AreaInMetric{view.triangles, view.positions, metrics.const_view()}, exec::Plus{}));
}

Metrics changed(MetricMesh& mesh, const Metrics& metrics, const SizeChange& change) {
  Metrics result(mesh.stream(), mesh.places());
  exec::for_each(mesh.stream(), mesh.places(), Resize{metrics.const_view(), change, result.view()});
  return result;
}

Metrics metrics_of(MetricMesh& mesh, const Attribute& attribute) {
  const exec::Stream& stream = mesh.stream();
  const auto vertices = static_cast<Index>(mesh.place_of_vertex().size());
  if (attribute.components != 1 && attribute.components != 6)
    throw InputError("the metric '" + attribute.name + "' has neither one nor six components");
  if (attribute.size() != vertices)
    throw InputError("the metric '" + attribute.name + "' is that of another mesh");
  const exec::Buffer<double> values = exec::upload(stream, numbers_of(stream, attribute));
  Metrics metrics(stream, mesh.places());
  exec::for_each(stream, vertices,
                 ReadMetric{mesh.normals(), values.const_view(), mesh.place_of_vertex(),
                            static_cast<std::size_t>(attribute.components), metrics.view()});
  const Index wrong =
      exec::reduce(stream, vertices, no_index,
                   FindWrong{metrics.const_view(), mesh.place_of_vertex()}, exec::Minimum{});
  if (wrong != no_index)
    throw InputError("the metric '" + attribute.name + "' of vertex " + std::to_string(wrong) +
                     " is not positive and finite");
  exec::for_each(stream, mesh.places() - vertices,
                 CopyToCuts{mesh.view(), vertices, mesh.normals(), metrics.view()});
  return metrics;
}

}  // namespace detail

MetricField uniform_metric(const exec::Stream& stream, const TriangleSoup& mesh, double size) {
  detail::check_positive(size, "the length of edges");
  MetricMesh numbered(stream, mesh);
  return numbered.field_of(detail::uniform_metrics(numbered, size));
}

MetricField intersected(const MetricField& a, const MetricField& b) {
  for (const std::size_t size : {a.normals.size(), b.metrics.size(), b.normals.size()})
    if (size != a.metrics.size()) throw InputError("the metrics are those of different meshes");
  MetricField result = a;
  exec::host_for_each(exec::Device::cpu(), a.metrics.size(), [&](std::size_t v) {
    result.metrics[v] = intersected(
        a.metrics[v], transported(b.metrics[v], b.normals[v], a.normals[v]), a.normals[v]);
  });
  return result;
}

void limit_sizes(MetricField& field, double smallest, double largest) {
  detail::check_positive(smallest, "the smallest length of edges");
  if (!(largest >= smallest)) throw InputError("the smallest length of edges is above the largest");
  exec::host_for_each(exec::Device::cpu(), field.metrics.size(), [&](std::size_t v) {
    field.metrics[v] = field.metrics[v].resized(1, smallest, largest);
  });
}

double points_of(const TriangleSoup& mesh, const MetricField& field) {
  if (const auto wrong = mesh.validate()) throw InputError(*wrong);
  check_field(mesh, field);
  return points_of_area(exec::reduce(exec::Device::cpu(), static_cast<Index>(mesh.triangles.size()),
                                     0.0,
                                     AreaInMetric{{mesh.triangles.data(), mesh.triangles.size()},
                                                  {mesh.positions.data(), mesh.positions.size()},
                                                  {field.metrics.data(), field.metrics.size()}},
                                     exec::Plus{}));
}

void scale_to_points(const TriangleSoup& mesh, MetricField& field, double points) {
  detail::check_positive(points, "the number of points");
  const double now = points_of(mesh, field);
  if (!(now > 0)) throw InputError("the mesh has no area");
  exec::host_for_each(exec::Device::cpu(), field.metrics.size(), [&](std::size_t v) {
    field.metrics[v].along *= points / now;
    field.metrics[v].across *= points / now;
  });
}

GradationReport limit_gradation(const exec::Stream& stream, const TriangleSoup& mesh,
                                MetricField& field, double factor,
                                const ProgressCallback& progress) {
  if (!(factor > 1) || !std::isfinite(factor))
    throw InputError("the factor by which edges may grow is not above 1");
  check_field(mesh, field);
  MetricMesh numbered(stream, mesh, field.normals);
  Metrics metrics = numbered.from_input(field.metrics);
  const GradationReport report = detail::grade(numbered, metrics, factor, progress);
  field.metrics = numbered.to_input(metrics);
  return report;
}

Attribute to_attribute(const MetricField& field, const std::string& name) {
  const exec::Device device = exec::Device::cpu();
  const std::size_t vertices = field.metrics.size();
  const std::size_t stretched =
      find_first(vertices, [&](std::size_t v) { return !is_isotropic(field.metrics[v]); });
  if (stretched == vertices) {
    Array<double> sizes(vertices);
    exec::host_for_each(device, vertices,
                        [&](std::size_t v) { sizes[v] = 1 / std::sqrt(field.metrics[v].along); });
    return {name, 1, std::move(sizes)};
  }
  Array<double> matrices(6 * vertices);
  exec::host_for_each(device, vertices, [&](std::size_t v) {
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
  });
  return {name, 6, std::move(matrices)};
}

MetricField metric_of(const exec::Stream& stream, const TriangleSoup& mesh,
                      const Attribute& attribute) {
  MetricMesh numbered(stream, mesh);
  return numbered.field_of(detail::metrics_of(numbered, attribute));
}

}  // namespace tessera::remesh
