// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/detail/sorted_faces.h"

#include <cstdint>

#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/sort.h"
#include "tessera/exec/space_curve.h"
#include "tessera/surface/detail/point_box.h"

namespace tessera::surface::detail {
namespace {

using exec::Buffer;
using exec::View;

template <class Key>
struct WriteCurvePlace {
  View<const Vec3d> positions;
  View<Key> keys;
  exec::CurveGrid<Key> grid;
  TESSERA_KERNEL void operator()(Index v) const { keys[v] = grid.key(positions[v]); }
};

/// Sorts vertices along a Z-shaped curve through so many cells.
template <class Key>
Buffer<Index> sort_vertices(const exec::Stream& stream, View<const Vec3d> positions,
                            int bits_per_axis) {
  const auto vertices = static_cast<Index>(positions.size());
  const Box box = box_of_points(stream, positions);
  Buffer<Key> keys(stream, vertices);
  exec::for_each(
      stream, vertices,
      WriteCurvePlace<Key>{positions, keys.view(), exec::CurveGrid<Key>(box, bits_per_axis)});
  Buffer<Index> order = exec::all_indices(stream, vertices);
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
  exec::invert(stream, result.input_of_vertex.const_view(), place_of_vertex.view());

  Buffer<Index> face_keys(stream, faces);
  exec::for_each(stream, faces,
                 WriteFaceKeys{triangles, place_of_vertex.const_view(), face_keys.view()});
  result.input_of_face = exec::all_indices(stream, faces);
  exec::sort_pairs(stream, face_keys, result.input_of_face, exec::bits_for(vertices));
  result.triangles = Buffer<Triangle>(stream, faces);
  exec::for_each(stream, faces,
                 WriteTriangles{triangles, result.input_of_face.const_view(),
                                place_of_vertex.const_view(), result.triangles.view()});
  return result;
}

}  // namespace tessera::surface::detail
