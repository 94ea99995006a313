// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/detail/connectivity.h"

#include "tessera/core/random.h"
#include "tessera/exec/compact.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/sort.h"
#include "tessera/surface/detail/union_find.h"

namespace tessera::surface::detail {
namespace {

using exec::Buffer;
using exec::View;

struct UniteFaces {
  EdgeView edges;
  View<Index> parents;

  TESSERA_KERNEL void operator()(Index e) const {
    const Index n = edges.count(e);
    const Index first = edges.half_edge(e, 0) / 3;
    for (Index i = 1; i < n; ++i) unite(parents, first, edges.half_edge(e, i) / 3);
  }
};

struct UniteCorners {
  View<const Triangle> triangles;
  EdgeView edges;
  View<Index> parents;
  bool two_faces_only;

  TESSERA_KERNEL void operator()(Index e) const {
    const Index n = edges.count(e);
    if (two_faces_only && is_non_manifold(edges.face_count(e))) return;
    const Index h = edges.half_edge(e, 0);
    const Index from = vertex_at(triangles, h);
    for (Index i = 1; i < n; ++i) {
      const Index g = edges.half_edge(e, i);
      const bool same_way = vertex_at(triangles, g) == from;
      unite(parents, h, same_way ? g : next_corner(g));
      unite(parents, next_corner(h), same_way ? next_corner(g) : g);
    }
  }
};

struct UniteOrientations {
  View<const Triangle> triangles;
  EdgeView edges;
  View<Index> parents;

  TESSERA_KERNEL void operator()(Index e) const {
    if (edges.count(e) != 2) return;
    const Index g = edges.half_edge(e, 0);
    const Index h = edges.half_edge(e, 1);
    // Neighbours that agree use their edge in opposite directions.
    const Index turned = vertex_at(triangles, g) == vertex_at(triangles, h) ? 1 : 0;
    unite(parents, 2 * (g / 3), 2 * (h / 3) + turned);
    unite(parents, 2 * (g / 3) + 1, 2 * (h / 3) + 1 - turned);
  }
};

TESSERA_KERNEL constexpr Triangle sorted(Triangle t) {
  if (t[1] < t[0]) t = {t[1], t[0], t[2]};
  if (t[2] < t[1]) t = {t[0], t[2], t[1]};
  if (t[1] < t[0]) t = {t[1], t[0], t[2]};
  return t;
}

/// A duplicate shares all edges with its original. So an edge that is not shared rules it out, and
/// one that two faces share leaves one candidate; only faces whose every edge has more than two
/// (or who have no edge) need the search by hash.
struct MarkSimpleDuplicates {
  View<const Triangle> triangles;
  EdgeView edges;
  View<std::uint8_t> duplicate;

  static constexpr std::uint8_t undecided = 2;

  TESSERA_KERNEL void operator()(Index f) const {
    Index fewest = no_index;
    Index edge = no_index;
    for (Index h = 3 * f; h < 3 * f + 3; ++h) {
      const Index e = edges.edge_of[h];
      if (e == no_index || edges.count(e) >= fewest) continue;
      fewest = edges.count(e);
      edge = e;
    }
    duplicate[f] = 0;
    if (fewest > 2) duplicate[f] = undecided;
    if (fewest != 2) return;
    const Index g = edges.half_edge(edge, 0) / 3;  // the smaller of the two
    if (g != f && sorted(triangles[g]) == sorted(triangles[f])) duplicate[f] = 1;
  }
};

struct IsUndecided {
  View<const std::uint8_t> duplicate;
  TESSERA_KERNEL bool operator()(Index f) const {
    return duplicate[f] == MarkSimpleDuplicates::undecided;
  }
};

struct HashFaces {
  View<const Triangle> triangles;
  View<const Index> faces;
  View<std::uint64_t> keys;

  TESSERA_KERNEL void operator()(Index i) const {
    const Triangle t = sorted(triangles[faces[i]]);
    keys[i] = Random::mix(Random::mix((std::uint64_t{t[0]} << 32 | t[1]) + 1) + t[2]);
  }
};

/// Faces of one hash stand together, ascending. Almost always they are copies of the first, so the
/// search ends at once.
struct MarkHashedDuplicates {
  View<const Triangle> triangles;
  View<const std::uint64_t> keys;
  View<const Index> faces;
  View<std::uint8_t> duplicate;

  TESSERA_KERNEL void operator()(Index i) const {
    const Index first = exec::bisect(0, i, [this, i](Index j) { return keys[j] < keys[i]; });
    const Triangle t = sorted(triangles[faces[i]]);
    std::uint8_t found = 0;
    for (Index j = first; j < i && found == 0; ++j)
      if (sorted(triangles[faces[j]]) == t) found = 1;
    duplicate[faces[i]] = found;
  }
};

}  // namespace

Buffer<Index> face_components(const exec::Stream& stream, Index faces, const EdgeTable& edges) {
  Buffer<Index> parents = exec::all_indices(stream, faces);
  exec::for_each(stream, edges.size(), UniteFaces{edges.view(), parents.view()});
  flatten_sets(stream, parents.view());
  return parents;
}

Buffer<Index> corner_fans(const exec::Stream& stream, View<const Triangle> triangles,
                          const EdgeTable& edges, Across across) {
  Buffer<Index> parents = exec::all_indices(stream, static_cast<Index>(3 * triangles.size()));
  exec::for_each(
      stream, edges.size(),
      UniteCorners{triangles, edges.view(), parents.view(), across == Across::edges_of_two_faces});
  flatten_sets(stream, parents.view());
  return parents;
}

Buffer<Index> face_orientations(const exec::Stream& stream, View<const Triangle> triangles,
                                const EdgeTable& edges) {
  Buffer<Index> parents = exec::all_indices(stream, static_cast<Index>(2 * triangles.size()));
  exec::for_each(stream, edges.size(), UniteOrientations{triangles, edges.view(), parents.view()});
  flatten_sets(stream, parents.view());
  return parents;
}

Buffer<std::uint8_t> duplicate_faces(const exec::Stream& stream, View<const Triangle> triangles,
                                     const EdgeTable& edges) {
  const auto faces = static_cast<Index>(triangles.size());
  Buffer<std::uint8_t> duplicate(stream, faces);
  exec::for_each(stream, faces, MarkSimpleDuplicates{triangles, edges.view(), duplicate.view()});

  Buffer<Index> candidates(stream, faces);
  const Index count =
      exec::compact(stream, faces, IsUndecided{duplicate.const_view()}, candidates.view());
  if (count == 0) return duplicate;
  Buffer<Index> sorted_faces(stream, count);
  exec::copy_on_device(stream, sorted_faces.view(), candidates.const_view().subview(0, count));
  Buffer<std::uint64_t> keys(stream, count);
  exec::for_each(stream, count, HashFaces{triangles, sorted_faces.const_view(), keys.view()});
  exec::sort_pairs(stream, keys, sorted_faces);
  exec::for_each(stream, count,
                 MarkHashedDuplicates{triangles, keys.const_view(), sorted_faces.const_view(),
                                      duplicate.view()});
  return duplicate;
}

}  // namespace tessera::surface::detail
