// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/shape_histograms.h"

#include <cmath>
#include <numbers>
#include <string>

#include "tessera/core/error.h"
#include "tessera/exec/atomic.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/team.h"
#include "tessera/surface/detail/edges.h"
#include "tessera/surface/detail/geometry.h"
#include "tessera/surface/detail/input.h"

namespace tessera::surface {
namespace {

using exec::Buffer;
using exec::View;
using namespace detail;

/// More would not fit the scratch memory of a team beside its other needs, nor a page.
constexpr int most_bins = 4096;

struct QualityOf {
  View<const Vec3d> positions;
  View<const Triangle> triangles;
  TESSERA_KERNEL double operator()(Index f) const {
    const Triangle t = triangles[f];
    return face_quality(t, positions[t[0]], positions[t[1]], positions[t[2]]);
  }
};

struct WriteQuality {
  QualityOf quality;
  View<float> values;
  TESSERA_KERNEL void operator()(Index f) const { values[f] = static_cast<float>(quality(f)); }
};

struct AngleOf {
  View<const Vec3d> positions;
  View<const Triangle> triangles;
  TESSERA_KERNEL double operator()(Index corner) const {
    const Vec3d p = positions[vertex_at(triangles, corner)];
    const Vec3d a = positions[vertex_at(triangles, next_corner(corner))] - p;
    const Vec3d b = positions[vertex_at(triangles, previous_corner(corner))] - p;
    return std::atan2(length(cross(a, b)), dot(a, b)) * (180 / std::numbers::pi);
  }
};

struct LengthOf {
  View<const Vec3d> positions;
  EdgeView edges;
  TESSERA_KERNEL double operator()(Index e) const {
    const VertexPair ends = edges.vertices[e];
    return length(positions[ends[1]] - positions[ends[0]]);
  }
};

/// How many values a team counts before it adds its counts to those of all.
constexpr Index values_per_team = 8192;

template <class Value>
struct CountValues {
  Value value;
  Index n;
  double scale;  ///< bins by unit of the value
  exec::ScratchSlot<Index> slot;
  View<std::uint64_t> counts;

  TESSERA_KERNEL void operator()(exec::Team& team) const {
    const View<Index> own = team.scratch(slot);
    const auto bins = static_cast<Index>(own.size());
    team.for_each(bins, [&](Index bin) { own[bin] = 0; });
    team.sync();
    const Index first = team.index() * values_per_team;
    const Index size = n - first < values_per_team ? n - first : values_per_team;
    team.for_each(size, [&](Index i) {
      const double place = value(first + i) * scale;
      // What is not a number, as of coordinates whose squares overflow, ends up in the last bin.
      const Index bin = place < bins - 1 ? static_cast<Index>(place) : bins - 1;
      team.atomic_add(own[bin], 1);
    });
    team.sync();
    team.for_each(bins, [&](Index bin) {
      if (own[bin] > 0) exec::atomic_add(counts[bin], std::uint64_t{own[bin]});
    });
  }
};

/// Counts value(0) .. value(n - 1), values from 0 to max.
template <class Value>
Histogram count_values(const exec::Stream& stream, Index n, const Value& value, double max,
                       int bins) {
  Buffer<std::uint64_t> counts(stream, static_cast<std::size_t>(bins));
  exec::fill(stream, counts.view(), 0);
  exec::Scratch scratch;
  const auto slot = scratch.add<Index>(counts.size());
  const std::uint64_t teams = (std::uint64_t{n} + values_per_team - 1) / values_per_team;
  exec::for_each_team(stream, teams, scratch,
                      CountValues<Value>{value, n, max > 0 ? bins / max : 0, slot, counts.view()});
  const Array<std::uint64_t> found = exec::download(stream, counts);
  return {0, max, {found.begin(), found.end()}};
}

}  // namespace

ShapeHistograms shape_histograms(const exec::Stream& stream, const TriangleSoup& mesh, int bins) {
  if (bins < 1 || bins > most_bins)
    throw InputError("a histogram of " + std::to_string(bins) + " bins: it must have 1 to " +
                     std::to_string(most_bins));
  require_valid(mesh);
  const Input<Vec3d> position_input(stream, mesh.positions);
  const Input<Triangle> triangle_input(stream, mesh.triangles);
  const View<const Vec3d> positions = position_input.view();
  const View<const Triangle> triangles = triangle_input.view();
  const auto faces = static_cast<Index>(triangles.size());

  ShapeHistograms result;
  result.quality = count_values(stream, faces, QualityOf{positions, triangles}, 1, bins);
  result.angle = count_values(stream, 3 * faces, AngleOf{positions, triangles}, 180, bins);
  const EdgeTable edges = build_edges(stream, triangles, positions.size());
  const LengthOf edge_length{positions, edges.view()};
  const double longest = exec::reduce(stream, edges.size(), 0.0, edge_length, exec::Maximum{});
  result.edge_length = count_values(stream, edges.size(), edge_length, longest, bins);
  return result;
}

Array<float> face_qualities(const exec::Stream& stream, const TriangleSoup& mesh) {
  require_valid(mesh);
  const Input<Vec3d> positions(stream, mesh.positions);
  const Input<Triangle> triangles(stream, mesh.triangles);
  Buffer<float> values(stream, mesh.triangles.size());
  exec::for_each(stream, static_cast<Index>(values.size()),
                 WriteQuality{{positions.view(), triangles.view()}, values.view()});
  return exec::download(stream, values);
}

}  // namespace tessera::surface
