// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Botsch and Kobbelt, A remeshing approach to multiresolution modeling, 2004; Mahmoud's
// dissertation, section 5.4.3.
#include "tessera/surface/isotropic_remesh.h"

#include <cmath>
#include <numbers>

#include "tessera/core/error.h"
#include "tessera/exec/atomic.h"
#include "tessera/exec/compact.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/reduce.h"
#include "tessera/surface/bvh.h"
#include "tessera/surface/detail/quadric.h"
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

/// Where a triangle faces, and its shape.
struct FaceShape {
  Vec3d area;      ///< doubled, as a vector
  double squared;  ///< of 1 for an equilateral triangle, 0 for one without area

  TESSERA_KERNEL static FaceShape of(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const Vec3d area = cross(b - a, c - a);
    const double sum = squared_length(b - a) + squared_length(c - b) + squared_length(a - c);
    return {area, sum > 0 ? 12 * squared_length(area) / (sum * sum) : 0};
  }
  /// Whether it faces a direction, by 60 degrees.
  TESSERA_KERNEL bool faces(const Vec3d& direction) const {
    constexpr double least_cosine = 0.5;
    const double product = dot(area, direction);
    return product >= 0 && product * product >= least_cosine * least_cosine * squared_length(area) *
                                                    squared_length(direction);
  }
  /// Whether another triangle in its place is turned by at most 60 degrees, which cannot be said of
  /// a sliver, and no worse if it is badly shaped.
  TESSERA_KERNEL bool can_become(const FaceShape& other) const {
    constexpr double good = 0.5 * 0.5;
    constexpr double sliver = 0.1 * 0.1;
    return other.squared > 0 && (other.squared >= good || other.squared >= squared) &&
           (squared < sliver || other.faces(area));
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
  /// Whether the faces of a vertex that stay can follow it, and no edge becomes too long. Faces at
  /// an edge that is far too short are themselves so small that it does not matter where they face.
  TESSERA_KERNEL bool fits(const DynamicView& mesh, Index h, Index v, const Vec3d& position) const {
    const Vec3d p = mesh.positions[v];
    const bool is_tiny = squared_length(position - p) < 0.36 * shortest * shortest;
    constexpr double bearable = 0.2 * 0.2;
    const double most = (is_tiny ? 1.5 : 1.0) * longest * longest;
    bool fits = true;
    mesh.visit_star(v, [&](Index e) {
      const Vec3d a = mesh.positions[mesh.to(e)];
      const Vec3d b = mesh.positions[mesh.opposite(e)];
      fits = squared_length(a - position) < most && squared_length(b - position) < most;
      if (fits && !goes_in_collapse(mesh, h, e / 3)) {
        const FaceShape before = FaceShape::of(p, a, b);
        const FaceShape after = FaceShape::of(position, a, b);
        fits = before.can_become(after) ||
               (is_tiny && after.squared > bearable && dot(before.area, after.area) > 0);
      }
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
  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index h, Wish& wish) const {
    if (mesh.is_border(h) || mesh.edges[h] != 0) return false;
    const Index v[4] = {mesh.from(h), mesh.to(h), mesh.opposite(h), mesh.opposite(mesh.twins[h])};
    const Vec3d a = mesh.positions[v[0]];
    const Vec3d b = mesh.positions[v[1]];
    const Vec3d c = mesh.positions[v[2]];
    const Vec3d d = mesh.positions[v[3]];
    const FaceShape old_pair[2] = {FaceShape::of(a, b, c), FaceShape::of(b, a, d)};
    const FaceShape new_pair[2] = {FaceShape::of(a, d, c), FaceShape::of(d, b, c)};
    const double before = std::fmin(old_pair[0].squared, old_pair[1].squared);
    const double after = std::fmin(new_pair[0].squared, new_pair[1].squared);
    constexpr double thin = 0.4 * 0.4;
    if (before < thin ? after <= before : after < thin) return false;
    int gain = 0;
    for (int i = 0; i < 4; ++i) {
      const int many = excess(mesh, v[i]);
      const int then = many + (i < 2 ? -1 : 1);
      gain += many * many - then * then;
    }
    if (gain <= 0 && before >= thin) return false;
    const Vec3d direction = old_pair[0].area + old_pair[1].area;
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

/// Moves vertices to the middle of their faces, each as heavy as it is large, but little in
/// directions in which they would leave these faces: out of the surface hardly at all, across a
/// ridge the less the sharper it is. Those on a crease or border move along that.
struct Smooth {
  DynamicView mesh;
  double fidelity;
  View<Vec3d> moved;
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
    Vec3d along{};
    Index on_line = 0;
    mesh.visit_lines(v, [&](Index w) {
      along += mesh.positions[w];
      ++on_line;
    });
    if (on_line != 0) {
      if (on_line == 2) moved[v] = p * 0.5 + along * 0.25;
      return;
    }
    if (!(weight > 0)) return;
    // A thin triangle is worse than a ridge that is not where it was.
    constexpr double thin = 0.5 * 0.5;
    constexpr double in_surface = 20;
    const double stiffness = (worst < thin ? in_surface : fidelity + in_surface) / weight;
    moved[v] = p + detail::solve_symmetric(1 + stiffness * xx, stiffness * xy, stiffness * xz,
                                           1 + stiffness * yy, stiffness * yz, 1 + stiffness * zz,
                                           sum * (1 / weight) - p);
  }
};

/// Where vertices are drawn back to the surface, those on a crease or border to that.
struct Project {
  DynamicView mesh;
  BvhView surface;
  BvhView lines;
  View<Index> places;  ///< of the triangles that were nearest before; no_index: unknown
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
    if (is_on_line) {
      if (lines.size() != 0) moved[v] = lines.closest(mesh.positions[v]).point;
      return;
    }
    const ClosestPoint found = surface.closest_from(mesh.positions[v], places[v]);
    moved[v] = found.point;
    places[v] = found.place;
  }
};

/// Finds faces that must not become what the moves of their vertices make of them, and takes these
/// moves back. That may bring others in trouble, which the next pass finds.
struct TakeBack {
  DynamicView mesh;
  View<const Vec3d> moved;
  Index pass;           ///< 1 and so on
  View<Index> taken;    ///< for each vertex the pass that took its move back; 0: none did
  View<Index> is_done;  ///< one number: 0 if this pass took one back
  TESSERA_KERNEL void operator()(Index f) const {
    if (!mesh.is_face(f)) return;
    const Triangle t = mesh.triangles[f];
    Vec3d now[3];
    bool can_stay = false;
    bool has_changed = pass == 1;
    for (int k = 0; k < 3; ++k) {
      // What this pass takes back counts in the next: the order of faces must not matter.
      const Index when = exec::atomic_load(taken[t[k]]);
      const bool moves = when == 0 || when == pass;
      can_stay = can_stay || moves;
      has_changed = has_changed || when + 1 == pass;
      now[k] = moves ? moved[t[k]] : mesh.positions[t[k]];
    }
    if (!can_stay || !has_changed) return;
    const FaceShape before =
        FaceShape::of(mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]);
    if (before.can_become(FaceShape::of(now[0], now[1], now[2]))) return;
    for (int k = 0; k < 3; ++k)
      if (exec::atomic_load(taken[t[k]]) == 0) exec::atomic_store(taken[t[k]], pass);
    exec::atomic_store(is_done[0], Index{0});
  }
};

struct Move {
  DynamicView mesh;
  View<const Vec3d> moved;
  View<const Index> taken;
  TESSERA_KERNEL void operator()(Index v) const {
    if (mesh.is_vertex(v) && taken[v] == 0) mesh.positions[v] = moved[v];
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
    // An edge that is split leaves none that is to be collapsed.
    const double longest = std::numbers::sqrt2 * report_.length;
    const double shortest = report_.length / std::numbers::sqrt2;
    report_.splits += apply(SplitLong{longest}, 100);
    pack();
    report_.collapses += apply(CollapseShort{shortest, longest}, 100);
    pack();
    for (int step = 0; step < options_.smoothing_steps; ++step) {
      if (step < 2) report_.flips += apply(FlipEdges{}, 20);
      move([&](View<Vec3d> moved) { return Smooth{mesh_.view(), options_.fidelity, moved}; });
    }
    report_.flips += apply(FlipEdges{}, 20);
    move([&](View<Vec3d> moved) {
      return Project{mesh_.view(), surface_.view(), lines_.view(), places_.view(), moved};
    });
  }
  /// New vertices do not know what is nearest to them.
  void pack() {
    Buffer<Index> places(stream_, mesh_.vertex_places());
    exec::fill(stream_, places.view(), no_index);
    exec::copy_on_device(stream_, places.view().subview(0, places_.size()), places_.const_view());
    const Buffer<Index> before = mesh_.pack();
    if (before.empty()) {
      places.shrink(mesh_.vertex_places());
      places_.swap(places);
      return;
    }
    places_ = Buffer<Index>(stream_, before.size());
    exec::gather_values(stream_, places.const_view(), before.const_view(), places_.view());
  }
  /// Moves vertices to where a kernel says, as far as faces allow.
  template <class Kernel>
  void move(const Kernel& kernel) {
    const Index n = mesh_.vertex_places();
    Buffer<Vec3d> moved(stream_, n);
    Buffer<Index> taken(stream_, n);
    Buffer<Index> is_done(stream_, 1);
    exec::for_each(stream_, n, kernel(moved.view()));
    exec::fill(stream_, taken.view(), 0);
    Index pass = 0;
    do {
      exec::fill(stream_, is_done.view(), 1);
      exec::for_each(
          stream_, mesh_.face_places(),
          TakeBack{mesh_.view(), moved.const_view(), ++pass, taken.view(), is_done.view()});
    } while (exec::download_one(stream_, is_done, 0) == 0);
    exec::for_each(stream_, n, Move{mesh_.view(), moved.const_view(), taken.const_view()});
  }

  const exec::Stream& stream_;
  const IsotropicRemeshOptions& options_;
  DynamicMesh mesh_;
  Bvh surface_;
  Bvh lines_;
  Buffer<Index> places_;  ///< in the tree of the surface, for each vertex
  IsotropicRemeshReport report_;
};

}  // namespace

IsotropicRemeshResult isotropic_remesh(const exec::Stream& stream, const TriangleSoup& mesh,
                                       const IsotropicRemeshOptions& options) {
  if (!(options.length >= 0) || !std::isfinite(options.length))
    throw InputError("the length of edges is not a positive number");
  if (options.iterations < 0 || options.smoothing_steps < 0)
    throw InputError("the number of iterations or smoothing steps is negative");
  if (!(options.fidelity >= 0) || !std::isfinite(options.fidelity))
    throw InputError("the fidelity is negative or not a number");
  if (!(options.ridge_angle >= 0 && options.ridge_angle <= 180))
    throw InputError("the angle of ridges is not between 0 and 180 degrees");
  return Remesher(stream, mesh, options).run();
}

}  // namespace tessera::surface
