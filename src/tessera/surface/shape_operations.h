// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// What remeshing and tracking do to edges and vertices so that triangles are well shaped, by
// lengths and shapes in space or in a metric.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "tessera/core/vec.h"
#include "tessera/exec/atomic.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/for_each.h"
#include "tessera/surface/detail/quadric.h"
#include "tessera/surface/dynamic_mesh.h"
#include "tessera/surface/operators.h"
#include "tessera/surface/wish.h"

namespace tessera::surface {

TESSERA_KERNEL inline double squared_length_of(const DynamicView& mesh, Index h) {
  return squared_length(mesh.positions[mesh.to(h)] - mesh.positions[mesh.from(h)]);
}

/// Where a triangle faces, and its shape.
struct FaceShape {
  Vec3d area;      ///< doubled, as a vector
  double squared;  ///< of 1 for an equilateral triangle, 0 for one without area

  TESSERA_KERNEL static FaceShape of(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const Vec3d area = cross(b - a, c - a);
    const double sum = squared_length(b - a) + squared_length(c - b) + squared_length(a - c);
    return {area, sum * sum > 0 ? 12 * squared_length(area) / (sum * sum) : 0};
  }
  /// Whether it faces a direction, by 32 degrees. With 60 single edges come to lie across narrow
  /// folds, far from the surface.
  TESSERA_KERNEL bool faces(const Vec3d& direction) const {
    constexpr double least_cosine = 0.85;
    const double product = dot(area, direction);
    return product >= 0 && product * product >= least_cosine * least_cosine * squared_length(area) *
                                                    squared_length(direction);
  }
  TESSERA_KERNEL bool is_good() const { return squared >= 0.5 * 0.5; }
  /// Turned by noise or anything.
  TESSERA_KERNEL bool is_sliver() const { return squared < 0.1 * 0.1; }
};

/// Lengths and shapes as they are in space. Another measure has these functions and knows more of
/// the vertices than where they are.
struct EuclideanMeasure {
  TESSERA_KERNEL double squared_length(const DynamicView& mesh, Index a, Index b) const {
    return tessera::squared_length(mesh.positions[b] - mesh.positions[a]);
  }
  /// Whether a face of three vertices may have a direction where the one in its place was a sliver,
  /// which says nothing of that; not known here.
  TESSERA_KERNEL bool may_face(const DynamicView&, const Triangle&, const Vec3d&) const {
    return true;
  }
  /// How far the surface is from the middle of an edge; not known here.
  TESSERA_KERNEL double rise(const DynamicView&, Index, Index) const { return 0; }
  /// Of the triangle of three vertices, were they at some positions.
  TESSERA_KERNEL FaceShape shape(const DynamicView&, const Triangle&, const Vec3d& a,
                                 const Vec3d& b, const Vec3d& c) const {
    return FaceShape::of(a, b, c);
  }
};

/// Of the triangle of three vertices.
template <class Measure>
TESSERA_KERNEL FaceShape shape_of(const Measure& measure, const DynamicView& mesh, Index a, Index b,
                                  Index c) {
  return measure.shape(mesh, {a, b, c}, mesh.positions[a], mesh.positions[b], mesh.positions[c]);
}

/// Whether a triangle can become another one of three vertices: it is turned little, which cannot
/// be said of a sliver, and no worse if it is badly shaped.
template <class Measure>
TESSERA_KERNEL bool can_become(const Measure& measure, const DynamicView& mesh, const Triangle& t,
                               const FaceShape& before, const FaceShape& after) {
  if (!(after.squared > 0) || !(after.is_good() || after.squared >= before.squared)) return false;
  return before.is_sliver() ? measure.may_face(mesh, t, after.area) : after.faces(before.area);
}

/// Whether it can whatever the shape of the first was, by where that one faced: mostly so, and
/// quicker to say.
template <class Measure>
TESSERA_KERNEL bool can_surely_become(const Measure& measure, const DynamicView& mesh,
                                      const Triangle& t, const Vec3d& area_before,
                                      const FaceShape& after) {
  return after.is_good() && after.faces(area_before) && measure.may_face(mesh, t, after.area);
}

/// Whether no other edge of its faces is longer. Where those that are not wait: in a thin triangle
/// each split of one would make another one as long, without end.
template <class Measure>
TESSERA_KERNEL bool is_longest(const Measure& measure, const DynamicView& mesh, Index h) {
  const double squared = measure.squared_length(mesh, mesh.from(h), mesh.to(h));
  const Index sides[2] = {h, mesh.twins[h]};
  for (const Index side : sides) {
    if (side == no_index) continue;
    const Index third = mesh.opposite(side);
    for (const Index end : {mesh.from(h), mesh.to(h)})
      if (measure.squared_length(mesh, end, third) > squared * (1 + 1e-9)) return false;
  }
  return true;
}

struct SplitLong {
  static constexpr Seed seed = Seed::edge;
  static constexpr Index new_faces = 2;
  static constexpr Index new_vertices = 1;
  double longest;
  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index h, Wish& wish) const {
    const double squared = squared_length_of(mesh, h) / (longest * longest);
    if (!(squared > 1) || !can_split(mesh, h) || !is_longest(EuclideanMeasure{}, mesh, h))
      return false;
    wish.priority = static_cast<std::uint16_t>(std::fmin(65535.0, 4096 * squared));
    return true;
  }
  TESSERA_KERNEL void take(const DynamicView&, Index h, Cavity& cavity) const {
    cavity.take_edge(h);
  }
  TESSERA_KERNEL void fill(Index h, int, Filling& filling) const {
    const DynamicView& mesh = filling.mesh();
    const Vec3d middle = (mesh.positions[mesh.from(h)] + mesh.positions[mesh.to(h)]) * 0.5;
    fill_split(h, middle, filling);
  }
};

template <class Measure = EuclideanMeasure>
struct CollapseShort {
  static constexpr Seed seed = Seed::edge;
  static constexpr Index new_faces = 0;
  static constexpr Index new_vertices = 0;
  double shortest;
  double longest;
  Measure measure{};

  /// Whether the start of a half-edge can go to its end: no vertex leaves the surface then, and
  /// fewer edges become too long than with both in the middle.
  TESSERA_KERNEL bool can_go(const DynamicView& mesh, Index h) const {
    return fits(mesh, h) && can_collapse(mesh, h);
  }
  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index h, Wish& wish) const {
    const double squared =
        measure.squared_length(mesh, mesh.from(h), mesh.to(h)) / (shortest * shortest);
    if (!(squared < 1)) return false;
    wish.priority = static_cast<std::uint16_t>(16384 * (1 - squared));
    return true;
  }
  TESSERA_KERNEL bool can(const DynamicView& mesh, Index h, Wish& wish) const {
    const bool goes_on = can_go(mesh, h);
    wish.choice = goes_on ? 0 : 1;
    return goes_on || (!mesh.is_border(h) && can_go(mesh, mesh.twins[h]));
  }
  /// Whether the faces at the start of a half-edge that stay can follow it to its end, and no edge
  /// becomes too long. Faces at an edge that is far too short are themselves so small that it does
  /// not matter where they face.
  TESSERA_KERNEL bool fits(const DynamicView& mesh, Index h) const {
    const Index gone = mesh.from(h);
    const Index stays = mesh.to(h);
    const bool is_tiny = measure.squared_length(mesh, gone, stays) < 0.36 * shortest * shortest;
    const double most = (is_tiny ? 1.5 : 1.0) * longest * longest;
    bool fits = true;
    mesh.visit_star(gone, [&](Index e) {
      const Index a = mesh.to(e);
      const Index b = mesh.opposite(e);
      const auto is_short = [&](Index v) {
        return v == stays || measure.squared_length(mesh, stays, v) < most;
      };
      // The next half-edge asks for b, but for the last at a border.
      fits = is_short(a) && (!mesh.is_border(DynamicView::previous(e)) || is_short(b));
      if (fits && !goes_in_collapse(mesh, h, e / 3))
        fits = fits_face(mesh, {stays, a, b}, gone, is_tiny);
      return fits;
    });
    return fits;
  }
  /// Whether a face may become another one by its first vertex in place of the one that goes.
  TESSERA_KERNEL bool fits_face(const DynamicView& mesh, const Triangle& t, Index gone,
                                bool is_tiny) const {
    const FaceShape after = shape_of(measure, mesh, t[0], t[1], t[2]);
    const Vec3d p = mesh.positions[gone];
    const Vec3d area = cross(mesh.positions[t[1]] - p, mesh.positions[t[2]] - p);
    if (can_surely_become(measure, mesh, t, area, after)) return true;
    const FaceShape before = shape_of(measure, mesh, gone, t[1], t[2]);
    if (can_become(measure, mesh, t, before, after)) return true;
    constexpr double bearable = 0.2 * 0.2;
    return is_tiny && (after.squared > bearable || after.squared > before.squared / 2) &&
           dot(before.area, after.area) > 0 && measure.may_face(mesh, t, after.area);
  }
  TESSERA_KERNEL void take(const DynamicView& mesh, Index h, Cavity& cavity) const {
    take_collapse(mesh, h, cavity);
  }
  TESSERA_KERNEL void fill(Index h, int choice, Filling& filling) const {
    const DynamicView& mesh = filling.mesh();
    const Index drawn = drawn_half_edge(mesh, h, choice);
    fill_collapse(drawn, mesh.positions[mesh.to(drawn)], filling);
  }
};

/// What flips are for.
enum class FlipAim {
  valence,  ///< six edges at a vertex, four on the border
  shape     ///< a better mean of both faces
};

/// Flips edges for an aim, and away from thin triangles.
template <class Measure = EuclideanMeasure>
struct FlipEdges {
  static constexpr Seed seed = Seed::edge;
  static constexpr Index new_faces = 0;
  static constexpr Index new_vertices = 0;
  Measure measure{};
  FlipAim aim = FlipAim::valence;

  TESSERA_KERNEL static int excess(const DynamicView& mesh, Index v) {
    return static_cast<int>(mesh.valence(v)) - (mesh.is_on_border(v) ? 4 : 6);
  }
  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index h, Wish& wish) const {
    if (mesh.is_border(h) || mesh.edge_marks[h] != 0) return false;
    const Index v[4] = {mesh.from(h), mesh.to(h), mesh.opposite(h), mesh.opposite(mesh.twins[h])};
    const FaceShape old_pair[2] = {shape_of(measure, mesh, v[0], v[1], v[2]),
                                   shape_of(measure, mesh, v[1], v[0], v[3])};
    const double before = std::fmin(old_pair[0].squared, old_pair[1].squared);
    constexpr double thin = 0.45 * 0.45;
    constexpr double good = 0.9 * 0.9;
    constexpr int urgent = 63;
    const bool is_thin = before < thin;
    const bool is_for_shape = aim == FlipAim::shape && !is_thin;
    if (is_for_shape && before > good) return false;
    const int gain = is_thin ? urgent : is_for_shape ? 1 : gain_of(mesh, v);
    if (gain <= 0) return false;
    const FaceShape new_pair[2] = {shape_of(measure, mesh, v[0], v[3], v[2]),
                                   shape_of(measure, mesh, v[3], v[1], v[2])};
    const double after = std::fmin(new_pair[0].squared, new_pair[1].squared);
    if (is_thin ? after <= before : after < thin) return false;
    constexpr double noticeable = 0.02;
    if (is_for_shape && sum_of(new_pair) < sum_of(old_pair) + noticeable) return false;
    const Vec3d direction = old_pair[0].area + old_pair[1].area;
    if (!new_pair[0].faces(direction) || !new_pair[1].faces(direction) || rises(mesh, v))
      return false;
    wish.priority = static_cast<std::uint16_t>(gain < urgent ? 1024 * gain : 65535);
    return true;
  }
  TESSERA_KERNEL static double sum_of(const FaceShape (&pair)[2]) {
    return std::sqrt(pair[0].squared) + std::sqrt(pair[1].squared);
  }
  /// Whether the other diagonal is much farther from the surface.
  TESSERA_KERNEL bool rises(const DynamicView& mesh, const Index (&v)[4]) const {
    constexpr double bearable = 0.005;
    return measure.rise(mesh, v[2], v[3]) >
           2 * measure.rise(mesh, v[0], v[1]) +
               bearable * length(mesh.positions[v[3]] - mesh.positions[v[2]]);
  }
  /// How much nearer to the right numbers of edges the ends of an edge and the two corners beside
  /// it come by a flip.
  TESSERA_KERNEL static int gain_of(const DynamicView& mesh, const Index (&v)[4]) {
    int gain = 0;
    for (int i = 0; i < 4; ++i) {
      const int many = excess(mesh, v[i]);
      const int then = many + (i < 2 ? -1 : 1);
      gain += many * many - then * then;
    }
    return gain;
  }
  TESSERA_KERNEL void take(const DynamicView& mesh, Index h, Cavity& cavity) const {
    take_flip(mesh, h, cavity);
  }
  TESSERA_KERNEL bool can(const DynamicView& mesh, Index h, Wish&) const {
    return can_flip(mesh, h);
  }
  TESSERA_KERNEL void fill(Index h, int, Filling& filling) const { fill_flip(h, filling); }
};

/// Moves vertices to the middle of their faces, each as heavy as it is large, but little in
/// directions in which they would leave these faces: out of the surface hardly at all, across a
/// ridge the less the sharper it is. Those on a crease or border move along that, little where it
/// turns.
struct Smooth {
  DynamicView mesh;
  double fidelity;
  exec::View<Vec3d> moved;
  TESSERA_KERNEL void operator()(Index v) const {
    if (!mesh.is_vertex(v)) return;
    const Vec3d p = mesh.positions[v];
    moved[v] = p;
    if (mesh.is_fixed(v)) return;
    // Squared distances from the planes of the faces, as Quadric has them, at p.
    double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
    Vec3d sum{};
    double weight = 0;
    double worst = 1;
    mesh.visit_star(v, [&](Index h) {
      const Vec3d a = mesh.positions[mesh.to(h)];
      const Vec3d b = mesh.positions[mesh.opposite(h)];
      const FaceShape face = FaceShape::of(p, a, b);
      worst = std::fmin(worst, face.squared);
      const double size = length(face.area);
      if (!(size > 0)) return true;
      const Vec3d& n = face.area;
      const double scale = 1 / size;
      xx += scale * n[0] * n[0];
      xy += scale * n[0] * n[1];
      xz += scale * n[0] * n[2];
      yy += scale * n[1] * n[1];
      yz += scale * n[1] * n[2];
      zz += scale * n[2] * n[2];
      sum += (a + b + p) * (size / 3);
      weight += size;
      return true;
    });
    Vec3d ends[2] = {};
    Index on_line = 0;
    mesh.visit_lines(v, [&](Index w) {
      if (on_line < 2) ends[on_line] = mesh.positions[w];
      ++on_line;
    });
    constexpr double in_surface = 20;
    const double most_stiffness = std::fmax(fidelity, in_surface);
    if (on_line != 0) {
      if (on_line == 2) moved[v] = p + along_line(ends[0], p, ends[1], most_stiffness);
      return;
    }
    if (!(weight > 0)) return;
    // A thin triangle is worse than a ridge that is not where it was.
    constexpr double thin = 0.5 * 0.5;
    const double stiffness = (worst < thin ? in_surface : most_stiffness) / weight;
    moved[v] = p + detail::solve_symmetric(1 + stiffness * xx, stiffness * xy, stiffness * xz,
                                           1 + stiffness * yy, stiffness * yz, 1 + stiffness * zz,
                                           sum * (1 / weight) - p);
  }
  /// Halfway to the middle of two neighbours, the less the more the line turns there.
  TESSERA_KERNEL static Vec3d along_line(const Vec3d& a, const Vec3d& p, const Vec3d& b,
                                         double stiffness) {
    const Vec3d tangent = b - a;
    const double squared = squared_length(tangent);
    const double sizes = std::sqrt(squared_length(p - a) * squared_length(b - p));
    if (!(squared > 0) || !(sizes > 0)) return Vec3d{};
    const double bend = (1 - dot(p - a, b - p) / sizes) / 2;  // the squared sine of half the angle
    const double step = dot((a + b) * 0.5 - p, tangent) / (2 * squared * (1 + stiffness * bend));
    return tangent * step;
  }
};

/// Finds faces that must not become what the moves of their vertices make of them, and takes these
/// moves back. That may bring others in trouble, which the next pass finds.
template <class Measure = EuclideanMeasure>
struct TakeBack {
  DynamicView mesh;
  exec::View<const Vec3d> moved;
  Index pass;                 ///< 1 and so on
  exec::View<Index> taken;    ///< for each vertex the pass that took its move back; 0: none did
  exec::View<Index> is_done;  ///< one number: 0 if this pass took one back
  Measure measure{};
  TESSERA_KERNEL void operator()(Index f) const {
    if (!mesh.is_face(f)) return;
    const Triangle t = mesh.triangles[f];
    Vec3d now[3];
    bool can_stay = false;
    bool is_same = true;
    bool has_changed = pass == 1;
    for (int k = 0; k < 3; ++k) {
      // What this pass takes back counts in the next: the order of faces must not matter.
      const Index when = exec::atomic_load(taken[t[k]]);
      const bool moves = when == 0 || when == pass;
      can_stay = can_stay || moves;
      has_changed = has_changed || when + 1 == pass;
      now[k] = moves ? moved[t[k]] : mesh.positions[t[k]];
      is_same = is_same && now[k] == mesh.positions[t[k]];
    }
    if (!can_stay || !has_changed || is_same) return;
    const FaceShape after = measure.shape(mesh, t, now[0], now[1], now[2]);
    if (can_surely_become(measure, mesh, t, mesh.area(f), after)) return;
    const FaceShape before = shape_of(measure, mesh, t[0], t[1], t[2]);
    if (can_become(measure, mesh, t, before, after)) return;
    for (int k = 0; k < 3; ++k)
      if (exec::atomic_load(taken[t[k]]) == 0) exec::atomic_store(taken[t[k]], pass);
    exec::atomic_store(is_done[0], Index{0});
  }
};

struct Move {
  DynamicView mesh;
  exec::View<const Vec3d> moved;
  exec::View<const Index> taken;
  TESSERA_KERNEL void operator()(Index v) const {
    if (mesh.is_vertex(v) && taken[v] == 0) mesh.positions[v] = moved[v];
  }
};

inline namespace TESSERA_EXEC_NAMESPACE {

/// Moves each vertex to its target, as far as faces allow.
template <class Measure = EuclideanMeasure>
void move_vertices_to(DynamicMesh& mesh, exec::View<const Vec3d> targets,
                      const Measure& measure = {}) {
  const exec::Stream& stream = mesh.stream();
  exec::Buffer<Index> taken(stream, mesh.vertex_places());
  exec::Buffer<Index> is_done(stream, 1);
  exec::fill(stream, taken.view(), 0);
  Index pass = 0;
  do {
    exec::fill(stream, is_done.view(), 1);
    exec::for_each(
        stream, mesh.face_places(),
        TakeBack<Measure>{mesh.view(), targets, ++pass, taken.view(), is_done.view(), measure});
  } while (exec::download_one(stream, is_done, 0) == 0);
  exec::for_each(stream, mesh.vertex_places(), Move{mesh.view(), targets, taken.const_view()});
}

/// Moves vertices to where a kernel says, which writes to the view that it is made of, as far as
/// faces allow.
template <class MakeKernel>
void move_vertices(DynamicMesh& mesh, const MakeKernel& make_kernel) {
  exec::Buffer<Vec3d> moved(mesh.stream(), mesh.vertex_places());
  exec::for_each(mesh.stream(), mesh.vertex_places(), make_kernel(moved.view()));
  move_vertices_to(mesh, moved.const_view());
}

}  // namespace TESSERA_EXEC_NAMESPACE
}  // namespace tessera::surface
