// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/detail/sorted_faces.h"

#include <cstdint>
#include <limits>

#include "tessera/exec/for_each.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/sort.h"
#include "tessera/surface/detail/indices.h"

namespace tessera::surface::detail {
namespace {

using exec::Buffer;
using exec::View;

struct Box {
  Vec3d min;
  Vec3d max;
};

struct BoxOf {
  View<const Vec3d> positions;
  TESSERA_KERNEL Box operator()(Index v) const { return {positions[v], positions[v]}; }
};

struct UniteBoxes {
  TESSERA_KERNEL Box operator()(const Box& a, const Box& b) const {
    Box box = a;
    for (int i = 0; i < 3; ++i) {
      if (b.min[i] < box.min[i]) box.min[i] = b.min[i];
      if (b.max[i] > box.max[i]) box.max[i] = b.max[i];
    }
    return box;
  }
};

constexpr int bits_per_axis = 10;
constexpr std::uint32_t cells_per_axis = 1U << bits_per_axis;

/// Puts two zeros between any two of the lowest ten bits.
TESSERA_KERNEL constexpr std::uint32_t spread(std::uint32_t x) {
  x = (x | (x << 16)) & 0x030000ffU;
  x = (x | (x << 8)) & 0x0300f00fU;
  x = (x | (x << 4)) & 0x030c30c3U;
  x = (x | (x << 2)) & 0x09249249U;
  return x;
}

struct WriteCurvePlace {
  View<const Vec3d> positions;
  View<std::uint32_t> keys;
  Vec3d origin;
  double scale;

  TESSERA_KERNEL void operator()(Index v) const {
    std::uint32_t key = 0;
    for (int i = 0; i < 3; ++i) {
      // Differences of finite numbers can overflow, and infinity times zero is not a number: both
      // comparisons then say no.
      const double cell = (positions[v][i] - origin[i]) * scale;
      const std::uint32_t inside = cell < cells_per_axis
                                       ? static_cast<std::uint32_t>(cell > 0 ? cell : 0)
                                       : cells_per_axis - 1;
      key |= spread(inside) << i;
    }
    keys[v] = key;
  }
};

struct WriteFaceKeys {
  View<const Triangle> triangles;
  View<const Index> place_of_vertex;
  View<Index> keys;
  TESSERA_KERNEL void operator()(Index f) const {
    const Triangle t = triangles[f];
    Index smallest = no_index;
    for (int k = 0; k < 3; ++k) {
      const Index v = place_of_vertex[t[k]];
      if (v < smallest) smallest = v;
    }
    keys[f] = smallest;
  }
};

struct WriteTriangles {
  View<const Triangle> triangles;
  View<const Index> input_of_face;
  View<const Index> place_of_vertex;
  View<Triangle> sorted;
  TESSERA_KERNEL void operator()(Index f) const {
    const Triangle t = triangles[input_of_face[f]];
    sorted[f] = {place_of_vertex[t[0]], place_of_vertex[t[1]], place_of_vertex[t[2]]};
  }
};

}  // namespace

SortedFaces sort_in_space(const exec::Stream& stream, View<const Vec3d> positions,
                          View<const Triangle> triangles) {
  const auto vertices = static_cast<Index>(positions.size());
  const auto faces = static_cast<Index>(triangles.size());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Box box = exec::reduce(
      stream, vertices, Box{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}},
      BoxOf{positions}, UniteBoxes{});
  double extent = 0;
  for (int i = 0; i < 3; ++i)
    if (box.max[i] - box.min[i] > extent) extent = box.max[i] - box.min[i];
  const double scale = extent > 0 ? cells_per_axis / extent : 0;

  SortedFaces result;
  Buffer<std::uint32_t> keys(stream, vertices);
  exec::for_each(stream, vertices, WriteCurvePlace{positions, keys.view(), box.min, scale});
  result.input_of_vertex = all_indices(stream, vertices);
  exec::sort_pairs(stream, keys, result.input_of_vertex, 3 * bits_per_axis);
  Buffer<Index> place_of_vertex(stream, vertices);
  invert(stream, result.input_of_vertex.const_view(), place_of_vertex.view());

  Buffer<Index> face_keys(stream, faces);
  exec::for_each(stream, faces,
                 WriteFaceKeys{triangles, place_of_vertex.const_view(), face_keys.view()});
  result.input_of_face = all_indices(stream, faces);
  exec::sort_pairs(stream, face_keys, result.input_of_face, exec::bits_for(vertices));
  result.triangles = Buffer<Triangle>(stream, faces);
  exec::for_each(stream, faces,
                 WriteTriangles{triangles, result.input_of_face.const_view(),
                                place_of_vertex.const_view(), result.triangles.view()});
  return result;
}

}  // namespace tessera::surface::detail
