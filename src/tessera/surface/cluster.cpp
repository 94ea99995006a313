// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Vertex clustering after Rossignac and Borrel (Multi-resolution 3D approximations for rendering
// complex scenes, 1993), with the mean of the vertices as representative.
#include "tessera/surface/cluster.h"

#include <algorithm>
#include <cmath>

#include "tessera/core/error.h"
#include "tessera/exec/atomic.h"
#include "tessera/exec/compact.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/sort.h"
#include "tessera/surface/detail/geometry.h"
#include "tessera/surface/detail/input.h"
#include "tessera/surface/face_box.h"

namespace tessera::surface {
namespace {

using exec::Buffer;
using exec::View;

struct AreaOfFace {
  View<const Vec3d> positions;
  View<const Triangle> triangles;
  TESSERA_KERNEL double operator()(Index f) const {
    return detail::face_area(triangles[f], positions);
  }
};

/// The cube that a place is in, as one number.
struct Cubes {
  static constexpr int axis_bits = 21;

  Vec3d origin;
  double per_unit;  ///< of length

  TESSERA_KERNEL std::uint64_t operator()(const Vec3d& p) const {
    std::uint64_t key = 0;
    constexpr double most = (1 << axis_bits) - 1;
    for (int i = 0; i < 3; ++i) {
      const double cell = (p[i] - origin[i]) * per_unit;
      key =
          (key << axis_bits) | static_cast<std::uint64_t>(cell > 0 ? cell < most ? cell : most : 0);
    }
    return key;
  }
};

struct KeepsCorners {
  View<const Vec3d> positions;
  View<const Triangle> triangles;
  Cubes cubes;
  TESSERA_KERNEL Index operator()(Index f) const {
    const Triangle t = triangles[f];
    const std::uint64_t a = cubes(positions[t[0]]);
    const std::uint64_t b = cubes(positions[t[1]]);
    const std::uint64_t c = cubes(positions[t[2]]);
    return a != b && b != c && c != a ? 1 : 0;
  }
};

struct MarkCorners {
  View<const Triangle> triangles;
  View<std::uint32_t> used;
  TESSERA_KERNEL void operator()(Index f) const {
    for (const Index v : triangles[f].v) exec::atomic_store(used[v], 1U);
  }
};

struct IsUsed {
  View<const std::uint32_t> used;
  TESSERA_KERNEL Index operator()(Index v) const { return used[v]; }
};

/// Vertices that no face has come last: they may be anywhere, and would move those of faces.
struct WriteKeys {
  View<const Vec3d> positions;
  View<const std::uint32_t> used;
  Cubes cubes;
  View<std::uint64_t> keys;
  TESSERA_KERNEL void operator()(Index v) const {
    keys[v] = used[v] != 0 ? cubes(positions[v]) : std::uint64_t{1} << (3 * Cubes::axis_bits);
  }
};

/// What becomes of the vertices in one cube.
struct WriteClusters {
  View<const Vec3d> positions;
  View<const Index> order;   ///< vertices, cube after cube
  View<const Index> starts;  ///< of the cubes' vertices
  View<Vec3d> middles;
  View<Index> cluster_of;
  View<Index> first;  ///< vertex of the cube
  TESSERA_KERNEL void operator()(Index c) const {
    const Index begin = starts[c];
    const auto end = c + 1 < starts.size() ? starts[c + 1] : static_cast<Index>(order.size());
    Vec3d sum{};
    for (Index i = begin; i < end; ++i) {
      sum += positions[order[i]] - positions[order[begin]];
      cluster_of[order[i]] = c;
    }
    middles[c] = positions[order[begin]] + sum * (1.0 / (end - begin));
    first[c] = order[begin];
  }
};

struct WriteFaces {
  View<const Triangle> triangles;
  View<const Index> chosen;
  View<const Index> cluster_of;
  View<Triangle> out;
  TESSERA_KERNEL void operator()(Index i) const {
    const Triangle t = triangles[chosen[i]];
    out[i] = {cluster_of[t[0]], cluster_of[t[1]], cluster_of[t[2]]};
  }
};

/// Cubes that leave no more than so many faces, and at least half as many where there are cubes
/// that do.
Cubes find_cubes(const exec::Stream& stream, View<const Vec3d> positions,
                 View<const Triangle> triangles, std::uint64_t max_faces) {
  const auto faces = static_cast<Index>(triangles.size());
  const Box box = box_of_faces(stream, positions, triangles);
  const Vec3d half = box.half_extent();
  const double size = 2 * std::max({half[0], half[1], half[2]});
  if (!(size > 0)) return {box.min, 0};
  double small = size / (1 << Cubes::axis_bits);
  if (faces <= max_faces) return {box.min, 1 / small};
  double large = 2 * size;  // one cube: no face is left
  const double area =
      exec::reduce(stream, faces, 0.0, AreaOfFace{positions, triangles}, exec::Plus{});
  // A smooth surface passes through about 1.5 cubes for each area of a cube's side, and there are
  // two faces for each vertex. Where faces are of very different size that is only a start.
  double cube = std::sqrt(3 * area / static_cast<double>(max_faces));
  constexpr int guesses = 4;  // then by bisection, which needs more of them but always ends
  for (int step = 0; large > 1.02 * small; ++step) {
    if (step >= guesses || !(cube > small && cube < large)) cube = small * std::sqrt(large / small);
    const Index left =
        exec::reduce(stream, faces, Index{0},
                     KeepsCorners{positions, triangles, {box.min, 1 / cube}}, exec::Plus{});
    (left > max_faces ? small : large) = cube;
    if (left <= max_faces && left >= max_faces / 2) break;
    cube *= std::sqrt(left / (0.8 * static_cast<double>(max_faces)));
  }
  return {box.min, 1 / large};
}

}  // namespace

TriangleSoup cluster_vertices(const exec::Stream& stream, const TriangleSoup& mesh,
                              std::uint64_t max_faces) {
  detail::require_valid(mesh);
  if (max_faces < 1) throw InputError("a coarser mesh of no faces");
  TriangleSoup result;
  result.precision = mesh.precision;
  const auto vertices = static_cast<Index>(mesh.positions.size());
  const auto faces = static_cast<Index>(mesh.triangles.size());
  if (faces == 0) return result;
  const detail::Input position_input(stream, mesh.positions);
  const detail::Input triangle_input(stream, mesh.triangles);
  const View<const Vec3d> positions = position_input.view();
  const View<const Triangle> triangles = triangle_input.view();
  const Cubes cubes = find_cubes(stream, positions, triangles, max_faces);

  Buffer<std::uint32_t> used(stream, vertices);
  exec::fill(stream, used.view(), 0U);
  exec::for_each(stream, faces, MarkCorners{triangles, used.view()});
  const Index corners =
      exec::reduce(stream, vertices, Index{0}, IsUsed{used.const_view()}, exec::Plus{});
  Buffer<std::uint64_t> keys(stream, vertices);
  exec::for_each(stream, vertices, WriteKeys{positions, used.const_view(), cubes, keys.view()});
  Buffer<Index> order = exec::all_indices(stream, vertices);
  exec::sort_pairs(stream, keys, order, 3 * Cubes::axis_bits + 1);
  Buffer<Index> starts(stream, corners);
  const Index clusters = exec::compact(
      stream, corners, exec::StartsRun<std::uint64_t>{keys.const_view()}, starts.view());
  Buffer<Vec3d> middles(stream, clusters);
  Buffer<Index> cluster_of(stream, vertices);
  Buffer<Index> first(stream, clusters);
  exec::for_each(stream, clusters,
                 WriteClusters{positions, order.const_view().subview(0, corners),
                               starts.const_view().subview(0, clusters), middles.view(),
                               cluster_of.view(), first.view()});
  Buffer<Index> chosen(stream, faces);
  const Index left =
      exec::compact(stream, faces, KeepsCorners{positions, triangles, cubes}, chosen.view());
  Buffer<Triangle> out(stream, left);
  exec::for_each(stream, left,
                 WriteFaces{triangles, chosen.const_view(), cluster_of.const_view(), out.view()});

  result.positions = exec::download(stream, middles);
  result.triangles = exec::download(stream, out);
  result.vertex_attributes = gather(mesh.vertex_attributes, exec::download(stream, first));
  result.face_attributes =
      gather(mesh.face_attributes,
             exec::download(stream, View<const Index>(chosen.const_view().subview(0, left))));
  return result;
}

}  // namespace tessera::surface
