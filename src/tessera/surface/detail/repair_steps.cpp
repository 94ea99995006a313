// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/detail/repair_steps.h"

#include <string>
#include <utility>

#include "tessera/core/error.h"
#include "tessera/exec/atomic.h"
#include "tessera/exec/compact.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/scan.h"
#include "tessera/surface/detail/connectivity.h"
#include "tessera/surface/detail/edges.h"
#include "tessera/surface/detail/geometry.h"
#include "tessera/surface/detail/holes.h"

namespace tessera::surface::detail {
namespace {

using exec::Buffer;
using exec::View;

/// Both, one after the other.
template <class T>
Buffer<T> appended(const exec::Stream& stream, const Buffer<T>& a, const Buffer<T>& b) {
  Buffer<T> to(stream, a.size() + b.size());
  exec::copy_on_device(stream, to.view().subview(0, a.size()), a.const_view());
  exec::copy_on_device(stream, to.view().subview(a.size(), b.size()), b.const_view());
  return to;
}

/// Returns how many faces went.
template <class Keep>
std::uint64_t keep_faces(const exec::Stream& stream, RepairMesh& mesh, const Keep& keep) {
  const Index faces = mesh.faces();
  Buffer<Index> kept(stream, faces);
  const Index count = exec::compact(stream, faces, keep, kept.view());
  if (count == faces) return 0;
  const View<const Index> source = kept.const_view().subview(0, count);
  mesh.triangles = exec::gathered(stream, mesh.triangles, source);
  mesh.face_source = exec::gathered(stream, mesh.face_source, source);
  return faces - count;
}

EdgeTable edges_of(const exec::Stream& stream, const RepairMesh& mesh) {
  return build_edges(stream, mesh.triangles.const_view(), mesh.vertices());
}

struct IsProper {
  View<const Vec3d> positions;
  View<const Triangle> triangles;
  TESSERA_KERNEL bool operator()(Index f) const { return !is_degenerate(triangles[f], positions); }
};

struct IsClear {
  View<const std::uint8_t> flags;
  TESSERA_KERNEL bool operator()(Index i) const { return flags[i] == 0; }
};

struct FindFirstFan {
  View<const Triangle> triangles;
  View<const Index> fans;
  View<Index> first;
  TESSERA_KERNEL void operator()(Index corner) const {
    if (fans[corner] == corner) exec::atomic_min(first[vertex_at(triangles, corner)], corner);
  }
};

struct IsFurtherFan {
  View<const Triangle> triangles;
  View<const Index> fans;
  View<const Index> first;
  TESSERA_KERNEL bool operator()(Index corner) const {
    return fans[corner] == corner && first[vertex_at(triangles, corner)] != corner;
  }
};

struct CopyVertices {
  View<const Triangle> triangles;
  View<const Index> further;
  View<Index> original;
  View<Index> number;  ///< of the vertex of a further fan, at its first corner
  Index vertices;
  TESSERA_KERNEL void operator()(Index i) const {
    original[i] = vertex_at(triangles, further[i]);
    number[further[i]] = vertices + i;
  }
};

struct RenumberCorners {
  View<Triangle> triangles;
  View<const Index> fans;
  View<const Index> first;
  View<const Index> number;
  TESSERA_KERNEL void operator()(Index f) const {
    for (Index k = 0; k < 3; ++k) {
      Index& v = triangles[f][static_cast<int>(k)];
      const Index fan = fans[3 * f + k];
      if (first[v] != fan) v = number[fan];
    }
  }
};

struct DescribeBoundary {
  View<const Triangle> triangles;
  EdgeView edges;
  View<const Index> fans;
  View<const Index> boundary;
  View<BoundaryEdge> to;
  View<Index> on_boundary;  ///< per vertex

  TESSERA_KERNEL void operator()(Index i) const {
    const Index h = edges.half_edge(boundary[i], 0);
    const Index next = next_corner(h);
    const Index from = vertex_at(triangles, h);
    const Index end = vertex_at(triangles, next);
    to[i] = {from, end, fans[h], fans[next], vertex_at(triangles, previous_corner(h))};
    exec::atomic_store(on_boundary[from], Index{1});
    exec::atomic_store(on_boundary[end], Index{1});
  }
};

struct IsRimEdge {
  EdgeView edges;
  View<const Index> on_boundary;
  TESSERA_KERNEL bool operator()(Index e) const {
    return on_boundary[edges.vertices[e][0]] != 0 && on_boundary[edges.vertices[e][1]] != 0;
  }
};

struct MarkReferenced {
  View<const Triangle> triangles;
  View<Index> referenced;
  TESSERA_KERNEL void operator()(Index corner) const {
    exec::atomic_store(referenced[vertex_at(triangles, corner)], Index{1});
  }
};

struct IsReferenced {
  View<const Index> referenced;
  TESSERA_KERNEL bool operator()(Index v) const { return referenced[v] != 0; }
};

struct RenumberVertices {
  View<Triangle> triangles;
  View<const Index> number;
  TESSERA_KERNEL void operator()(Index f) const {
    for (int k = 0; k < 3; ++k) triangles[f][k] = number[triangles[f][k]];
  }
};

}  // namespace

std::uint64_t remove_degenerate(const exec::Stream& stream, RepairMesh& mesh) {
  return keep_faces(stream, mesh,
                    IsProper{mesh.positions.const_view(), mesh.triangles.const_view()});
}

std::uint64_t remove_duplicates(const exec::Stream& stream, RepairMesh& mesh) {
  const EdgeTable edges = edges_of(stream, mesh);
  const Buffer<std::uint8_t> duplicate =
      duplicate_faces(stream, mesh.triangles.const_view(), edges);
  return keep_faces(stream, mesh, IsClear{duplicate.const_view()});
}

std::uint64_t split_non_manifold(const exec::Stream& stream, RepairMesh& mesh) {
  const EdgeTable edges = edges_of(stream, mesh);
  const View<const Triangle> triangles = mesh.triangles.const_view();
  const Buffer<Index> fans = corner_fans(stream, triangles, edges, Across::edges_of_two_faces);
  const Index corners = 3 * mesh.faces();
  const Index vertices = mesh.vertices();

  Buffer<Index> first(stream, vertices);
  exec::fill(stream, first.view(), no_index);
  exec::for_each(stream, corners, FindFirstFan{triangles, fans.const_view(), first.view()});
  Buffer<Index> number(stream, corners);
  Buffer<Index> further(stream, corners);
  const Index added =
      exec::compact(stream, corners, IsFurtherFan{triangles, fans.const_view(), first.const_view()},
                    further.view());
  if (added == 0) return 0;
  if (std::uint64_t{vertices} + added >= no_index)
    throw InputError("splitting non-manifold vertices would make " +
                     std::to_string(std::uint64_t{vertices} + added) +
                     " vertices, more than 32-bit indices can name");
  Buffer<Index> original(stream, added);
  exec::for_each(
      stream, added,
      CopyVertices{triangles, further.const_view(), original.view(), number.view(), vertices});
  exec::for_each(stream, mesh.faces(),
                 RenumberCorners{mesh.triangles.view(), fans.const_view(), first.const_view(),
                                 number.const_view()});
  mesh.positions = appended(stream, mesh.positions,
                            exec::gathered(stream, mesh.positions, original.const_view()));
  mesh.vertex_source = appended(stream, mesh.vertex_source,
                                exec::gathered(stream, mesh.vertex_source, original.const_view()));
  return added;
}

HoleCounts fill_mesh_holes(const exec::Stream& stream, RepairMesh& mesh, std::uint64_t max_edges,
                           const ProgressCallback& callback) {
  const EdgeTable edges = edges_of(stream, mesh);
  const View<const Triangle> triangles = mesh.triangles.const_view();
  Buffer<Index> chosen(stream, edges.size());
  const Index count =
      exec::compact(stream, edges.size(), IsBoundaryEdge{edges.view()}, chosen.view());
  if (count == 0) return {};
  const Buffer<Index> fans = corner_fans(stream, triangles, edges, Across::edges_of_two_faces);
  Buffer<BoundaryEdge> boundary(stream, count);
  Buffer<Index> on_boundary(stream, mesh.vertices());
  exec::fill(stream, on_boundary.view(), 0);
  exec::for_each(stream, count,
                 DescribeBoundary{triangles, edges.view(), fans.const_view(), chosen.const_view(),
                                  boundary.view(), on_boundary.view()});
  const Index rim_count = exec::compact(
      stream, edges.size(), IsRimEdge{edges.view(), on_boundary.const_view()}, chosen.view());
  const Buffer<VertexPair> rim =
      exec::gathered(stream, edges.vertices, chosen.const_view().subview(0, rim_count));

  const HoleFilling filling =
      fill_holes(exec::download(stream, mesh.positions), exec::download(stream, boundary),
                 exec::download(stream, rim), max_edges, callback);
  if (mesh.triangles.size() + filling.faces.size() >= no_index / 3)
    throw InputError("filling holes would make " +
                     std::to_string(mesh.triangles.size() + filling.faces.size()) +
                     " faces, more than 32-bit indices can name the corners of");
  mesh.triangles = appended(stream, mesh.triangles, exec::upload(stream, filling.faces));
  Buffer<Index> no_source(stream, filling.faces.size());
  exec::fill(stream, no_source.view(), no_index);
  mesh.face_source = appended(stream, mesh.face_source, no_source);
  return {filling.filled, filling.skipped, filling.faces.size()};
}

std::uint64_t remove_unreferenced(const exec::Stream& stream, RepairMesh& mesh) {
  const Index vertices = mesh.vertices();
  Buffer<Index> number(stream, vertices);
  exec::fill(stream, number.view(), 0);
  exec::for_each(stream, 3 * mesh.faces(),
                 MarkReferenced{mesh.triangles.const_view(), number.view()});
  Buffer<Index> kept(stream, vertices);
  const Index count =
      exec::compact(stream, vertices, IsReferenced{number.const_view()}, kept.view());
  if (count == vertices) return 0;
  exec::exclusive_scan(stream, number.const_view(), number.view());
  exec::for_each(stream, mesh.faces(),
                 RenumberVertices{mesh.triangles.view(), number.const_view()});
  const View<const Index> source = kept.const_view().subview(0, count);
  mesh.positions = exec::gathered(stream, mesh.positions, source);
  mesh.vertex_source = exec::gathered(stream, mesh.vertex_source, source);
  return vertices - count;
}

}  // namespace tessera::surface::detail
