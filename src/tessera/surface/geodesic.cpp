// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Parallel Topological Propagation: Romero Calla, Fuentes Perez and Montenegro, "A minimalistic
// approach for fast computation of geodesic distances on triangular meshes", Computers & Graphics
// 84, 2019; as in section 4.5.2 of the dissertation of Mahmoud.
//
// Vertices are numbered anew by their level, the number of edges to a source, so that the band of
// levels at work in an iteration is one piece of every array. These numbers are *ranks*. Their
// order within a level differs from run to run; the distances do not, since a vertex takes the
// minimum over its faces, of values that the iteration before has left.
#include "tessera/surface/geodesic.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tessera/core/error.h"
#include "tessera/exec/atomic.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/host_loop.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/scan.h"
#include "tessera/surface/detail/level_sets.h"
#include "tessera/surface/detail/vertex_faces.h"
#include "tessera/surface/detail/wavefront.h"
#include "tessera/surface/query.h"

namespace tessera::surface {
namespace {

using detail::LevelSets;
using exec::Buffer;
using exec::View;

constexpr float infinity = std::numeric_limits<float>::infinity();

// The mesh by ranks.

/// The side of a face that is opposite to one of its vertices: ranks of the two others.
struct Side {
  Index a;
  Index b;
};

struct StoreRank {
  View<const Vertex> order;
  View<Index> rank;
  TESSERA_KERNEL void operator()(Index r) const { rank[order[r].index] = r; }
};

struct CountFaces {
  View<const Index> rank;
  View<Index> counts;
  TESSERA_KERNEL void operator()(Vertex v, const Ring<Face>& faces) const {
    if (rank[v.index] != no_index) counts[rank[v.index]] = faces.size();
  }
};

struct StoreSides {
  View<const Index> rank;
  View<const Index> offsets;
  AttributeView<Face, const Triangle> corners;
  View<Side> sides;
  TESSERA_KERNEL void operator()(Vertex v, const Ring<Face>& faces) const {
    if (rank[v.index] == no_index) return;
    Index at = offsets[rank[v.index]];
    for (const Face f : faces) {
      const Triangle t = corners[f];
      const int k = t[0] == v.index ? 0 : (t[1] == v.index ? 1 : 2);
      sides[at++] = {rank[t[(k + 1) % 3]], rank[t[(k + 2) % 3]]};
    }
  }
};

/// Places and levels from the order of the mesh to that of the ranks.
struct Gather {
  View<const Vertex> order;
  View<const Vec3f> positions;
  View<const Index> levels;
  View<Vec3f> places;
  View<Index> level;
  float scale;
  TESSERA_KERNEL void operator()(Index r) const {
    places[r] = positions[order[r].index] * scale;
    level[r] = levels[order[r].index];
  }
};

struct LargestCoordinate {
  View<const Vertex> order;
  View<const Vec3f> positions;
  TESSERA_KERNEL float operator()(Index r) const {
    const Vec3f& p = positions[order[r].index];
    return std::fmax(std::fmax(std::fabs(p[0]), std::fabs(p[1])), std::fabs(p[2]));
  }
};

/// Everything that an update reads but does not change.
struct RankedMesh {
  Buffer<Index> offsets;  ///< of the sides of each vertex, and the end
  Buffer<Side> sides;
  Buffer<Vec3f> places;
  Buffer<Index> level;
  /// Places are multiplied by this power of two, so that squares of areas stay within a float
  /// whatever the units are.
  float scale = 1;
};

float power_of_two_near(float size) {
  if (!(size > 0) || !std::isfinite(size)) return 1;
  return std::ldexp(1.0F, std::clamp(std::ilogb(size), -120, 120));
}

RankedMesh rank_mesh(const PatchedMesh& mesh, const VertexAttribute<Vec3f>& positions,
                     const VertexAttribute<Index>& level, const LevelSets& sets) {
  const exec::Stream& stream = mesh.stream();
  const Index reached = sets.reached();
  const View<const Vertex> order = sets.order.view();
  const FaceAttribute<Triangle> corners = detail::face_corners(mesh);
  Buffer<Index> rank(stream, mesh.vertices());
  exec::fill(stream, rank.view(), no_index);
  exec::for_each(stream, reached, StoreRank{order, rank.view()});

  RankedMesh ranked;
  ranked.offsets = Buffer<Index>(stream, std::size_t{reached} + 1);
  exec::fill(stream, ranked.offsets.view().subview(reached, 1), 0);
  for_each<Op::vf>(mesh, CountFaces{rank.const_view(), ranked.offsets.view()});
  exec::exclusive_scan(stream, ranked.offsets.view(), ranked.offsets.view());
  ranked.sides = Buffer<Side>(stream, exec::download_one(stream, ranked.offsets, reached));
  for_each<Op::vf>(mesh, StoreSides{rank.const_view(), ranked.offsets.const_view(), corners.view(),
                                    ranked.sides.view()});

  const View<const Vec3f> from = positions.view().values();
  ranked.scale = 1 / power_of_two_near(exec::reduce(
                         stream, reached, 0.0F, LargestCoordinate{order, from}, exec::Maximum{}));
  ranked.places = Buffer<Vec3f>(stream, reached);
  ranked.level = Buffer<Index>(stream, reached);
  exec::for_each(stream, reached,
                 Gather{order, from, level.view().values(), ranked.places.view(),
                        ranked.level.view(), ranked.scale});
  return ranked;
}

// Distances.

/// The band of levels at work.
struct Band {
  Index left;     ///< from here to `first`: levels that the iteration before has settled
  Index first;    ///< the first level that has not settled; the number of levels at the end
  Index last;     ///< the last level that the front has come to
  Index round;    ///< number of the iteration, from 1
  bool checking;  ///< all levels are in the band, to see whether all is settled
};

struct Relax {
  View<const Index> offsets;
  View<const Side> sides;
  View<const Vec3f> places;
  View<const Index> level;
  View<const float> before;
  View<float> after;
  View<const Band> band;
  View<Index> changed_in;  ///< for each level the last round that changed it
  Index first_rank;
  float tolerance;

  TESSERA_KERNEL void operator()(Index i) const {
    const Band now = band[0];
    const Index r = first_rank + i;
    const Index own = level[r];
    if (own < now.left || own > now.last) return;
    const float old = before[r];
    if (own < now.first) {  // so that both buffers have what the level settled on
      after[r] = old;
      return;
    }
    const Vec3f place = places[r];
    float distance = old;
    for (Index at = offsets[r]; at < offsets[r + 1]; ++at) {
      const Side side = sides[at];
      const float arrival = detail::arrival_through_side(places[side.a] - place, before[side.a],
                                                         places[side.b] - place, before[side.b]);
      if (arrival < distance) distance = arrival;
    }
    after[r] = distance;
    if (old - distance > tolerance * distance && exec::atomic_load(changed_in[own]) != now.round)
      exec::atomic_store(changed_in[own], now.round);
  }
};

struct AdvanceBand {
  View<Band> band;
  View<const Index> changed_in;
  Index levels;
  TESSERA_KERNEL void operator()(Index /*one*/) const {
    Band& now = band[0];
    now.left = now.first;
    if (now.first == levels) return;
    while (now.first <= now.last && changed_in[now.first] != now.round) ++now.first;
    ++now.round;
    if (now.last + 1 < levels) ++now.last;
    if (now.first < levels) {
      now.checking = false;
    } else if (!now.checking) {
      // A level may settle before a detour of more but shorter edges comes back to it.
      now = {1, 1, levels - 1, now.round, true};
    }
  }
};

struct SetStart {
  View<const Index> level;
  View<float> distance;
  TESSERA_KERNEL void operator()(Index r) const { distance[r] = level[r] == 0 ? 0 : infinity; }
};

struct Propagation {
  Buffer<float> distance;  ///< by rank, in the units of the ranked mesh
  Index iterations = 0;
  bool settled = false;
};

Propagation propagate(const exec::Stream& stream, const RankedMesh& mesh, const LevelSets& sets,
                      const GeodesicOptions& options) {
  const Index levels = sets.levels();
  Propagation result;
  result.distance = Buffer<float>(stream, sets.reached());
  Buffer<float> after(stream, sets.reached());
  for (Buffer<float>* distance : {&result.distance, &after})
    exec::for_each(stream, sets.reached(), SetStart{mesh.level.const_view(), distance->view()});
  Buffer<Index> changed_in(stream, levels);
  exec::fill(stream, changed_in.view(), 0);
  Buffer<Band> band(stream, 1);
  Band now{1, 1, std::min<Index>(1, levels - 1), 1, false};
  exec::fill(stream, band.view(), now);

  Progress progress(options.progress, "distances", levels);
  Index most_settled = 1;
  while (now.first < levels && result.iterations < options.max_iterations) {
    const Index rounds =
        std::min(detail::rounds_per_check(stream), options.max_iterations - result.iterations);
    // In these rounds the band does not leave this range, unless it becomes that of all levels.
    const bool all = rounds > 1 && now.last + rounds >= levels;
    const Index begin = sets.level_begin[all ? 1 : now.left];
    const Index end = sets.level_begin[std::min<Index>(now.last + rounds, levels)];
    for (Index round = 0; round < rounds; ++round) {
      exec::for_each(
          stream, end - begin,
          Relax{mesh.offsets.const_view(), mesh.sides.const_view(), mesh.places.const_view(),
                mesh.level.const_view(), result.distance.const_view(), after.view(),
                band.const_view(), changed_in.view(), begin, options.tolerance});
      exec::for_each(stream, Index{1}, AdvanceBand{band.view(), changed_in.const_view(), levels});
      result.distance.swap(after);
    }
    now = exec::download_one(stream, band, 0);
    result.iterations = now.round - 1;
    if (now.first > most_settled) progress.advance(now.first - most_settled);
    most_settled = std::max(most_settled, now.first);
  }
  result.settled = now.first == levels;
  return result;
}

struct ScatterScaled {
  View<const Vertex> order;
  View<const float> from;
  View<float> to;
  float scale;
  TESSERA_KERNEL void operator()(Index r) const { to[order[r].index] = from[r] * scale; }
};

struct FinitePlace {
  View<const float> distance;
  TESSERA_KERNEL Place<Vertex, float> operator()(Index v) const {
    return {distance[v] < infinity ? distance[v] : -1.0F, {v}};
  }
};

/// Handles for numbers in the input, each once.
std::vector<Vertex> handles_of(const PatchedMesh& mesh, std::span<const Index> sources) {
  if (sources.empty()) throw InputError("distances need at least one source vertex");
  std::vector<Index> wanted(sources.begin(), sources.end());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  if (wanted.back() >= mesh.vertices())
    throw InputError("there is no source vertex " + std::to_string(wanted.back()) +
                     ": the mesh has vertices 0 to " + std::to_string(mesh.vertices() - 1));
  std::vector<Vertex> handles(wanted.size());
  const Array<Index>& input = mesh.input_vertices();
  exec::host_for_ranges(
      mesh.stream(), input.size(), 16384, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) {
          const auto place = std::lower_bound(wanted.begin(), wanted.end(), input[v]);
          if (place != wanted.end() && *place == input[v])
            handles[static_cast<std::size_t>(place - wanted.begin())] = {static_cast<Index>(v)};
        }
      });
  return handles;
}

}  // namespace

GeodesicResult geodesic_distance(const PatchedMesh& mesh, const VertexAttribute<Vec3f>& positions,
                                 std::span<const Index> sources, const GeodesicOptions& options) {
  detail::require_values(mesh, positions);
  if (!(options.tolerance >= 0)) throw InputError("the tolerance of distances is below 0");
  const std::vector<Vertex> from = handles_of(mesh, sources);

  const exec::Stream& stream = mesh.stream();
  GeodesicResult result{.distance = {mesh, "distance"}, .level = {mesh, "level"}};
  const LevelSets sets = detail::find_levels(mesh, from, result.level, options.progress);
  const RankedMesh ranked = rank_mesh(mesh, positions, result.level, sets);
  const Propagation found = propagate(stream, ranked, sets, options);

  fill(mesh, result.distance, infinity);
  exec::for_each(stream, sets.reached(),
                 ScatterScaled{sets.order.const_view(), found.distance.const_view(),
                               result.distance.view().values(), 1 / ranked.scale});
  result.reached = sets.reached();
  result.levels = sets.levels();
  result.iterations = found.iterations;
  result.settled = found.settled;
  const auto farthest =
      exec::reduce(stream, mesh.vertices(), Place<Vertex, float>{},
                   FinitePlace{result.distance.const_view().values()}, detail::BetterPlace<true>{});
  result.max_distance = farthest.value;
  result.farthest_vertex = mesh.input_vertices()[farthest.element.index];
  return result;
}

}  // namespace tessera::surface
