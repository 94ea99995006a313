// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Brochu and Bridson, Robust topological operations for dynamic explicit surfaces, 2009; Bridson et
// al., Curl-noise for procedural fluid flow, 2007; Mahmoud's dissertation, section 5.4.4.
#include "tessera/surface/track.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tessera/core/error.h"
#include "tessera/core/random.h"
#include "tessera/surface/analysis.h"
#include "tessera/surface/shape_operations.h"
#include "tessera/surface/update.h"

namespace tessera::surface {
namespace {

/// Uniform on the unit sphere.
Vec3d direction(const Random& random, std::uint64_t counter) {
  const double z = 2 * random.uniform(counter) - 1;
  const double angle = 2 * std::numbers::pi * random.uniform(counter + 1);
  const double r = std::sqrt(std::max(0.0, 1 - z * z));
  return {r * std::cos(angle), r * std::sin(angle), z};
}

double positive_or(double value, double otherwise) {
  return value > 0 ? value : otherwise;
}

TrackOptions completed(TrackOptions options, const MeshInfo& mesh) {
  if (!std::isfinite(options.time_step)) throw InputError("the time step is not a number");
  if (!(options.scale >= 0) || !(options.speed >= 0) || !std::isfinite(options.scale) ||
      !std::isfinite(options.speed))
    throw InputError("the scale or speed of the flow is negative or not a number");
  const double diagonal = mesh.bounding_box ? 2 * length(mesh.bounding_box->half_extent()) : 0;
  options.scale = positive_or(options.scale, 0.5 * diagonal);
  options.speed = positive_or(options.speed, 0.01 * options.scale);
  return options;
}

template <class Op>
std::uint64_t apply(DynamicMesh& mesh, const Op& op) {
  UpdateOptions options;
  options.most_rounds = 30;
  options.looks_again = false;  // the next frame does
  return update(mesh, op, options).done;
}

void check(const ImproveOptions& options) {
  if (!(options.shortest >= 0) || !(options.longest >= 2 * options.shortest) ||
      !std::isfinite(options.longest))
    throw InputError("the longest edge is not at least twice as long as the shortest");
  if (!(options.fidelity >= 0) || !std::isfinite(options.fidelity))
    throw InputError("the fidelity is negative or not a number");
}

}  // namespace

CurlNoise::CurlNoise(std::uint64_t seed, double scale, double speed) {
  const Random random(seed);
  std::uint64_t counter = 0;
  // The mean square of a cosine is a half.
  const double each = speed * std::sqrt(2.0 / waves);
  for (Wave& wave : waves_) {
    const Vec3d across = direction(random, counter);
    const Vec3d any = direction(random, counter + 2);
    const Vec3d along = cross(across, any);
    const double wave_length = scale * std::exp2(2 * random.uniform(counter + 4) - 1);
    const double size = length(along);
    wave.number = wave_length > 0 ? across * (2 * std::numbers::pi / wave_length) : Vec3d{};
    wave.velocity = size > 0 ? along * (each / size) : Vec3d{};
    wave.phase = 2 * std::numbers::pi * random.uniform(counter + 5);
    wave.frequency = wave_length > 0 ? 2 * std::numbers::pi * speed / wave_length : 0;
    counter += 6;
  }
}

ImproveReport improve(DynamicMesh& mesh, const ImproveOptions& options) {
  check(options);
  ImproveReport report;
  report.splits = apply(mesh, SplitLong{options.longest});
  mesh.pack();
  report.collapses = apply(mesh, CollapseShort<>{options.shortest, options.longest});
  mesh.pack();
  report.flips = apply(mesh, FlipEdges<>{});
  move_vertices(mesh, [&](exec::View<Vec3d> moved) {
    return Smooth{mesh.view(), options.fidelity, moved};
  });
  return report;
}

SurfaceTracker::SurfaceTracker(const exec::Stream& stream, const TriangleSoup& mesh,
                               const TrackOptions& options)
    : mesh_(stream, mesh), flow_(0, 0, 0) {
  const MeshInfo info = analyze(stream, mesh);
  options_ = completed(options, info);
  improve_.shortest = options_.shortest * info.mean_edge_length;
  improve_.longest = options_.longest * info.mean_edge_length;
  check(improve_);
  flow_ = CurlNoise(options_.seed, options_.scale, options_.speed);
}

ImproveReport SurfaceTracker::advance() {
  advect(mesh_, flow_, frame_ * options_.time_step, options_.time_step);
  ++frame_;
  return improve(mesh_, improve_);
}

}  // namespace tessera::surface
