// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/polygons.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <oneapi/tbb/enumerable_thread_specific.h>

#include "tessera/core/error.h"
#include "tessera/core/parallel.h"
#include "tessera/io/detail/ear_clipping.h"

namespace tessera::io::detail {
namespace {

constexpr std::size_t block_faces = 8192;

/// Signed area over the squares of the sides: 0 for a degenerate triangle, negative for one that
/// is turned against `normal`, largest for an equilateral one.
double quality(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& normal) {
  const Vec3d ab = b - a;
  const Vec3d ac = c - a;
  const double sides = squared_length(ab) + squared_length(ac) + squared_length(c - b);
  return sides > 0 ? dot(cross(ab, ac), normal) / sides : 0;
}

/// Cuts a quad along the diagonal whose worse triangle is better. That diagonal lies inside a
/// concave quad too: along the other one, a triangle is turned over.
void cut_quad(std::span<const Index> corners, const Array<Vec3d>& positions, Triangle* out) {
  const auto [i, j, k, l] = std::array{corners[0], corners[1], corners[2], corners[3]};
  const Vec3d& a = positions[i];
  const Vec3d& b = positions[j];
  const Vec3d& c = positions[k];
  const Vec3d& d = positions[l];
  const Vec3d normal = cross(c - a, d - b);
  const double along_ac = std::min(quality(a, b, c, normal), quality(a, c, d, normal));
  const double along_bd = std::min(quality(a, b, d, normal), quality(b, c, d, normal));
  if (along_bd > along_ac) {
    out[0] = {i, j, l};
    out[1] = {j, k, l};
  } else {
    out[0] = {i, j, k};
    out[1] = {i, k, l};
  }
}

void cut_face(std::span<const Index> corners, const Array<Vec3d>& positions, EarClipper& clipper,
              Triangle* out) {
  const std::size_t n = corners.size();
  if (n <= 3)
    out[0] = {corners[0], corners[std::min<std::size_t>(1, n - 1)], corners[n - 1]};
  else if (n == 4)
    cut_quad(corners, positions, out);
  else
    clipper.clip(corners, positions, out);
}

}  // namespace

void triangulate(const Source& source, const PolygonSoup& polygons, ReadResult& result) {
  const std::size_t faces = polygons.size();
  const std::size_t blocks = (faces + block_faces - 1) / block_faces;
  auto in_block = [&](std::size_t block, auto&& f) {
    const std::size_t last = std::min(faces, (block + 1) * block_faces);
    for (std::size_t face = block * block_faces; face < last; ++face)
      f(face, polygons.starts[face + 1] - polygons.starts[face]);
  };

  std::vector<std::uint64_t> first_triangle(blocks + 1, 0);
  std::vector<std::uint64_t> larger(blocks, 0);
  parallel_for(blocks, [&](std::size_t block) {
    in_block(block, [&](std::size_t, std::uint64_t corners) {
      first_triangle[block + 1] += triangle_count(corners);
      larger[block] += corners > 3 ? 1 : 0;
    });
  });
  std::partial_sum(first_triangle.begin(), first_triangle.end(), first_triangle.begin());
  const std::uint64_t triangles = first_triangle.back();
  source.check_counts(0, triangles);
  result.polygons = std::accumulate(larger.begin(), larger.end(), std::uint64_t{0});

  const bool spread = triangles != faces && !result.mesh.face_attributes.empty();
  Array<std::uint32_t> face_of(spread ? triangles : 0);
  result.mesh.triangles.resize(triangles);
  tbb::enumerable_thread_specific<EarClipper> clippers;
  parallel_for(blocks, [&](std::size_t block) {
    EarClipper& clipper = clippers.local();
    std::uint64_t next = first_triangle[block];
    in_block(block, [&](std::size_t face, std::uint64_t corners) {
      cut_face({polygons.corners.data() + polygons.starts[face], corners}, result.mesh.positions,
               clipper, result.mesh.triangles.data() + next);
      const std::uint64_t last = next + triangle_count(corners);
      if (spread)
        std::fill(face_of.begin() + static_cast<std::ptrdiff_t>(next),
                  face_of.begin() + static_cast<std::ptrdiff_t>(last),
                  static_cast<std::uint32_t>(face));
      next = last;
    });
  });
  if (spread) result.mesh.face_attributes = gather(result.mesh.face_attributes, face_of);
}

}  // namespace tessera::io::detail
