// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <utility>

#include "tessera/exec/atomic.h"
#include "tessera/exec/compact.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/sort.h"
#include "tessera/surface/detail/connectivity.h"
#include "tessera/surface/detail/edges.h"
#include "tessera/surface/detail/repair_steps.h"

namespace tessera::surface::detail {
namespace {

using exec::Buffer;
using exec::View;

/// A component's face volumes are added by one thread below this number of faces, else by a
/// reduction of their own: sums in a fixed order, and no thread has much more to do than others.
constexpr Index large_component = 1 << 15;

struct WriteComponents {
  View<const Index> orientations;
  View<Index> keys;
  View<Index> faces;
  TESSERA_KERNEL void operator()(Index f) const {
    keys[f] = orientations[2 * f] / 2;
    faces[f] = f;
  }
};

/// Marks components that have an edge without a neighbour, or with too many.
struct MarkOpen {
  EdgeView edges;
  View<const Index> orientations;
  View<Index> open;
  TESSERA_KERNEL void operator()(Index h) const {
    const Index e = edges.edge_of[h];
    if (e == no_index || edges.count(e) == 2) return;
    exec::atomic_store(open[orientations[2 * (h / 3)] / 2], Index{1});
  }
};

/// Marks components in which some faces must be turned to agree with the others.
struct MarkMixed {
  View<const Index> orientations;
  View<Index> mixed;
  TESSERA_KERNEL void operator()(Index f) const {
    const Index label = orientations[2 * f];
    if (label % 2 == 1) exec::atomic_store(mixed[label / 2], Index{1});
  }
};

/// Six times the volume between a face, turned as its component wants it, and the first vertex of
/// the component.
struct FaceVolume {
  View<const Vec3d> positions;
  View<const Triangle> triangles;
  View<const Index> orientations;
  View<const Index> faces;
  Index first;

  TESSERA_KERNEL double operator()(Index i) const { return of_face(faces[first + i]); }

  TESSERA_KERNEL double of_face(Index f) const {
    const Index label = orientations[2 * f];
    const Triangle t = triangles[f];
    const Vec3d origin = positions[triangles[label / 2][0]];
    const double volume =
        dot(positions[t[0]] - origin, cross(positions[t[1]] - origin, positions[t[2]] - origin));
    return label % 2 == 0 ? volume : -volume;
  }
};

struct SmallVolumes {
  FaceVolume volume;
  View<const Index> starts;
  View<const Index> keys;
  View<Index> inside_out;

  TESSERA_KERNEL void operator()(Index c) const {
    const Index begin = starts[c];
    const Index end = starts[c + 1];
    if (end - begin >= large_component) return;
    double sum = 0;
    for (Index i = begin; i < end; ++i) sum += volume(i);
    inside_out[keys[begin]] = sum < 0 ? 1 : 0;
  }
};

struct IsLarge {
  View<const Index> starts;
  TESSERA_KERNEL bool operator()(Index c) const {
    return starts[c + 1] - starts[c] >= large_component;
  }
};

/// Whether the orientation of each component's first face has its faces look inwards, at the number
/// of that face; of no meaning for open components.
Buffer<Index> find_inside_out(const exec::Stream& stream, const RepairMesh& mesh,
                              View<const Index> orientations) {
  const Index faces = mesh.faces();
  Buffer<Index> keys(stream, faces);
  Buffer<Index> sorted(stream, faces);
  exec::for_each(stream, faces, WriteComponents{orientations, keys.view(), sorted.view()});
  exec::sort_pairs(stream, keys, sorted, exec::bits_for(faces));
  Buffer<Index> starts(stream, std::size_t{faces} + 1);
  const Index components =
      exec::compact(stream, faces, exec::StartsRun<Index>{keys.const_view()}, starts.view());
  exec::fill(stream, starts.view().subview(components, 1), faces);

  Buffer<Index> inside_out(stream, faces);
  FaceVolume volume{mesh.positions.const_view(), mesh.triangles.const_view(), orientations,
                    sorted.const_view(), 0};
  exec::for_each(stream, components,
                 SmallVolumes{volume, starts.const_view(), keys.const_view(), inside_out.view()});
  Buffer<Index> large(stream, components);
  const Index large_count =
      exec::compact(stream, components, IsLarge{starts.const_view()}, large.view());
  const Array<Index> large_components =
      exec::download(stream, large.const_view().subview(0, large_count));
  for (const Index c : large_components) {
    const Array<Index> range = exec::download(stream, starts.const_view().subview(c, 2));
    const Array<Index> key = exec::download(stream, keys.const_view().subview(range[0], 1));
    volume.first = range[0];
    const double sum = exec::reduce(stream, range[1] - range[0], 0.0, volume, exec::Plus{});
    exec::fill(stream, inside_out.view().subview(key[0], 1), sum < 0 ? 1 : 0);
  }
  return inside_out;
}

/// Six times the volume between a face of a closed component whose faces agree and that component's
/// first vertex; 0 for other faces.
struct AgreeingVolume {
  FaceVolume volume;
  View<const Index> open;
  View<const Index> mixed;
  TESSERA_KERNEL double operator()(Index f) const {
    const Index component = volume.orientations[2 * f] / 2;
    return open[component] == 0 && mixed[component] == 0 ? volume.of_face(f) : 0.0;
  }
};

struct Flip {
  View<const Index> orientations;
  View<const Index> open;
  View<const Index> mixed;
  View<const Index> inside_out;
  bool all_inside_out;  ///< the closed components whose faces agree, taken together

  TESSERA_KERNEL bool wanted(Index f) const {
    const Index label = orientations[2 * f];
    if (label == orientations[2 * f + 1]) return false;
    const Index component = label / 2;
    const bool turn_component =
        open[component] == 0 &&
        (mixed[component] != 0 ? inside_out[component] != 0 : all_inside_out);
    return (label % 2 == 1) != turn_component;
  }

  TESSERA_KERNEL OrientCounts operator()(Index f) const {
    const bool two_faced = orientations[2 * f] == 2 * f && orientations[2 * f + 1] == 2 * f;
    return {wanted(f) ? 1u : 0u, two_faced ? 1u : 0u};
  }
};

struct CombineCounts {
  TESSERA_KERNEL OrientCounts operator()(const OrientCounts& a, const OrientCounts& b) const {
    return {a.flipped + b.flipped, a.non_orientable + b.non_orientable};
  }
};

struct TurnOver {
  Flip flip;
  View<Triangle> triangles;
  TESSERA_KERNEL void operator()(Index f) const {
    const Triangle t = triangles[f];
    if (flip.wanted(f)) triangles[f] = {t[0], t[2], t[1]};
  }
};

}  // namespace

OrientCounts orient_faces(const exec::Stream& stream, RepairMesh& mesh) {
  const Index faces = mesh.faces();
  const EdgeTable edges = build_edges(stream, mesh.triangles.const_view(), mesh.vertices());
  const Buffer<Index> orientations = face_orientations(stream, mesh.triangles.const_view(), edges);
  Buffer<Index> open(stream, faces);
  exec::fill(stream, open.view(), 0);
  exec::for_each(stream, 3 * faces, MarkOpen{edges.view(), orientations.const_view(), open.view()});
  const Buffer<Index> inside_out = find_inside_out(stream, mesh, orientations.const_view());
  Buffer<Index> mixed(stream, faces);
  exec::fill(stream, mixed.view(), 0);
  exec::for_each(stream, faces, MarkMixed{orientations.const_view(), mixed.view()});
  const FaceVolume volume{
      mesh.positions.const_view(), mesh.triangles.const_view(), orientations.const_view(), {}, 0};
  const double enclosed =
      exec::reduce(stream, faces, 0.0,
                   AgreeingVolume{volume, open.const_view(), mixed.const_view()}, exec::Plus{});
  const Flip flip{orientations.const_view(), open.const_view(), mixed.const_view(),
                  inside_out.const_view(), enclosed < 0};
  const OrientCounts counts = exec::reduce(stream, faces, OrientCounts{}, flip, CombineCounts{});
  exec::for_each(stream, faces, TurnOver{flip, mesh.triangles.view()});
  return counts;
}

}  // namespace tessera::surface::detail
