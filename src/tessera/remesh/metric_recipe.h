// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tessera/core/attribute.h"
#include "tessera/core/progress.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"
#include "tessera/remesh/metric_field.h"

namespace tessera::remesh {

/// A field to be represented well by what is linear on each face.
struct FieldWish {
  Attribute field;  ///< one number at each vertex
  /// On edges, as in HessianMetricOptions: in the field's unit, or where that is 0 a part of the
  /// field's range. With a number of points only its proportion to other errors counts.
  double error = 0;
  double error_of_range = 0.01;
};

/// What a metric is made from: of all that is asked for, the shortest edges in each direction. At
/// least one of size, points, error, fields and metrics.
struct MetricRecipe {
  /// Edges of this length everywhere, or shorter where something else asks for it; 0: no such wish.
  double size = 0;
  /// About how many points a mesh of the metric is to have; 0: as many as it takes. Lengths are
  /// multiplied by what that takes, before limits and gradation; alone it means one length
  /// everywhere. Not together with a size.
  double points = 0;
  /// How far edges may leave the surface, a length (CurvatureMetricOptions); 0: curvature has no
  /// say. With a number of points only its proportion to other errors counts.
  double error = 0;
  /// Fields whose second derivatives along the surface say how long edges are to be.
  std::vector<FieldWish> fields;
  /// Metrics at the vertices: sizes, or symmetric matrices of six numbers as in metric_of().
  std::vector<Attribute> metrics;
  /// Limits of lengths. 0: none, but for what is computed from errors alone a tenth of the diagonal
  /// of the mesh (or twice the length that makes so many points, if that is more) and a thousandth
  /// of the largest.
  double smallest = 0;
  double largest = 0;
  Stretch stretch = Stretch::none;  ///< of what is computed from errors
  double ridge_angle = 45;          ///< degrees; as in CurvatureMetricOptions
  /// By how much edges may grow from one to the next (limit_gradation); 0 or 1: by any factor.
  double gradation = 1.5;
  ProgressCallback progress{};
};

struct MetricReport {
  double points = 0;    ///< about how many a mesh with unit edges has
  double smallest = 0;  ///< length of edges at a vertex; 0 without vertices
  double largest = 0;
  double aspect = 1;  ///< the longest over the shortest at one vertex, where that is most
  GradationReport gradation;
};

struct MetricResult {
  MetricField field;
  MetricReport report;
};

/// The metric of a recipe. A number of points is met within two per cent. Vertices without faces
/// have metrics as they come. Throws InputError if the mesh is not valid, the recipe asks for
/// nothing or for what contradicts itself, a metric is not that of the mesh or not positive, or a
/// field is not that of the mesh or no number somewhere; Cancelled if the callback says so.
MetricResult make_metric(const exec::Stream& stream, const TriangleSoup& mesh,
                         const MetricRecipe& recipe);

}  // namespace tessera::remesh
