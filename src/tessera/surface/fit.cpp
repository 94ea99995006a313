// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Gauss-Newton steps for the squared distances of samples from the surface (the vertex positions
// of Hoppe et al., Mesh optimization, 1993, without springs), each with a few Jacobi iterations.
#include "tessera/surface/fit.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "tessera/core/error.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/reduce.h"
#include "tessera/surface/detail/quadric.h"
#include "tessera/surface/flip_nearer.h"
#include "tessera/surface/shape_operations.h"
#include "tessera/surface/update.h"

namespace tessera::surface {
namespace {

using exec::Buffer;
using exec::View;

constexpr int samples_of_face = FaceSamples::count;
TESSERA_KERNEL inline std::size_t first_sample(Index face) {
  return std::size_t{samples_of_face} * face;
}

/// How far a sample is from the surface, and in which direction that grows.
struct Residual {
  Vec3f direction;
  float distance;
};

/// Finds the residuals.
struct LookAtSurface {
  DynamicView mesh;
  BvhView surface;
  View<const Triangle> known;  ///< faces that need no look if they are still the same; or empty
  View<Index> places;          ///< in the tree, where the sample was nearest to last
  View<Residual> residuals;
  TESSERA_KERNEL void operator()(std::size_t i) const {
    const auto f = static_cast<Index>(i / samples_of_face);
    if (!mesh.is_face(f)) return;
    const Triangle t = mesh.triangles[f];
    if (!known.empty() && known[f] == t) return;
    const Vec3d parts = FaceSamples::parts(static_cast<int>(i % samples_of_face));
    const Vec3d p = mesh.positions[t[0]] * parts[0] + mesh.positions[t[1]] * parts[1] +
                    mesh.positions[t[2]] * parts[2];
    const ClosestPoint closest = surface.closest_from(p, places[i]);
    places[i] = closest.place;
    if (closest.place == no_index) {
      residuals[i] = {Vec3f{}, 0};
      return;
    }
    Vec3d direction = p - closest.point;
    double distance = length(direction);
    // On the surface, but for rounding, it is the surface that says what is away from it.
    constexpr double none = 1e-7;
    if (!(distance > none * std::sqrt(length(mesh.area(f))))) {
      const detail::BvhTriangle& face = surface.local_triangle(closest.place);
      direction = cross(face.b - face.a, face.c - face.a);
      distance = 0;
    }
    const double size = length(direction);
    residuals[i] = {size > 0 ? cast<float>(direction * (1 / size)) : Vec3f{},
                    static_cast<float>(distance)};
  }
};

/// Squares of the distances, each as heavy as its face is large.
struct SquaredError {
  DynamicView mesh;
  View<const Residual> residuals;
  TESSERA_KERNEL double operator()(std::size_t i) const {
    const auto f = static_cast<Index>(i / samples_of_face);
    if (!mesh.is_face(f)) return 0;
    const double distance = static_cast<double>(residuals[i].distance);
    return distance * distance * length(mesh.area(f));
  }
};
struct FaceArea {
  DynamicView mesh;
  TESSERA_KERNEL double operator()(Index f) const {
    return mesh.is_face(f) ? length(mesh.area(f)) : 0;
  }
};

/// One iteration: where a vertex should go if its neighbours went where they would by the last one.
struct SolveVertex {
  DynamicView mesh;
  View<const Residual> residuals;
  View<const Vec3d> moves;
  View<Vec3d> next;
  TESSERA_KERNEL void operator()(Index v) const {
    next[v] = Vec3d{};
    if (!mesh.is_vertex(v) || mesh.is_fixed(v) || mesh.lines_at(v).count != 0) return;
    double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
    Vec3d slope{};
    double shortest = std::numeric_limits<double>::infinity();
    mesh.visit_star(v, [&](Index h) {
      const Index f = h / 3;
      const Triangle t = mesh.triangles[f];
      const double size = length(mesh.area(f));
      shortest = std::fmin(shortest, squared_length_of(mesh, h));
      for (int k = 0; k < samples_of_face; ++k) {
        const Residual residual = residuals[first_sample(f) + static_cast<std::size_t>(k)];
        const Vec3d parts = FaceSamples::parts(k);
        const Vec3d n = cast<double>(residual.direction);
        const Vec3d move = moves[t[0]] * parts[0] + moves[t[1]] * parts[1] + moves[t[2]] * parts[2];
        const double part = parts[static_cast<int>(h % 3)];
        const double distance = static_cast<double>(residual.distance) + dot(n, move);
        const double weight = size * part * part;
        xx += weight * n[0] * n[0];
        xy += weight * n[0] * n[1];
        xz += weight * n[0] * n[2];
        yy += weight * n[1] * n[1];
        yz += weight * n[1] * n[2];
        zz += weight * n[2] * n[2];
        slope += n * (size * part * distance);
      }
      return true;
    });
    // Along the surface nothing pulls: there a vertex stays.
    constexpr double stiffness = 0.01;
    const double pull = stiffness * (xx + yy + zz);
    // A vertex and its neighbours all go the same way: with steps in full they would go twice as
    // far as they should. This is best for the matrices of such systems, whose eigenvalues are 1/2
    // to 2.
    constexpr double relaxation = 0.8;
    Vec3d move = moves[v] - detail::solve_symmetric(xx + pull, xy, xz, yy + pull, yz, zz + pull,
                                                    slope * relaxation);
    constexpr double farthest = 0.25;
    const double most = farthest * farthest * shortest;
    const double squared = squared_length(move);
    if (squared > most) move *= std::sqrt(most / squared);
    if (std::isfinite(squared)) next[v] = move;
  }
};

/// Of points near a face.
struct DistanceFrom {
  BvhView surface;
  View<const Index> places;  ///< of samples: where to look for the surface
  TESSERA_KERNEL double squared_distance(const DynamicView&, Index h, const Vec3d& point) const {
    const double distance = surface.closest_from(point, places[first_sample(h / 3)]).distance;
    return distance * distance;
  }
};

/// No face turns over, not even a sliver, of which simplified meshes have many.
struct KeepSides : EuclideanMeasure {
  TESSERA_KERNEL bool may_face(const DynamicView& mesh, const Triangle& t,
                               const Vec3d& area) const {
    const Vec3d a = mesh.positions[t[0]];
    return dot(area, cross(mesh.positions[t[1]] - a, mesh.positions[t[2]] - a)) > 0;
  }
};

struct AddMoves {
  DynamicView mesh;
  View<Vec3d> moves;
  TESSERA_KERNEL void operator()(Index v) const { moves[v] += mesh.positions[v]; }
};

}  // namespace

FitReport fit(DynamicMesh& mesh, const Bvh& surface, const FitOptions& options) {
  if (options.steps < 0) throw InputError("the number of steps is negative");
  const exec::Stream& stream = mesh.stream();
  const Index vertices = mesh.vertex_places();
  const Index faces = mesh.face_places();
  const std::size_t samples = first_sample(faces);
  Buffer<Index> places(stream, samples);
  exec::fill(stream, places.view(), no_index);
  Buffer<Residual> residuals(stream, samples);
  Buffer<Triangle> known(stream, faces);
  Buffer<Vec3d> moves(stream, vertices);
  Buffer<Vec3d> next(stream, vertices);
  Buffer<Vec3d> last(stream, vertices);
  const auto look = [&](View<const Triangle> at_others_than) {
    exec::for_each(stream, samples,
                   LookAtSurface{mesh.view(), surface.view(), at_others_than, places.view(),
                                 residuals.view()});
  };
  const auto error = [&] {
    const double squares = exec::reduce(
        stream, samples, 0.0, SquaredError{mesh.view(), residuals.const_view()}, exec::Plus{});
    const double area = exec::reduce(stream, faces, 0.0, FaceArea{mesh.view()}, exec::Plus{});
    return area > 0 ? std::sqrt(squares / (samples_of_face * area)) : 0;
  };

  look({});
  FitReport report;
  report.before = report.after = error();
  for (int step = 0; step < options.steps; ++step) {
    const ProgressCallback part = part_of(options.progress, "fitting", step / (options.steps + 0.0),
                                          (step + 1) / (options.steps + 0.0));
    Progress progress(part, "fitting", 1);  // throws if cancelled
    if (step > 0) {
      constexpr double least_quality = 0.02;  // simplified meshes have long faces
      UpdateOptions once;
      once.most_rounds = 4;
      once.looks_again = false;
      once.progress = part;
      exec::copy_on_device(stream, known.view(), mesh.view().triangles.subview(0, faces));
      const FlipNearer<DistanceFrom> flips{
          {surface.view(), places.const_view()}, report.after / 2, least_quality};
      if (update(mesh, flips, once).done > 0) look(known.const_view());
    }
    exec::copy_on_device(stream, last.view(), mesh.view().positions.subview(0, vertices));
    const double unmoved = error();
    exec::fill(stream, moves.view(), Vec3d{});
    constexpr int iterations = 6;
    for (int i = 0; i < iterations; ++i) {
      exec::for_each(
          stream, vertices,
          SolveVertex{mesh.view(), residuals.const_view(), moves.const_view(), next.view()});
      moves.swap(next);
    }
    exec::for_each(stream, vertices, AddMoves{mesh.view(), moves.view()});
    move_vertices_to(mesh, moves.const_view(), KeepSides{});
    look({});
    report.after = error();
    if (report.after > unmoved) {  // too far, where the surface is full of folds
      exec::copy_on_device(stream, mesh.view().positions.subview(0, vertices), last.const_view());
      report.after = unmoved;
      break;
    }
    progress.advance(1);
  }
  return report;
}

}  // namespace tessera::surface
