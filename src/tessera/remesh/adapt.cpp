// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Rakotoarivelo and Ledoux, Accurate manycore-accelerated manifold surface remesh kernels, 2018.
#include "tessera/remesh/adapt.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "tessera/core/error.h"
#include "tessera/exec/reduce.h"
#include "tessera/remesh/detail/ground.h"
#include "tessera/remesh/detail/relocate.h"
#include "tessera/remesh/detail/vertex_state.h"
#include "tessera/remesh/ideal_surface.h"
#include "tessera/surface/bvh.h"
#include "tessera/surface/dynamic_mesh.h"
#include "tessera/surface/line_tree.h"
#include "tessera/surface/operators.h"
#include "tessera/surface/shape_operations.h"
#include "tessera/surface/transfer.h"
#include "tessera/surface/update.h"

namespace tessera::remesh {
namespace {

using detail::GroundView;
using detail::MetricMeasure;
using detail::Relocate;
using detail::VertexState;
using exec::Buffer;
using exec::View;
using surface::Cavity;
using surface::DynamicView;
using surface::Filling;
using surface::Seed;
using surface::Wish;

struct SplitUnit {
  static constexpr Seed seed = Seed::edge;
  static constexpr Index new_faces = 2;
  static constexpr Index new_vertices = 1;
  GroundView ground;
  double longest;
  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index h, Wish& wish) const {
    const double squared =
        MetricMeasure{}.squared_length(mesh, mesh.from(h), mesh.to(h)) / (longest * longest);
    if (!(squared > 1) || !surface::can_split(mesh, h) || !is_longest(mesh, h)) return false;
    wish.priority = static_cast<std::uint16_t>(std::fmin(65535.0, 4096 * squared));
    return true;
  }
  /// Of the edges of its faces. Others wait: in a thin triangle each split of one that is not would
  /// make another one as long, without end.
  TESSERA_KERNEL static bool is_longest(const DynamicView& mesh, Index h) {
    const double squared = MetricMeasure{}.squared_length(mesh, mesh.from(h), mesh.to(h));
    const Index sides[2] = {h, mesh.twins[h]};
    for (const Index side : sides) {
      if (side == no_index) continue;
      const Index third = mesh.opposite(side);
      for (const Index end : {mesh.from(h), mesh.to(h)})
        if (MetricMeasure{}.squared_length(mesh, end, third) > squared * (1 + 1e-9)) return false;
    }
    return true;
  }
  TESSERA_KERNEL void take(const DynamicView&, Index h, Cavity& cavity) const {
    cavity.take_edge(h);
  }
  TESSERA_KERNEL void fill(Index h, int, Filling& filling) const {
    const DynamicView& mesh = filling.mesh();
    const Index a = mesh.from(h);
    const Index b = mesh.to(h);
    const Vec3d middle = (mesh.positions[a] + mesh.positions[b]) * 0.5;
    const VertexState at_a = VertexState::of(mesh, a);
    const VertexState at_b = VertexState::of(mesh, b);
    // Far away is another part of the surface, or a patch that noise has thrown up.
    constexpr double farthest = 0.25;
    const Vec3d edge = mesh.positions[b] - mesh.positions[a];
    PlacedPoint found = mesh.is_line(h)
                            ? ground.on_line(middle)
                            : ground.on_surface(middle, at_a.face, farthest * length(edge));
    if (squared_length(found.point.position - middle) > farthest * farthest * squared_length(edge))
      found.point.position = middle;
    VertexState state;
    state.face = found.face;
    state.normal = found.point.normal;
    state.metric = between(at_a.metric, at_a.normal, at_b.metric, at_b.normal, 0.5, state.normal);
    const Index added = surface::fill_split(h, found.point.position, filling);
    state.store(mesh, added);
  }
};

/// Splits edges that leave the surface too far, whatever the metric says of them.
struct SplitFar {
  static constexpr Seed seed = Seed::edge;
  static constexpr Index new_faces = 2;
  static constexpr Index new_vertices = 1;
  SplitUnit split;
  double tolerance;
  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index h, Wish& wish) const {
    if (!surface::can_split(mesh, h)) return false;
    const Vec3d start = mesh.positions[mesh.from(h)];
    const Vec3d edge = mesh.positions[mesh.to(h)] - start;
    // A shorter one is near because its ends are; if these are not, splits are no help.
    if (!(squared_length(edge) > tolerance * tolerance)) return false;
    const Index face = VertexState::of(mesh, mesh.from(h)).face;
    const auto squared_at = [&](double part) {
      return split.ground.surface.squared_distance_from(start + edge * part, face, tolerance);
    };
    double squared = squared_at(0.5);
    // Where the middle is right, so are nearly always the other two.
    constexpr double doubtful = 0.25 * 0.25;
    if (squared > doubtful * tolerance * tolerance)
      squared = std::fmax(squared, std::fmax(squared_at(0.25), squared_at(0.75)));
    if (!(squared > tolerance * tolerance)) return false;
    const double ratio = squared / (tolerance * tolerance);
    wish.priority = static_cast<std::uint16_t>(std::fmin(65535.0, 4096 * ratio));
    return true;
  }
  TESSERA_KERNEL void take(const DynamicView& mesh, Index h, Cavity& cavity) const {
    split.take(mesh, h, cavity);
  }
  TESSERA_KERNEL void fill(Index h, int choice, Filling& filling) const {
    split.fill(h, choice, filling);
  }
};

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

struct StoreStates {
  DynamicView mesh;
  View<const Vec3d> moved;
  View<const std::uint8_t> are_moving;
  View<const VertexState> states;
  TESSERA_KERNEL void operator()(Index v) const {
    if (mesh.is_vertex(v) && are_moving[v] != 0 && mesh.positions[v] == moved[v])
      states[v].store(mesh, v);
  }
};

struct EdgeShare {
  double edges = 0;
  double units = 0;
  TESSERA_KERNEL friend EdgeShare operator+(const EdgeShare& a, const EdgeShare& b) {
    return {a.edges + b.edges, a.units + b.units};
  }
};
struct MeasureEdge {
  DynamicView mesh;
  TESSERA_KERNEL EdgeShare operator()(Index h) const {
    if (!mesh.is_edge(h)) return {};
    const double squared = MetricMeasure{}.squared_length(mesh, mesh.from(h), mesh.to(h));
    return {1, squared >= 0.5 && squared <= 2 ? 1.0 : 0.0};
  }
};

struct Qualities {
  double sum = 0;
  double faces = 0;
  double least = 1;
};
struct AddQualities {
  TESSERA_KERNEL Qualities operator()(const Qualities& a, const Qualities& b) const {
    return {a.sum + b.sum, a.faces + b.faces, a.least < b.least ? a.least : b.least};
  }
};
struct MeasureFace {
  DynamicView mesh;
  TESSERA_KERNEL Qualities operator()(Index f) const {
    if (!mesh.is_face(f)) return {};
    const Triangle t = mesh.triangles[f];
    const double quality =
        std::sqrt(surface::shape_of(MetricMeasure{}, mesh, t[0], t[1], t[2]).squared);
    return {quality, 1, quality};
  }
};

/// The mesh with a state for each vertex as its only attribute.
TriangleSoup with_states(const TriangleSoup& mesh, const MetricField& field) {
  if (field.metrics.size() != mesh.positions.size() || field.normals.size() != field.metrics.size())
    throw InputError("the metric is that of another mesh");
  constexpr auto width = static_cast<std::size_t>(VertexState::width);
  Array<double> values(width * mesh.positions.size());
  for (std::size_t v = 0; v < field.metrics.size(); ++v) {
    const SurfaceMetric& metric = field.metrics[v];
    if (!(metric.along > 0) || !(metric.across > 0) || !std::isfinite(metric.along + metric.across))
      throw InputError("the metric of vertex " + std::to_string(v) + " is not positive");
    VertexState{metric, field.normals[v], no_index}.write(values.data() + width * v);
  }
  TriangleSoup result;
  result.positions = mesh.positions;
  result.triangles = mesh.triangles;
  result.precision = mesh.precision;
  result.vertex_attributes = {{"state", VertexState::width, std::move(values)}};
  return result;
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Adapter {
 public:
  Adapter(const exec::Stream& stream, const TriangleSoup& input, const MetricField& field,
          const AdaptOptions& options)
      : stream_(stream),
        options_(options),
        input_(input),
        surface_(stream, input, {options.ridge_angle}),
        mesh_(stream, with_states(input, field)),
        lines_(mark_lines()) {
    exec::for_each(stream_, mesh_.vertex_places(), FirstFaces{mesh_.view()});
    stream_.synchronize();
    report_.seconds.set_up = seconds_since(start_);
  }

  AdaptResult run() {
    for (int round = 0; round < options_.rounds; ++round) run_round();
    if (options_.tolerance > 0) {
      apply(SplitFar{{ground(), 0}, options_.tolerance}, 12, report_.splits,
            report_.seconds.splitting);
      pack();
    }
    AdaptResult result;
    time(report_.seconds.rest, [&] {
      measure();
      result.mesh = mesh_.to_soup();
      take_states(result);
      surface::transfer_attributes(stream_, input_, result.mesh, options_.progress);
    });
    result.report = report_;
    return result;
  }

 private:
  surface::Bvh mark_lines() {
    mesh_.mark_creases(options_.ridge_angle);
    return surface::line_tree(mesh_);
  }
  ProgressCallback next_part() {
    const double parts = options_.rounds * (2 * options_.smoothing_steps + 3) + 1;
    const int part = part_++;
    return part_of(options_.progress, "adapting", part / parts, part_ / parts);
  }
  template <class F>
  void time(double& seconds, const F& f) {
    const Clock::time_point start = Clock::now();
    f();
    stream_.synchronize();
    seconds += seconds_since(start);
  }
  template <class Op>
  void apply(const Op& op, int most_rounds, std::uint64_t& done, double& seconds) {
    time(seconds, [&] {
      surface::UpdateOptions options;
      options.most_rounds = most_rounds;
      options.looks_again = false;
      options.progress = next_part();
      done += surface::update(mesh_, op, options).done;
    });
  }
  GroundView ground() { return {surface_.view(), lines_.view(), options_.ground}; }
  void pack() {
    time(report_.seconds.rest, [&] { mesh_.pack(); });
  }
  void flip(surface::FlipAim aim) {
    apply(surface::FlipEdges<MetricMeasure>{{}, aim}, 20, report_.flips, report_.seconds.flipping);
  }
  void run_round() {
    constexpr double longest = std::numbers::sqrt2;
    constexpr double shortest = 1 / std::numbers::sqrt2;
    apply(SplitUnit{ground(), longest}, 100, report_.splits, report_.seconds.splitting);
    pack();
    apply(surface::CollapseShort<MetricMeasure>{shortest, longest}, 100, report_.collapses,
          report_.seconds.collapsing);
    pack();
    flip(surface::FlipAim::valence);
    Buffer<std::uint8_t> are_moving;
    for (int step = 0; step < options_.smoothing_steps; ++step) {
      time(report_.seconds.smoothing, [&] { smooth(are_moving); });
      flip(surface::FlipAim::shape);
    }
  }
  /// Of all vertices if it is not said which were moving in the last step; says which are.
  void smooth(Buffer<std::uint8_t>& are_moving) {
    const ProgressCallback part = next_part();
    const Progress progress(part, "smoothing", 1);  // throws if cancelled
    const Index n = mesh_.vertex_places();
    Buffer<VertexState> states(stream_, n);
    Buffer<Vec3d> targets(stream_, n);
    Buffer<std::uint8_t> still_moving(stream_, n);
    exec::for_each(stream_, n,
                   Relocate{mesh_.view(), ground(), are_moving.const_view(), targets.view(),
                            states.view(), still_moving.view()});
    are_moving.swap(still_moving);
    surface::move_vertices_to(mesh_, targets.const_view(), MetricMeasure{});
    exec::for_each(stream_, n,
                   StoreStates{mesh_.view(), targets.const_view(), are_moving.const_view(),
                               states.const_view()});
  }
  void measure() {
    const EdgeShare edges = exec::reduce(stream_, mesh_.half_edge_places(), EdgeShare{},
                                         MeasureEdge{mesh_.view()}, exec::Plus{});
    report_.unit_edges = edges.edges > 0 ? edges.units / edges.edges : 0;
    const Qualities faces = exec::reduce(stream_, mesh_.face_places(), Qualities{},
                                         MeasureFace{mesh_.view()}, AddQualities{});
    report_.mean_quality = faces.faces > 0 ? faces.sum / faces.faces : 0;
    report_.least_quality = faces.faces > 0 ? faces.least : 0;
  }
  /// From the only attribute of the result, which goes.
  static void take_states(AdaptResult& result) {
    const auto values = std::get<Array<double>>(result.mesh.vertex_attributes[0].values);
    result.mesh.vertex_attributes.clear();
    constexpr auto width = static_cast<std::size_t>(VertexState::width);
    for (std::size_t v = 0; v < result.mesh.positions.size(); ++v) {
      const double* at = values.data() + width * v;
      result.metric.metrics.push_back({{at[0], at[1], at[2]}, at[3], at[4]});
      result.metric.normals.push_back({at[5], at[6], at[7]});
    }
  }

  Clock::time_point start_ = Clock::now();
  const exec::Stream& stream_;
  const AdaptOptions& options_;
  const TriangleSoup& input_;
  IdealSurface surface_;
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
