// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Rakotoarivelo and Ledoux, Accurate manycore-accelerated manifold surface remesh kernels, section
// 3.
#pragma once

#include <cmath>
#include <cstdint>

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"
#include "tessera/remesh/detail/ground.h"
#include "tessera/remesh/detail/predict.h"
#include "tessera/remesh/detail/vertex_state.h"
#include "tessera/surface/dynamic_view.h"

namespace tessera::remesh::detail {

/// Moves vertices towards the middle of what is around them, in the metric, along the surface, but
/// little across folds that are no ridges. Where that makes the worst of the faces worse, goes less
/// far, and if that does not help, down the distortion of the worst. Vertices on a ridge or border
/// move towards where both edges there are as long. Metrics are carried along.
struct Relocate {
  surface::DynamicView mesh;
  MetricMeasure measure;
  GroundView ground;
  /// In the last step; only what has such a neighbour, or is one, moves. Empty: all.
  exec::View<const std::uint8_t> were_moving;
  exec::View<const Vec3d> predicted;  ///< see Predict; of isotropic metrics alone
  exec::View<Vec3d> moved;
  exec::View<VertexState> states;  ///< of those that move
  exec::View<std::uint8_t> are_moving;

  TESSERA_KERNEL void operator()(Index v) const {
    if (!mesh.is_vertex(v)) return;
    moved[v] = mesh.positions[v];
    are_moving[v] = 0;
    if (mesh.is_fixed(v) || !is_among_moving(v)) return;
    const VertexState state = VertexState::of(mesh, v);
    PlacedPoint target;
    Index lines = 0;
    mesh.visit_lines(v, [&](Index) { ++lines; });
    if (lines != 0) {
      if (lines == 2 && slide(v, state, target)) place(v, state, target);
      return;
    }
    if (diffuse(v, state, target) || descend(v, state, target)) place(v, state, target);
  }

 private:
  TESSERA_KERNEL bool is_among_moving(Index v) const {
    bool found = were_moving.empty() || were_moving[v] != 0;
    if (!found)
      mesh.visit_star(v, [&](Index h) {
        found = were_moving[mesh.to(h)] != 0 || were_moving[mesh.opposite(h)] != 0;
        return !found;
      });
    return found;
  }

  /// Fewer steps for faces that are hardly any better for it, a length in the metric.
  static constexpr double noticeable = 0.02;
  TESSERA_KERNEL static bool is_noticeable(const Vec3d& step, const VertexState& state) {
    return squared_length(step) * std::fmax(state.metric.along, state.metric.across) >
           noticeable * noticeable;
  }

  /// Along a ridge or border, half of the way to where both edges there are as long as each other.
  TESSERA_KERNEL bool slide(Index v, const VertexState& state, PlacedPoint& target) const {
    const Vec3d p = mesh.positions[v];
    Vec3d sum{};
    double all = 0;
    mesh.visit_lines(v, [&](Index other) {
      const Vec3d edge = mesh.positions[other] - p;
      const double size = length(edge);
      if (!(size > 0)) return;
      const double weight = length_between(state, VertexState::of(mesh, other), edge) / size;
      sum += edge * weight;
      all += weight;
    });
    if (!(all > 0)) return false;
    const Vec3d step = sum * (0.5 / all);
    if (!is_noticeable(step, state)) return false;
    target = ground.on_line(p + step);
    return ground.is_same_line(target, state.normal);
  }

  /// Faces that are as well shaped as this do not have to become better.
  static constexpr double good = 0.8 * 0.8;

  TESSERA_KERNEL bool diffuse(Index v, const VertexState& state, PlacedPoint& target) const {
    const Vec3d p = mesh.positions[v];
    double worst = 1;
    Vec3d step = step_to_middle(v, state, worst);
    if (!is_noticeable(step, state)) return false;
    const double least = std::fmin(worst, good);
    constexpr int most_halvings = 3;
    for (int halvings = 0; halvings < most_halvings; ++halvings, step *= 0.5) {
      if (worst_shape(v, p + step, state.normal) < least) continue;
      target = ground.along_surface(p, state, step);
      // Nearly there is as good.
      constexpr double near = 0.1;
      const Vec3d& q = target.point.position;
      if (squared_length(q - p - step) < near * near * squared_length(step) ||
          worst_shape(v, q, target.point.normal) >= least)
        return true;
    }
    return false;
  }
  /// In the tangent plane. Where no metric has a direction, towards the middle of the neighbours,
  /// as they will be: the mean quality of the Stanford bunny is 0.967 then, not 0.956 as with the
  /// paper's middle of the faces, each as heavy as it is large in the metric. That one is for the
  /// others: 99 % of the edges at a front are as long as wanted then, not 88 %. Says also how the
  /// worst face is shaped now.
  TESSERA_KERNEL Vec3d step_to_middle(Index v, const VertexState& state, double& worst) const {
    const Vec3d p = mesh.positions[v];
    const Vec3d x = SurfaceMetric::any_tangent(state.normal);
    const Vec3d y = cross(state.normal, x);
    Vec3d sum{};
    double all = 0;
    Symmetric2 folds;  // squared sines of the angles between faces and the tangent plane, by area
    double areas = 0;
    mesh.visit_star(v, [&](Index h) {
      const surface::FaceShape shape = shape_of_star(h, p);
      const Vec3d& area = shape.area;
      const double size = length(area);
      const Index a = mesh.to(h);
      if (measure.is_isotropic) {
        sum += predicted[a] - predicted[v];
        all += 1;
      } else {
        const Index b = mesh.opposite(h);
        const double weight =
            size * (state.metric.density() + VertexState::of(mesh, a).metric.density() +
                    VertexState::of(mesh, b).metric.density());
        sum += (mesh.positions[a] + mesh.positions[b] - 2 * p) * (weight / 3);
        all += weight;
      }
      worst = std::fmin(worst, dot(area, state.normal) > 0 ? shape.squared : -1);
      if (!(size > 0)) return true;
      const double along_x = dot(area, x);
      const double along_y = dot(area, y);
      folds =
          folds + Symmetric2{along_x * along_x, along_x * along_y, along_y * along_y} * (1 / size);
      areas += size;
      return true;
    });
    if (!(all > 0) || !(areas > 0)) return Vec3d{};
    sum *= (measure.is_isotropic ? relaxation : 1) / all;
    if (measure.is_isotropic) sum += predicted[v] - p;
    // A fold of 30 degrees halves the step across it. More keeps folds better but leaves triangles
    // where they are on all that bends.
    constexpr double stiffness = 20;
    const Symmetric2 m = folds * (stiffness / areas);
    const double along_x = dot(sum, x);
    const double along_y = dot(sum, y);
    const double determinant = (1 + m.xx) * (1 + m.yy) - m.xy * m.xy;
    return x * (((1 + m.yy) * along_x - m.xy * along_y) / determinant) +
           y * (((1 + m.xx) * along_y - m.xy * along_x) / determinant);
  }
  /// Of the faces at a vertex if it were elsewhere, squared; -1 if one would face the other way.
  TESSERA_KERNEL double worst_shape(Index v, const Vec3d& at, const Vec3d& normal) const {
    double worst = 1;
    mesh.visit_star(v, [&](Index h) {
      worst = std::fmin(worst, shape_at(h, at, normal));
      return worst >= 0;
    });
    return worst;
  }
  /// Of a half-edge's face if its start were elsewhere.
  TESSERA_KERNEL surface::FaceShape shape_of_star(Index h, const Vec3d& at) const {
    const Index a = mesh.to(h);
    const Index b = mesh.opposite(h);
    return measure.shape(mesh, {mesh.from(h), a, b}, at, mesh.positions[a], mesh.positions[b]);
  }
  TESSERA_KERNEL double shape_at(Index h, const Vec3d& at, const Vec3d& normal) const {
    const surface::FaceShape shape = shape_of_star(h, at);
    return dot(shape.area, normal) > 0 ? shape.squared : -1;
  }

  /// How distorted a face is, and how that changes with its corner in the tangent plane.
  struct Distortion {
    double value;
    double along_x;
    double along_y;
  };
  /// Lowers the largest distortion at a vertex, where it is large, by steps down its gradient: each
  /// to where it would be as large as that of another face if both changed linearly (the paper's
  /// equation 3), or half as far until it has become less by a part of what that promises (the
  /// first of Wolfe's conditions; the second holds as steps begin long).
  TESSERA_KERNEL bool descend(Index v, const VertexState& start, PlacedPoint& target) const {
    VertexState state = start;
    Vec3d p = mesh.positions[v];
    constexpr double bad = 0.6 * 0.6;
    double worst = worst_shape(v, p, state.normal);
    if (!(worst > 0) || worst >= bad) return false;
    bool has_moved = false;
    constexpr int most_rounds = 3;
    for (int round = 0; round < most_rounds; ++round) {
      const Vec3d x = SurfaceMetric::any_tangent(state.normal);
      const Vec3d y = cross(state.normal, x);
      double shortest = 0;
      const Distortion largest = largest_distortion(v, p, state.normal, x, y, shortest);
      const double slope = largest.along_x * largest.along_x + largest.along_y * largest.along_y;
      if (!(slope > 0)) break;
      double size = first_step(v, p, state.normal, x, y, shortest, largest);
      const double most = 0.5 * shortest / std::sqrt(slope);
      size = std::fmin(size, most);
      bool is_better = false;
      for (int halvings = 0; halvings < 4 && !is_better; ++halvings, size *= 0.5) {
        const Vec3d step = (x * largest.along_x + y * largest.along_y) * -size;
        const PlacedPoint found = ground.along_surface(p, state, step);
        const double then = worst_shape(v, found.point.position, found.point.normal);
        constexpr double sufficient = 0.1;
        if (!(then > 0) || 1 / std::sqrt(then) > largest.value - sufficient * size * slope)
          continue;
        is_better = has_moved = true;
        target = found;
        worst = then;
        p = found.point.position;
        state.normal = found.point.normal;
        state.face = found.face;
      }
      if (!is_better || worst >= bad) break;
    }
    return has_moved;
  }
  TESSERA_KERNEL Distortion distortion(Index h, const Vec3d& p, const Vec3d& normal, const Vec3d& x,
                                       const Vec3d& y, double difference) const {
    const auto at = [&](const Vec3d& q) {
      const double squared = shape_at(h, q, normal);
      constexpr double least = 1e-12;
      return 1 / std::sqrt(squared > least ? squared : least);
    };
    const double value = at(p);
    return {value, (at(p + x * difference) - value) / difference,
            (at(p + y * difference) - value) / difference};
  }
  /// Of differences, of the shortest edge at a vertex.
  static constexpr double small = 1e-4;
  TESSERA_KERNEL Distortion largest_distortion(Index v, const Vec3d& p, const Vec3d& normal,
                                               const Vec3d& x, const Vec3d& y,
                                               double& shortest) const {
    Index worst = no_index;
    double least = 2;
    double squared = -1;
    mesh.visit_star(v, [&](Index h) {
      const double shape = shape_at(h, p, normal);
      if (shape < least) {
        least = shape;
        worst = h;
      }
      const double edge = squared_length(mesh.positions[mesh.to(h)] - p);
      if (squared < 0 || edge < squared) squared = edge;
      return true;
    });
    shortest = std::sqrt(squared);
    return distortion(worst, p, normal, x, y, small * shortest);
  }
  /// Down the gradient to the nearest place where another face is as distorted as the worst.
  TESSERA_KERNEL double first_step(Index v, const Vec3d& p, const Vec3d& normal, const Vec3d& x,
                                   const Vec3d& y, double shortest,
                                   const Distortion& largest) const {
    const double slope = largest.along_x * largest.along_x + largest.along_y * largest.along_y;
    double size = shortest / std::sqrt(slope);
    mesh.visit_star(v, [&](Index h) {
      const Distortion other = distortion(h, p, normal, x, y, small * shortest);
      const double nearing =
          slope - (largest.along_x * other.along_x + largest.along_y * other.along_y);
      const double gap = largest.value - other.value;
      if (gap > 0 && nearing > 0) size = std::fmin(size, gap / nearing);
      return true;
    });
    return size;
  }
  /// What the metric is there: that of the vertex and its neighbours, carried, the nearer the more.
  TESSERA_KERNEL void place(Index v, const VertexState& state, const PlacedPoint& found) const {
    const Vec3d p = mesh.positions[v];
    const Vec3d q = found.point.position;
    const bool has_normal = squared_length(found.point.normal) > 0;
    const Vec3d normal = has_normal ? found.point.normal : state.normal;
    moved[v] = q;
    are_moving[v] = 1;
    // The face at the vertex that the step goes into, by its two other corners.
    const Vec3d step = q - p;
    MetricMean mean(normal);
    double own = 1;
    mesh.visit_star(v, [&](Index h) {
      const Index a = mesh.to(h);
      const Index b = mesh.opposite(h);
      const Vec3d area = mesh.area(h / 3);
      const double squared = squared_length(area);
      if (!(squared > 0)) return true;
      const double of_a = dot(cross(step, mesh.positions[b] - p), area) / squared;
      const double of_b = dot(cross(mesh.positions[a] - p, step), area) / squared;
      if (of_a < 0 || of_b < 0 || of_a + of_b > 1) return true;
      const VertexState at_a = VertexState::of(mesh, a);
      const VertexState at_b = VertexState::of(mesh, b);
      mean.add_carried(at_a.metric, at_a.normal, of_a);
      mean.add_carried(at_b.metric, at_b.normal, of_b);
      own = 1 - of_a - of_b;
      return false;
    });
    mean.add_carried(state.metric, state.normal, own);
    states[v] = {mean.mean(), normal, found.face};
  }
};

}  // namespace tessera::remesh::detail
