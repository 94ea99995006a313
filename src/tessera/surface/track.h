// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Surfaces that a flow carries along: advect() moves them, improve() mends their triangles.
#pragma once

#include <cmath>
#include <cstdint>

#include "tessera/core/vec.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/kernel.h"
#include "tessera/surface/dynamic_mesh.h"

namespace tessera::surface {

/// A velocity without sources or sinks: the curl of a sum of waves in random directions, whose
/// lengths are between half and twice a scale.
class CurlNoise {
 public:
  /// Vertices move by about `speed` in a unit of time.
  CurlNoise(std::uint64_t seed, double scale, double speed);

  TESSERA_KERNEL Vec3d operator()(const Vec3d& p, double time) const {
    Vec3d sum{};
    for (const Wave& wave : waves_)
      sum += wave.velocity * std::cos(dot(wave.number, p) + wave.phase + wave.frequency * time);
    return sum;
  }

 private:
  struct Wave {
    Vec3d number;    ///< across its crests
    Vec3d velocity;  ///< along its crests
    double phase;
    double frequency;
  };
  static constexpr int waves = 8;
  Wave waves_[waves];
};

struct ImproveOptions {
  double shortest = 0;     ///< edges that are shorter are collapsed
  double longest = 0;      ///< edges that are longer are split; at least twice the shortest
  double fidelity = 2000;  ///< see IsotropicRemeshOptions
};

struct ImproveReport {
  std::uint64_t splits = 0;
  std::uint64_t collapses = 0;
  std::uint64_t flips = 0;

  ImproveReport& operator+=(const ImproveReport& other) {
    splits += other.splits;
    collapses += other.collapses;
    flips += other.flips;
    return *this;
  }
};

/// One pass over a surface that has moved, without knowing where it was: splits, collapses, flips
/// towards six edges at a vertex and away from thin triangles, and smoothing that keeps to the
/// surface and its ridges (after Brochu and Bridson 2009, without collisions). The topology is
/// kept. Throws InputError if an option is out of range.
ImproveReport improve(DynamicMesh& mesh, const ImproveOptions& options);

namespace detail {

/// The fourth-order method of Runge and Kutta.
template <class Velocity>
struct Advect {
  DynamicView mesh;
  Velocity velocity;
  double time;
  double step;
  TESSERA_KERNEL void operator()(Index v) const {
    if (!mesh.is_vertex(v)) return;
    const Vec3d p = mesh.positions[v];
    const double half = step / 2;
    const Vec3d a = velocity(p, time);
    const Vec3d b = velocity(p + a * half, time + half);
    const Vec3d c = velocity(p + b * half, time + half);
    const Vec3d d = velocity(p + c * step, time + step);
    mesh.positions[v] = p + (a + (b + c) * 2 + d) * (step / 6);
  }
};

}  // namespace detail

inline namespace TESSERA_EXEC_NAMESPACE {

/// Moves all vertices along velocity(position, time), a kernel, for a step of time.
template <class Velocity>
void advect(DynamicMesh& mesh, const Velocity& velocity, double time, double step) {
  exec::for_each(mesh.stream(), mesh.vertex_places(),
                 detail::Advect<Velocity>{mesh.view(), velocity, time, step});
}

}  // namespace TESSERA_EXEC_NAMESPACE

struct TrackOptions {
  double time_step = 1;
  std::uint64_t seed = 1;
  double scale = 0;  ///< of the flow; 0: half of the diagonal of the input
  double speed = 0;  ///< of the flow; 0: a hundredth of the scale in a unit of time
  /// Edges are kept between these parts of the mean length of the input's.
  double shortest = 0.6;
  double longest = 1.5;
};

/// A surface in a flow of curl noise, frame by frame.
class SurfaceTracker {
 public:
  /// Throws InputError if the mesh is not valid (TriangleSoup::validate) or an option is out of
  /// range.
  SurfaceTracker(const exec::Stream& stream, const TriangleSoup& mesh,
                 const TrackOptions& options = {});
  /// Moves and improves the surface once.
  ImproveReport advance();
  int frame() const { return frame_; }  ///< how many there were
  const DynamicMesh& mesh() const { return mesh_; }

 private:
  TrackOptions options_;
  DynamicMesh mesh_;
  ImproveOptions improve_;
  CurlNoise flow_;
  int frame_ = 0;
};

}  // namespace tessera::surface
