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

/// Puts two zeros between any two bits. Of 32 bits the lowest ten are kept, of 64 the lowest 21.
TESSERA_KERNEL constexpr std::uint32_t spread(std::uint32_t x) {
  x = (x | (x << 16)) & 0x030000ffU;
  x = (x | (x << 8)) & 0x0300f00fU;
  x = (x | (x << 4)) & 0x030c30c3U;
  x = (x | (x << 2)) & 0x09249249U;
  return x;
}
TESSERA_KERNEL constexpr std::uint64_t spread(std::uint64_t x) {
  x = (x | (x << 32)) & 0x001f00000000ffffU;
  x = (x | (x << 16)) & 0x001f0000ff0000ffU;
  x = (x | (x << 8)) & 0x100f00f00f00f00fU;
  x = (x | (x << 4)) & 0x10c30c30c30c30c3U;
  x = (x | (x << 2)) & 0x1249249249249249U;
  return x;
}

template <class Key>
struct WriteCurvePlace {
  View<const Vec3d> positions;
  View<Key> keys;
  Vec3d origin;
  double scale;
  Key cells;  ///< along an axis

  TESSERA_KERNEL void operator()(Index v) const {
    Key key = 0;
    for (int i = 0; i < 3; ++i) {
      // Differences of finite numbers can overflow, and infinity times zero is not a number: both
      // comparisons then say no.
      const double cell = (positions[v][i] - origin[i]) * scale;
      const Key inside =
          cell < static_cast<double>(cells) ? static_cast<Key>(cell > 0 ? cell : 0) : cells - 1;
      key |= spread(inside) << i;
    }
    keys[v] = key;
  }
};

/// Sorts vertices along a Z-shaped curve through so many cells.
template <class Key>
Buffer<Index> sort_vertices(const exec::Stream& stream, View<const Vec3d> positions,
                            int bits_per_axis) {
  const auto vertices = static_cast<Index>(positions.size());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Box box = exec::reduce(
      stream, vertices, Box{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}},
      BoxOf{positions}, UniteBoxes{});
  double extent = 0;
  for (int i = 0; i < 3; ++i)
    if (box.max[i] - box.min[i] > extent) extent = box.max[i] - box.min[i];
  const Key cells = Key{1} << bits_per_axis;
  const double scale = extent > 0 ? static_cast<double>(cells) / extent : 0;
  Buffer<Key> keys(stream, vertices);
  exec::for_each(stream, vertices,
                 WriteCurvePlace<Key>{positions, keys.view(), box.min, scale, cells});
  Buffer<Index> order = all_indices(stream, vertices);
  exec::sort_pairs(stream, keys, order, 3 * bits_per_axis);
  return order;
}

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
  SortedFaces result;
  // With many vertices in a cell the order within it is arbitrary: fine for a few, which is what a
  // surface of that many has in a billion cells.
  constexpr Index few = Index{1} << 20;
  result.input_of_vertex = vertices <= few ? sort_vertices<std::uint32_t>(stream, positions, 10)
                                           : sort_vertices<std::uint64_t>(stream, positions, 15);
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
