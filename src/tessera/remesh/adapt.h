// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "tessera/core/histogram.h"
#include "tessera/core/progress.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"
#include "tessera/remesh/metric_field.h"

namespace tessera::remesh {

/// What points are put on.
enum class Ground {
  curved,  ///< the ideal surface: smooth but at ridges
  flat     ///< the faces of the input
};

/// How far adapt() has come.
struct AdaptRound {
  double unit_edges = 0;    ///< the share of edges of length 0.71 to 1.41 in the metric
  double mean_quality = 0;  ///< of faces, in the metric: 1 for equilateral ones
  double error = 0;         ///< mean distance of the middles of edges from the input, a length
};

struct AdaptOptions {
  int rounds = 5;           ///< of splitting, collapsing, flipping and smoothing
  int smoothing_steps = 3;  ///< in each of them
  /// Edges whose faces turn by more degrees are ridges: they stay, and so do their corners.
  double ridge_angle = 45;
  /// Edges that leave the faces of the input by more than this, at their middle or halfway to it,
  /// are split in the end, however short they are in the metric: few, where it is much more than
  /// the mean distance. The curved ground is no farther from the faces than half of this. Single
  /// edges may be left in narrow folds, see AdaptReport::beyond_tolerance. A length; 0: none are
  /// split.
  double tolerance = 0;
  Ground ground = Ground::curved;
  /// Told after every round how far it has come; finding that out takes a few per cent of the time.
  std::function<void(const AdaptRound&)> on_round{};
  ProgressCallback progress{};
};

/// Seconds that adapt() spent on each of its parts.
struct AdaptSeconds {
  double set_up = 0;  ///< the ideal surface and what finds points on it
  double splitting = 0;
  double collapsing = 0;
  double flipping = 0;
  double smoothing = 0;
  double rest = 0;  ///< packing, figures, the attributes of the result
  /// Of splitting, collapsing and flipping: finding out where, and what may be done at once.
  double choosing = 0;
};

struct AdaptReport {
  std::uint64_t splits = 0;
  std::uint64_t collapses = 0;
  std::uint64_t flips = 0;
  /// Edges that still leave the input by more than the tolerance: splitting them would make slivers
  /// or turn a face over, or they are short already.
  std::uint64_t beyond_tolerance = 0;
  double unit_edges = 0;    ///< the share of edges of length 0.71 to 1.41 in the metric
  double mean_quality = 0;  ///< of faces, in the metric: 1 for equilateral ones
  double least_quality = 0;
  Histogram qualities;  ///< of faces, in the metric: ten bins from 0 to 1
  AdaptSeconds seconds;
};

struct AdaptResult {
  TriangleSoup mesh;
  MetricField metric;  ///< at the vertices of the mesh
  AdaptReport report;
};

/// A mesh of the same surface whose edges are as long as a metric says (Rakotoarivelo and Ledoux
/// 2018): splits long edges, collapses short ones, flips edges towards well-shaped triangles in the
/// metric and six at a vertex, and moves vertices along the surface, to the middle of their faces
/// in the metric. New and moved points are put on the ideal surface of the input, metrics are
/// carried there from their neighbours by parallel transport. Ridges, corners, borders and the
/// topology are kept; where the mesh is not a manifold, it stays as it is (surface::DynamicMesh).
/// Attributes are those at the closest points of the input.
///
/// The result does not depend on the number of threads. Throws InputError if the mesh is not valid,
/// the metric is not one of the mesh or an option is out of range; Cancelled if the callback says
/// so.
AdaptResult adapt(const exec::Stream& stream, const TriangleSoup& mesh, const MetricField& metric,
                  const AdaptOptions& options = {});

}  // namespace tessera::remesh
