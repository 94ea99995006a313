// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/attribute.h"
#include "tessera/core/progress.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/exec/indices.h"
#include "tessera/remesh/metric_field.h"
#include "tessera/remesh/surface_metric.h"
#include "tessera/surface/dynamic_mesh.h"

namespace tessera::remesh::detail {

/// A metric at each place for a vertex of a mesh on its device.
using Metrics = exec::Buffer<SurfaceMetric>;

/// A mesh on its device, whose vertices know their numbers in the input and have normals: metrics
/// are computed on it, several on one, and come back in the order of the input.
class MetricMesh {
 public:
  /// With the normals of its faces, each weighing as much as its angle at the vertex. Throws
  /// InputError if the mesh is not valid.
  MetricMesh(const exec::Stream& stream, const TriangleSoup& soup);
  /// With normals given for the vertices of the input.
  MetricMesh(const exec::Stream& stream, const TriangleSoup& soup, const Array<Vec3d>& normals);

  const exec::Stream& stream() const { return mesh_.stream(); }
  surface::DynamicMesh& mesh() { return mesh_; }
  surface::DynamicView view() { return mesh_.view(); }
  Index places() const { return mesh_.vertex_places(); }
  exec::View<const Vec3d> normals() const { return normals_.const_view(); }
  /// Where each vertex of the input is.
  exec::View<const Index> place_of_vertex() const { return place_of_vertex_.const_view(); }

  template <class T>
  Array<T> to_input(const exec::Buffer<T>& of_places) const {
    return exec::download(stream(),
                          exec::gathered(stream(), of_places, place_of_vertex_.const_view()));
  }
  template <class T>
  exec::Buffer<T> from_input(const Array<T>& of_vertices) const {
    return exec::gathered(stream(), exec::upload(stream(), of_vertices),
                          vertex_of_place_.const_view());
  }
  MetricField field_of(const Metrics& metrics) const {
    return {to_input(metrics), to_input(normals_)};
  }

 private:
  struct Numbering {};
  MetricMesh(const exec::Stream& stream, const TriangleSoup& soup, Numbering);

  surface::DynamicMesh mesh_;
  exec::Buffer<Index> vertex_of_place_;
  exec::Buffer<Index> place_of_vertex_;
  exec::Buffer<Vec3d> normals_;
};

// What the functions of metric_field.h do, where the metrics are.

Metrics uniform_metrics(MetricMesh& mesh, double size);
Metrics metrics_of(MetricMesh& mesh, const Attribute& attribute);
void intersect(MetricMesh& mesh, Metrics& metrics, const Metrics& others);
double points_of(MetricMesh& mesh, const Metrics& metrics);

/// Lengths times a factor, then no shorter than one and no longer than another one.
struct SizeChange {
  double factor = 1;
  double smallest = 0;
  double largest = 0;  ///< may be infinite
};
Metrics changed(MetricMesh& mesh, const Metrics& metrics, const SizeChange& change);

GradationReport grade(MetricMesh& mesh, Metrics& metrics, double factor,
                      const ProgressCallback& progress);

/// The numbers of an attribute, in double.
Array<double> numbers_of(const exec::Stream& stream, const Attribute& attribute);

/// Throws InputError, with `what` as the subject, if a number is not positive.
void check_positive(double number, const char* what);

/// Gives limits of lengths that are 0 the values that stand for: a tenth of the diagonal, and a
/// thousandth of the largest. Throws InputError if they are negative or the wrong way round.
void set_limits(const exec::Stream& stream, const TriangleSoup& mesh, double& smallest,
                double& largest);

/// From one corner of the box around the faces to the other; 1 if that is nothing.
double diagonal_of(const exec::Stream& stream, const TriangleSoup& mesh);

}  // namespace tessera::remesh::detail
