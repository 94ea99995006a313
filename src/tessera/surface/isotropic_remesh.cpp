// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Botsch and Kobbelt, A remeshing approach to multiresolution modeling, 2004; Mahmoud's
// dissertation, section 5.4.3.
#include "tessera/surface/isotropic_remesh.h"

#include <cmath>
#include <numbers>

#include "tessera/core/error.h"
#include "tessera/exec/compact.h"
#include "tessera/exec/reduce.h"
#include "tessera/surface/bvh.h"
#include "tessera/surface/dynamic_mesh.h"
#include "tessera/surface/operators.h"
#include "tessera/surface/update.h"

namespace tessera::surface {
namespace {

using exec::Buffer;
using exec::View;

TESSERA_KERNEL double squared_length_of(const DynamicView& mesh, Index h) {
  return squared_length(mesh.positions[mesh.to(h)] - mesh.positions[mesh.from(h)]);
}

struct FaceCorners {
  Vec3d a;
  Vec3d b;
  Vec3d c;

  TESSERA_KERNEL Vec3d area() const { return cross(b - a, c - a); }  ///< doubled, as a vector
  /// 1 for an equilateral triangle, 0 for one without area.
  TESSERA_KERNEL double shape() const {
    const double sum = squared_length(b - a) + squared_length(c - b) + squared_length(a - c);
    return sum > 0 ? 2 * std::numbers::sqrt3 * length(area()) / sum : 0;
  }
  /// Whether it faces a direction, by 60 degrees.
  TESSERA_KERNEL bool faces(const Vec3d& direction) const {
    const Vec3d own = area();
    constexpr double least_cosine = 0.5;
    return dot(own, direction) >=
           least_cosine * std::sqrt(squared_length(own) * squared_length(direction));
  }
  /// Whether another triangle in its place is turned by at most 60 degrees, which cannot be said of
  /// a sliver, and no worse if it is badly shaped.
  TESSERA_KERNEL bool can_become(const FaceCorners& other) const {
    constexpr double good = 0.5;
    constexpr double sliver = 0.1;
    const double now = shape();
    const double then = other.shape();
    return then > 0 && (then >= good || then >= now) && (now < sliver || other.faces(area()));
  }
};

struct SplitLong {
  static constexpr Seed seed = Seed::edge;
  static constexpr Index new_faces = 2;
  static constexpr Index new_vertices = 1;
  double longest;
  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index h, Wish& wish) const {
    const double squared = squared_length_of(mesh, h) / (longest * longest);
    if (!(squared > 1) || !can_split(mesh, h)) return false;
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

struct CollapseShort {
  static constexpr Seed seed = Seed::edge;
  static constexpr Index new_faces = 0;
  static constexpr Index new_vertices = 0;
  double shortest;
  double longest;

  /// Whether the start of a half-edge can go to its end: no vertex leaves the surface then, and
  /// fewer edges become too long than with both in the middle.
  TESSERA_KERNEL bool can_go(const DynamicView& mesh, Index h) const {
    return fits(mesh, h, mesh.from(h), mesh.positions[mesh.to(h)]) && can_collapse(mesh, h);
  }
  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index h, Wish& wish) const {
    const double squared = squared_length_of(mesh, h) / (shortest * shortest);
    if (!(squared < 1)) return false;
    wish.priority = static_cast<std::uint16_t>(16384 * (1 - squared));
    return true;
  }
  TESSERA_KERNEL bool can(const DynamicView& mesh, Index h, Wish& wish) const {
    const bool goes_on = can_go(mesh, h);
    wish.choice = goes_on ? 0 : 1;
    return goes_on || (!mesh.is_border(h) && can_go(mesh, mesh.twins[h]));
  }
  /// Whether the faces of a vertex that stay can follow it, and no edge becomes too long.
  TESSERA_KERNEL bool fits(const DynamicView& mesh, Index h, Index v, const Vec3d& position) const {
    const Vec3d p = mesh.positions[v];
    bool fits = true;
    mesh.visit_star(v, [&](Index e) {
      const Vec3d a = mesh.positions[mesh.to(e)];
      const Vec3d b = mesh.positions[mesh.opposite(e)];
      fits = squared_length(a - position) < longest * longest &&
             squared_length(b - position) < longest * longest;
      if (fits && !goes_in_collapse(mesh, h, e / 3))
        fits = FaceCorners{p, a, b}.can_become({position, a, b});
      return fits;
    });
    return fits;
  }
  TESSERA_KERNEL void take(const DynamicView& mesh, Index h, Cavity& cavity) const {
    take_collapse(mesh, h, cavity);
  }
  TESSERA_KERNEL void fill(Index h, int choice, Filling& filling) const {
    const DynamicView& mesh = filling.mesh();
    const Index drawn = choice == 0 ? h : mesh.twins[h];
    fill_collapse(drawn, mesh.positions[mesh.to(drawn)], filling);
  }
};

/// Towards six edges at a vertex, four on the border, and away from thin triangles.
struct FlipEdges {
  static constexpr Seed seed = Seed::edge;
  static constexpr Index new_faces = 0;
  static constexpr Index new_vertices = 0;

  TESSERA_KERNEL static int excess(const DynamicView& mesh, Index v) {
    return static_cast<int>(mesh.valence(v)) - (mesh.is_on_border(v) ? 4 : 6);
  }
  TESSERA_KERNEL static double worst_shape(const FaceCorners& one, const FaceCorners& two) {
    return std::fmin(one.shape(), two.shape());
  }
  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index h, Wish& wish) const {
    if (mesh.is_border(h) || mesh.edges[h] != 0) return false;
    const Index v[4] = {mesh.from(h), mesh.to(h), mesh.opposite(h), mesh.opposite(mesh.twins[h])};
    const Vec3d a = mesh.positions[v[0]];
    const Vec3d b = mesh.positions[v[1]];
    const Vec3d c = mesh.positions[v[2]];
    const Vec3d d = mesh.positions[v[3]];
    const FaceCorners old_pair[2] = {{a, b, c}, {b, a, d}};
    const FaceCorners new_pair[2] = {{a, d, c}, {d, b, c}};
    const double before = worst_shape(old_pair[0], old_pair[1]);
    const double after = worst_shape(new_pair[0], new_pair[1]);
    constexpr double thin = 0.4;
    if (before < thin ? after <= before : after < thin) return false;
    int gain = 0;
    for (int i = 0; i < 4; ++i) {
      const int many = excess(mesh, v[i]);
      const int then = many + (i < 2 ? -1 : 1);
      gain += many * many - then * then;
    }
    if (gain <= 0 && before >= thin) return false;
    const Vec3d direction = old_pair[0].area() + old_pair[1].area();
    if (!new_pair[0].faces(direction) || !new_pair[1].faces(direction)) return false;
    const int urgency = before < thin ? 63 : gain;
    wish.priority = static_cast<std::uint16_t>(urgency < 63 ? 1024 * urgency : 65535);
    return true;
  }
  TESSERA_KERNEL void take(const DynamicView& mesh, Index h, Cavity& cavity) const {
    take_flip(mesh, h, cavity);
  }
  TESSERA_KERNEL bool can(const DynamicView& mesh, Index h, Wish&) const {
    return can_flip(mesh, h);
  }
  TESSERA_KERNEL void fill(Index h, int, Filling& filling) const { fill_flip(h, filling); }
};

/// Moves vertices to the middle of their faces, each as heavy as it is large, without leaving the
/// tangent plane; those on a crease or border along that.
struct Smooth {
  DynamicView mesh;
  View<Vec3d> moved;
  TESSERA_KERNEL void operator()(Index v) const {
    if (!mesh.is_vertex(v)) return;
    const Vec3d p = mesh.positions[v];
    moved[v] = p;
    if (mesh.is_fixed(v)) return;
    Vec3d normal{};
    Vec3d sum{};
    double weight = 0;
    Vec3d along{};
    Index on_line = 0;
    mesh.visit_star(v, [&](Index h) {
      const Vec3d a = mesh.positions[mesh.to(h)];
      const Vec3d b = mesh.positions[mesh.opposite(h)];
      const Vec3d area = cross(a - p, b - p);
      const double size = length(area);
      normal += area;
      sum += (a + b + p) * (size / 3);
      weight += size;
      return true;
    });
    mesh.visit_lines(v, [&](Index w) {
      along += mesh.positions[w];
      ++on_line;
    });
    if (on_line != 0) {
      if (on_line == 2) moved[v] = p * 0.5 + along * 0.25;
      return;
    }
    const double squared = squared_length(normal);
    if (!(squared > 0) || !(weight > 0)) return;
    const Vec3d step = sum * (1 / weight) - p;
    moved[v] = p + step - normal * (dot(step, normal) / squared);
  }
};

/// Where vertices are drawn back to the surface, those on a crease or border to that.
struct Project {
  DynamicView mesh;
  BvhView surface;
  BvhView lines;
  View<Vec3d> moved;
  TESSERA_KERNEL void operator()(Index v) const {
    if (!mesh.is_vertex(v)) return;
    moved[v] = mesh.positions[v];
    if (mesh.is_fixed(v)) return;
    bool is_on_line = false;
    mesh.visit_star(v, [&](Index h) {
      is_on_line = mesh.is_line(h);
      return !is_on_line;
    });
    const BvhView& target = is_on_line ? lines : surface;
    if (target.size() != 0) moved[v] = target.closest(mesh.positions[v]).point;
  }
};

/// Finds faces that must not become what the moves of their vertices make of them, and takes these
/// moves back.
struct TakeBack {
  DynamicView mesh;
  View<const Vec3d> moved;
  View<const Index> stays;  ///< for each vertex
  View<Index> next;         ///< the same, with those found
  View<Index> count;        ///< one number: whether there was one
  TESSERA_KERNEL void operator()(Index f) const {
    if (!mesh.is_face(f)) return;
    const Triangle t = mesh.triangles[f];
    Vec3d now[3];
    bool can_stay = false;
    for (int k = 0; k < 3; ++k) {
      const bool moves = stays[t[k]] == 0;
      can_stay = can_stay || moves;
      now[k] = moves ? moved[t[k]] : mesh.positions[t[k]];
    }
    const FaceCorners before{mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]};
    if (!can_stay || before.can_become({now[0], now[1], now[2]})) return;
    for (int k = 0; k < 3; ++k) exec::atomic_store(next[t[k]], Index{1});
    exec::atomic_store(count[0], Index{1});
  }
};

struct Move {
  DynamicView mesh;
  View<const Vec3d> moved;
  View<const Index> stays;
  TESSERA_KERNEL void operator()(Index v) const {
    if (mesh.is_vertex(v) && stays[v] == 0) mesh.positions[v] = moved[v];
  }
};

/// Creases and borders as triangles without area, for closest points.
struct IsLine {
  DynamicView mesh;
  TESSERA_KERNEL bool operator()(Index h) const { return mesh.is_edge(h) && mesh.is_line(h); }
};
struct WriteLine {
  DynamicView mesh;
  View<const Index> lines;
  View<Triangle> triangles;
  TESSERA_KERNEL void operator()(Index i) const {
    const Index h = lines[i];
    triangles[i] = {mesh.from(h), mesh.to(h), mesh.to(h)};
  }
};

struct EdgeLength {
  DynamicView mesh;
  TESSERA_KERNEL double operator()(Index h) const {
    return mesh.is_edge(h) ? std::sqrt(squared_length_of(mesh, h)) : 0;
  }
};
struct IsEdge {
  DynamicView mesh;
  TESSERA_KERNEL double operator()(Index h) const { return mesh.is_edge(h) ? 1 : 0; }
};

class Remesher {
 public:
  Remesher(const exec::Stream& stream, const TriangleSoup& input,
           const IsotropicRemeshOptions& options)
      : stream_(stream),
        options_(options),
        mesh_(stream, input),
        surface_(stream, input),
        lines_(mark_lines()) {
    report_.length = options.length > 0 ? options.length : mean_length();
  }

  IsotropicRemeshResult run() {
    Progress progress(options_.progress, "remeshing", options_.iterations);
    for (int i = 0; i < options_.iterations; ++i) {
      iterate();
      progress.advance(1);
    }
    return {mesh_.to_soup(), report_};
  }

 private:
  Bvh mark_lines() {
    mesh_.mark_creases(options_.ridge_angle);
    Buffer<Index> lines(stream_, mesh_.half_edge_places());
    const Index count =
        exec::compact(stream_, mesh_.half_edge_places(), IsLine{mesh_.view()}, lines.view());
    Buffer<Triangle> triangles(stream_, count);
    exec::for_each(stream_, count, WriteLine{mesh_.view(), lines.const_view(), triangles.view()});
    return {stream_, mesh_.view().positions, triangles.const_view()};
  }
  double mean_length() {
    const Index n = mesh_.half_edge_places();
    const double sum = exec::reduce(stream_, n, 0.0, EdgeLength{mesh_.view()}, exec::Plus{});
    const double count = exec::reduce(stream_, n, 0.0, IsEdge{mesh_.view()}, exec::Plus{});
    return count > 0 ? sum / count : 0;
  }
  template <class Op>
  std::uint64_t apply(const Op& op, int most_rounds) {
    UpdateOptions options;
    options.most_rounds = most_rounds;
    options.looks_again = false;  // the next iteration does
    const UpdateReport done = update(mesh_, op, options);
    report_.rounds += static_cast<std::uint64_t>(done.rounds);
    report_.lost += done.lost;
    return done.done;
  }
  void iterate() {
    const double longest = 4.0 / 3 * report_.length;
    const double shortest = 4.0 / 5 * report_.length;
    report_.splits += apply(SplitLong{longest}, 100);
    report_.collapses += apply(CollapseShort{shortest, longest}, 100);
    mesh_.pack();
    report_.flips += apply(FlipEdges{}, 20);
    for (int step = 0; step < options_.smoothing_steps; ++step)
      move([&](View<Vec3d> moved) { return Smooth{mesh_.view(), moved}; });
    move([&](View<Vec3d> moved) {
      return Project{mesh_.view(), surface_.view(), lines_.view(), moved};
    });
  }
  /// Moves vertices to where a kernel says, as far as faces allow.
  template <class Kernel>
  void move(const Kernel& kernel) {
    const Index n = mesh_.vertex_places();
    Buffer<Vec3d> moved(stream_, n);
    Buffer<Index> stays(stream_, n);
    Buffer<Index> next(stream_, n);
    Buffer<Index> count(stream_, 1);
    exec::for_each(stream_, n, kernel(moved.view()));
    exec::fill(stream_, next.view(), 0);
    do {
      exec::copy_on_device(stream_, stays.view(), next.const_view());
      exec::fill(stream_, count.view(), 0);
      exec::for_each(stream_, mesh_.face_places(),
                     TakeBack{mesh_.view(), moved.const_view(), stays.const_view(), next.view(),
                              count.view()});
    } while (exec::download_one(stream_, count, 0) != 0);
    exec::for_each(stream_, n, Move{mesh_.view(), moved.const_view(), stays.const_view()});
  }

  const exec::Stream& stream_;
  const IsotropicRemeshOptions& options_;
  DynamicMesh mesh_;
  Bvh surface_;
  Bvh lines_;
  IsotropicRemeshReport report_;
};

}  // namespace

IsotropicRemeshResult isotropic_remesh(const exec::Stream& stream, const TriangleSoup& mesh,
                                       const IsotropicRemeshOptions& options) {
  if (!(options.length >= 0) || !std::isfinite(options.length))
    throw InputError("the length of edges is not a positive number");
  if (options.iterations < 0 || options.smoothing_steps < 0)
    throw InputError("the number of iterations or smoothing steps is negative");
  if (!(options.ridge_angle >= 0 && options.ridge_angle <= 180))
    throw InputError("the angle of ridges is not between 0 and 180 degrees");
  return Remesher(stream, mesh, options).run();
}

}  // namespace tessera::surface
