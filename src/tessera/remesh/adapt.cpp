// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Rakotoarivelo and Ledoux, Accurate manycore-accelerated manifold surface remesh kernels, 2018.
#include "tessera/remesh/adapt.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>

#include "tessera/core/error.h"
#include "tessera/core/find_first.h"
#include "tessera/core/stopwatch.h"
#include "tessera/exec/host_loop.h"
#include "tessera/exec/reduce.h"
#include "tessera/remesh/detail/carry_out.h"
#include "tessera/remesh/detail/ground.h"
#include "tessera/remesh/detail/measure.h"
#include "tessera/remesh/detail/smooth.h"
#include "tessera/remesh/detail/split_unit.h"
#include "tessera/remesh/detail/tolerance.h"
#include "tessera/remesh/detail/vertex_state.h"
#include "tessera/remesh/ideal_surface.h"
#include "tessera/surface/bvh.h"
#include "tessera/surface/dynamic_mesh.h"
#include "tessera/surface/flip_nearer.h"
#include "tessera/surface/line_tree.h"
#include "tessera/surface/shape_operations.h"
#include "tessera/surface/transfer.h"

namespace tessera::remesh {
namespace {

using detail::GroundView;
using detail::MetricMeasure;
using detail::SplitUnit;
using detail::VertexState;
using exec::Buffer;
using exec::View;
using surface::DynamicView;

/// Each vertex is above a face that it has. The mesh is still that of the ideal surface, numbered
/// alike.
struct FirstFaces {
  DynamicView mesh;
  TESSERA_KERNEL void operator()(Index v) const {
    if (!mesh.is_vertex(v)) return;
    VertexState state = VertexState::of(mesh, v);
    state.face = mesh.vertex_edges[v] / 3;
    state.store(mesh, v);
  }
};

/// The mesh with a state for each vertex as its only attribute.
TriangleSoup with_states(const exec::Stream& stream, const TriangleSoup& mesh,
                         const MetricField& field) {
  if (field.metrics.size() != mesh.positions.size() || field.normals.size() != field.metrics.size())
    throw InputError("the metric is that of another mesh");
  const std::size_t wrong = find_first(field.metrics.size(), [&](std::size_t v) {
    const SurfaceMetric& metric = field.metrics[v];
    return !(metric.along > 0) || !(metric.across > 0) ||
           !std::isfinite(metric.along + metric.across);
  });
  if (wrong < field.metrics.size())
    throw InputError("the metric of vertex " + std::to_string(wrong) + " is not positive");
  constexpr auto width = static_cast<std::size_t>(VertexState::width);
  Array<double> values(width * mesh.positions.size());
  exec::host_for_each(stream, mesh.positions.size(), [&](std::size_t v) {
    VertexState{field.metrics[v], field.normals[v], no_index}.write(values.data() + width * v);
  });
  TriangleSoup result;
  result.positions = mesh.positions;
  result.triangles = mesh.triangles;
  result.ridges = mesh.ridges;
  result.precision = mesh.precision;
  result.vertex_attributes = {{"state", VertexState::width, std::move(values)}};
  return result;
}

class Adapter {
 public:
  Adapter(const exec::Stream& stream, const TriangleSoup& input, const MetricField& field,
          const AdaptOptions& options)
      : stream_(stream),
        options_(options),
        input_(input),
        surface_(stream, input, {options.ridge_angle}),
        measure_{std::all_of(field.metrics.begin(), field.metrics.end(), is_alike)},
        mesh_(stream, with_states(stream, input, field)),
        lines_(mark_lines()) {
    exec::for_each(stream_, mesh_.vertex_places(), FirstFaces{mesh_.view()});
    stream_.synchronize();
    report_.seconds.set_up = set_up_.seconds();
  }

  AdaptResult run() {
    for (int round = 0; round < options_.rounds; ++round) {
      run_round();
      time(report_.seconds.rest, [&] { measure_round(); });
    }
    if (options_.tolerance > 0) keep_tolerance();
    AdaptResult result;
    time(report_.seconds.rest, [&] {
      measure();
      result.mesh = mesh_.to_soup();
      take_states(result);
      part_ = parts() - 1;
      surface::transfer_attributes(stream_, input_, result.mesh, next_part());
    });
    result.report = report_;
    return result;
  }

 private:
  static constexpr int tolerance_passes = 4;
  static bool is_alike(const SurfaceMetric& metric) {
    return VertexState::is_isotropic(metric.along, metric.across);
  }
  surface::Bvh mark_lines() {
    mesh_.mark_creases(options_.ridge_angle);
    return surface::line_tree(mesh_);
  }
  int parts() const {
    return options_.rounds * (2 * options_.smoothing_steps + 3) +
           (options_.tolerance > 0 ? 2 * tolerance_passes : 0) + 1;
  }
  ProgressCallback next_part() {
    const double all = parts();
    const int part = part_++;
    return part_of(options_.progress, "adapting", part / all, part_ / all);
  }
  template <class F>
  void time(double& seconds, const F& f) {
    const Stopwatch watch;
    f();
    stream_.synchronize();
    seconds += watch.seconds();
  }
  template <class Op>
  void apply(const Op& op, int most_rounds, std::uint64_t& done, double& seconds) {
    time(seconds, [&] {
      surface::UpdateOptions options;
      options.most_rounds = most_rounds;
      options.looks_again = false;
      options.progress = next_part();
      const surface::UpdateReport report = detail::carry_out(mesh_, op, options);
      done += report.done;
      report_.seconds.choosing += report.choosing;
    });
  }
  /// With a tolerance, vertices use up to half of it: edges between them that are short enough are
  /// within it.
  GroundView ground() {
    return {
        surface_.view(), lines_.view(), options_.ground,
        options_.tolerance > 0 ? options_.tolerance / 2 : std::numeric_limits<double>::infinity()};
  }
  /// Flips are tried before splits: they cost no faces. What neither has changed is looked at once.
  void keep_tolerance() {
    constexpr double least_quality = 0.2;
    const surface::FlipNearer<detail::DistanceFrom, MetricMeasure> flips{
        {surface_.view()}, options_.tolerance / 2, least_quality, measure_};
    Buffer<Triangle> at_flips;
    Buffer<Triangle> at_splits;
    Buffer<std::uint8_t> are_far;
    const auto split_far = [&]() -> detail::SplitFar {
      return {{ground(), measure_, 0},
              options_.tolerance,
              {at_splits.const_view()},
              are_far.const_view()};
    };
    const auto find_far = [&] {
      time(report_.seconds.splitting, [&] {
        Buffer<std::uint8_t> found(stream_, mesh_.half_edge_places());
        exec::copy_on_device(stream_, found.view().subview(0, are_far.size()),
                             are_far.const_view());
        exec::for_each(stream_, mesh_.half_edge_places(),
                       detail::FindFar{mesh_.view(), split_far(), found.view()});
        are_far.swap(found);
        at_splits = faces_now();
      });
    };
    for (int pass = 0; pass < tolerance_passes; ++pass) {
      const std::uint64_t before = report_.flips + report_.splits;
      Buffer<Triangle> now = faces_now();
      apply(detail::FlipChanged{flips, {at_flips.const_view()}}, 20, report_.flips,
            report_.seconds.flipping);
      at_flips.swap(now);
      find_far();
      apply(split_far(), 20, report_.splits, report_.seconds.splitting);
      if (report_.flips + report_.splits == before) break;
    }
    find_far();
    report_.beyond_tolerance = exec::reduce(stream_, mesh_.half_edge_places(), Index{0},
                                            detail::IsFar{are_far.const_view()}, exec::Plus{});
    pack();
  }
  Buffer<Triangle> faces_now() {
    Buffer<Triangle> faces(stream_, mesh_.face_places());
    exec::copy_on_device(stream_, faces.view(), mesh_.view().triangles.subview(0, faces.size()));
    return faces;
  }
  void pack() {
    time(report_.seconds.rest, [&] { mesh_.pack(); });
  }
  void flip(surface::FlipAim aim) {
    apply(surface::FlipEdges<MetricMeasure>{measure_, aim}, 20, report_.flips,
          report_.seconds.flipping);
  }
  void run_round() {
    constexpr double longest = std::numbers::sqrt2;
    constexpr double shortest = 1 / std::numbers::sqrt2;
    apply(SplitUnit{ground(), measure_, longest}, 100, report_.splits, report_.seconds.splitting);
    pack();
    apply(surface::CollapseShort<MetricMeasure>{shortest, longest, measure_}, 100,
          report_.collapses, report_.seconds.collapsing);
    pack();
    flip(surface::FlipAim::valence);
    Buffer<std::uint8_t> are_moving;
    for (int step = 0; step < options_.smoothing_steps; ++step) {
      const ProgressCallback part = next_part();
      const Progress progress(part, "smoothing", 1);  // throws if cancelled
      time(report_.seconds.smoothing,
           [&] { detail::smooth(mesh_, measure_, ground(), are_moving); });
      flip(surface::FlipAim::shape);
    }
  }
  void measure_round() {
    if (!options_.on_round) return;
    AdaptRound round;
    const detail::EdgeSums edges = exec::reduce(
        stream_, mesh_.half_edge_places(), detail::EdgeSums{},
        detail::MeasureEdgeAndError{{mesh_.view(), measure_}, surface_.view()}, exec::Plus{});
    if (edges.edges > 0) {
      round.unit_edges = edges.units / edges.edges;
      round.error = edges.errors / edges.edges;
    }
    round.mean_quality = mean_of(measure_faces());
    options_.on_round(round);
  }
  void measure() {
    const detail::EdgeSums edges =
        exec::reduce(stream_, mesh_.half_edge_places(), detail::EdgeSums{},
                     detail::MeasureEdge{mesh_.view(), measure_}, exec::Plus{});
    report_.unit_edges = edges.edges > 0 ? edges.units / edges.edges : 0;
    const detail::Qualities faces = measure_faces();
    report_.mean_quality = mean_of(faces);
    report_.least_quality = report_.mean_quality > 0 ? faces.least : 0;
    report_.qualities = {0, 1, {std::begin(faces.counts), std::end(faces.counts)}};
  }
  detail::Qualities measure_faces() {
    return exec::reduce(stream_, mesh_.face_places(), detail::Qualities{},
                        detail::MeasureFace{mesh_.view(), measure_}, detail::AddQualities{});
  }
  static double mean_of(const detail::Qualities& faces) {
    const auto count = std::accumulate(std::begin(faces.counts), std::end(faces.counts), Index{0});
    return count > 0 ? faces.sum / count : 0;
  }
  /// From the only attribute of the result, which goes.
  void take_states(AdaptResult& result) const {
    const auto values = std::get<Array<double>>(std::move(result.mesh.vertex_attributes[0].values));
    result.mesh.vertex_attributes.clear();
    result.metric.metrics.resize(result.mesh.positions.size());
    result.metric.normals.resize(result.mesh.positions.size());
    constexpr auto width = static_cast<std::size_t>(VertexState::width);
    exec::host_for_each(stream_, result.mesh.positions.size(), [&](std::size_t v) {
      const double* at = values.data() + width * v;
      result.metric.metrics[v] = {{at[0], at[1], at[2]}, at[3], at[4]};
      result.metric.normals[v] = {at[5], at[6], at[7]};
    });
  }

  Stopwatch set_up_;
  const exec::Stream& stream_;
  const AdaptOptions& options_;
  const TriangleSoup& input_;
  IdealSurface surface_;
  MetricMeasure measure_;  ///< isotropic where all of the metric is, so also what is between
  surface::DynamicMesh mesh_;
  surface::Bvh lines_;
  AdaptReport report_;
  int part_ = 0;
};

}  // namespace

AdaptResult adapt(const exec::Stream& stream, const TriangleSoup& mesh, const MetricField& metric,
                  const AdaptOptions& options) {
  if (options.rounds < 0 || options.smoothing_steps < 0)
    throw InputError("the number of rounds or smoothing steps is negative");
  if (!(options.tolerance >= 0) || !std::isfinite(options.tolerance))
    throw InputError("the tolerance is negative or not a number");
  return Adapter(stream, mesh, metric, options).run();
}

}  // namespace tessera::remesh
