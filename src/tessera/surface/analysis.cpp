// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/analysis.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "tessera/exec/compact.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/sort.h"
#include "tessera/surface/detail/connectivity.h"
#include "tessera/surface/detail/edges.h"
#include "tessera/surface/detail/geometry.h"
#include "tessera/surface/detail/input.h"
#include "tessera/surface/detail/union_find.h"

namespace tessera::surface {
namespace {

using exec::Buffer;
using exec::View;
using namespace detail;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What one pass over the edges finds.
struct EdgeSums {
  Index boundary = 0;
  Index non_manifold = 0;
  Index disagreeing = 0;  ///< passed twice in one direction, by two faces
  double length = 0;
  double shortest = infinity;
  double longest = 0;
};

struct MeasureEdge {
  View<const Vec3d> positions;
  View<const Triangle> triangles;
  EdgeView edges;

  TESSERA_KERNEL EdgeSums operator()(Index e) const {
    const VertexPair ends = edges.vertices[e];
    const Index faces = edges.face_count(e);
    const double l = length(positions[ends[1]] - positions[ends[0]]);
    EdgeSums sums{is_boundary(faces) ? 1u : 0u, is_non_manifold(faces) ? 1u : 0u, 0, l, l, l};
    // A face that passes the edge both ways agrees with any other.
    if (edges.count(e) == 2 &&
        vertex_at(triangles, edges.half_edge(e, 0)) == vertex_at(triangles, edges.half_edge(e, 1)))
      sums.disagreeing = 1;
    return sums;
  }
};

struct CombineEdges {
  TESSERA_KERNEL EdgeSums operator()(const EdgeSums& a, const EdgeSums& b) const {
    return {a.boundary + b.boundary,
            a.non_manifold + b.non_manifold,
            a.disagreeing + b.disagreeing,
            a.length + b.length,
            exec::Minimum{}(a.shortest, b.shortest),
            exec::Maximum{}(a.longest, b.longest)};
  }
};

struct CountFans {
  View<const Triangle> triangles;
  View<const Index> fans;
  View<Index> count;
  TESSERA_KERNEL void operator()(Index corner) const {
    if (fans[corner] == corner) exec::atomic_add(count[vertex_at(triangles, corner)], Index{1});
  }
};

/// Makes the count of both ends of a non-manifold edge at least two.
struct CountNonManifoldEnds {
  EdgeView edges;
  View<Index> count;
  TESSERA_KERNEL void operator()(Index e) const {
    if (!is_non_manifold(edges.face_count(e))) return;
    exec::atomic_add(count[edges.vertices[e][0]], Index{1});  // beside the fan it surely has
    exec::atomic_add(count[edges.vertices[e][1]], Index{1});
  }
};

struct VertexSums {
  Index unreferenced = 0;
  Index non_manifold = 0;
  Box box;
};

struct MeasureVertex {
  View<const Vec3d> positions;
  View<const Index> count;
  TESSERA_KERNEL VertexSums operator()(Index v) const {
    if (count[v] == 0) return {1, 0, {}};
    return {0, count[v] > 1 ? 1u : 0u, {positions[v], positions[v]}};
  }
};

struct CombineVertices {
  TESSERA_KERNEL VertexSums operator()(const VertexSums& a, const VertexSums& b) const {
    return {a.unreferenced + b.unreferenced, a.non_manifold + b.non_manifold,
            UniteBoxes{}(a.box, b.box)};
  }
};

struct FaceSums {
  Index degenerate = 0;
  double area = 0;
  double volume = 0;
  double quality = 0;
  double worst_quality = infinity;
  double largest_cotangent = -infinity;  ///< of the smallest angle; needs no arc tangent per face
};

struct MeasureFace {
  View<const Vec3d> positions;
  View<const Triangle> triangles;
  Vec3d origin;  ///< near the mesh: volumes of tetrahedra from afar would cancel badly

  TESSERA_KERNEL FaceSums operator()(Index f) const {
    const Triangle t = triangles[f];
    const Vec3d p0 = positions[t[0]] - origin;
    const Vec3d p1 = positions[t[1]] - origin;
    const Vec3d p2 = positions[t[2]] - origin;
    const Vec3d a = p1 - p0;
    const Vec3d b = p2 - p1;
    const Vec3d c = p0 - p2;
    const Vec3d normal = cross(a, b);
    const double doubled_area = length(normal);
    FaceSums sums;
    sums.area = 0.5 * doubled_area;
    sums.volume = dot(p0, normal) / 6;
    sums.degenerate = is_degenerate(t, p0, p1, p2) ? 1 : 0;
    sums.quality = face_quality(t, p0, p1, p2);
    sums.worst_quality = sums.quality;
    const exec::Maximum larger;
    const double cosine = larger(larger(-dot(c, a), -dot(a, b)), -dot(b, c));
    sums.largest_cotangent = doubled_area > 0 ? cosine / doubled_area : infinity;
    return sums;
  }
};

struct CombineFaces {
  TESSERA_KERNEL FaceSums operator()(const FaceSums& a, const FaceSums& b) const {
    return {a.degenerate + b.degenerate,
            a.area + b.area,
            a.volume + b.volume,
            a.quality + b.quality,
            exec::Minimum{}(a.worst_quality, b.worst_quality),
            exec::Maximum{}(a.largest_cotangent, b.largest_cotangent)};
  }
};

struct IsRoot {
  View<const Index> labels;
  TESSERA_KERNEL Index operator()(Index i) const { return labels[i] == i ? 1 : 0; }
};

struct IsSet {
  View<const std::uint8_t> flags;
  TESSERA_KERNEL Index operator()(Index i) const { return flags[i]; }
};

struct IsTwoFaced {
  View<const Index> orientations;
  TESSERA_KERNEL Index operator()(Index f) const {
    return orientations[2 * f] == orientations[2 * f + 1] ? 1 : 0;
  }
};

struct JoinFans {
  EdgeView edges;
  View<const Index> boundary;
  View<Index> fans;
  TESSERA_KERNEL void operator()(Index i) const {
    const Index h = edges.half_edge(boundary[i], 0);
    unite(fans, h, next_corner(h));
  }
};

struct LabelLoop {
  EdgeView edges;
  View<const Index> boundary;
  View<Index> fans;
  View<Index> loop;
  TESSERA_KERNEL void operator()(Index i) const {
    loop[i] = find_root(fans, edges.half_edge(boundary[i], 0));
  }
};

/// Joins the fans at the ends of each boundary edge (in `fans`, which then holds no fans any more)
/// and counts the sets that result.
Index count_boundary_loops(const exec::Stream& stream, const EdgeTable& edges, View<Index> fans) {
  Buffer<Index> boundary(stream, edges.size());
  const Index n =
      exec::compact(stream, edges.size(), IsBoundaryEdge{edges.view()}, boundary.view());
  Buffer<Index> loops(stream, n);
  exec::for_each(stream, n, JoinFans{edges.view(), boundary.const_view(), fans});
  exec::for_each(stream, n, LabelLoop{edges.view(), boundary.const_view(), fans, loops.view()});
  exec::sort(stream, loops, exec::bits_for(fans.size()));
  return exec::reduce(stream, n, Index{0}, exec::StartsRun<Index>{loops.const_view()},
                      exec::Plus{});
}

}  // namespace

MeshInfo analyze(const exec::Stream& stream, const TriangleSoup& mesh,
                 const AnalyzeOptions& options) {
  Progress progress(options.progress, "analysing", 6);
  require_valid(mesh);
  MeshInfo info;
  info.vertices = mesh.positions.size();
  info.faces = mesh.triangles.size();
  info.unreferenced_vertices = info.vertices;
  if (info.faces == 0) return info;

  const Input<Vec3d> position_input(stream, mesh.positions);
  const Input<Triangle> triangle_input(stream, mesh.triangles);
  const View<const Vec3d> positions = position_input.view();
  const View<const Triangle> triangles = triangle_input.view();
  const auto vertices = static_cast<Index>(positions.size());
  const auto faces = static_cast<Index>(triangles.size());
  progress.advance(1);

  const EdgeTable edges = build_edges(stream, triangles, vertices);
  info.edges = edges.size();
  progress.advance(1);

  const EdgeSums edge_sums =
      exec::reduce(stream, edges.size(), EdgeSums{},
                   MeasureEdge{positions, triangles, edges.view()}, CombineEdges{});
  info.boundary_edges = edge_sums.boundary;
  info.non_manifold_edges = edge_sums.non_manifold;
  info.closed = edge_sums.boundary == 0;
  info.consistently_oriented = edge_sums.non_manifold == 0 && edge_sums.disagreeing == 0;
  if (info.edges > 0) {
    info.min_edge_length = edge_sums.shortest;
    info.mean_edge_length = edge_sums.length / static_cast<double>(info.edges);
    info.max_edge_length = edge_sums.longest;
  }

  Buffer<Index> fans = corner_fans(stream, triangles, edges, Across::all_edges);
  Buffer<Index> fan_count(stream, vertices);
  exec::fill(stream, fan_count.view(), 0);
  exec::for_each(stream, 3 * faces, CountFans{triangles, fans.const_view(), fan_count.view()});
  if (edge_sums.non_manifold > 0)
    exec::for_each(stream, edges.size(), CountNonManifoldEnds{edges.view(), fan_count.view()});
  const VertexSums vertex_sums =
      exec::reduce(stream, vertices, VertexSums{}, MeasureVertex{positions, fan_count.const_view()},
                   CombineVertices{});
  info.unreferenced_vertices = vertex_sums.unreferenced;
  info.non_manifold_vertices = vertex_sums.non_manifold;
  info.manifold = info.non_manifold_edges == 0 && info.non_manifold_vertices == 0;
  info.bounding_box = vertex_sums.box;
  info.euler_characteristic =
      static_cast<std::int64_t>(info.vertices - info.unreferenced_vertices) -
      static_cast<std::int64_t>(info.edges) + static_cast<std::int64_t>(info.faces);
  progress.advance(1);

  if (info.boundary_edges > 0)
    info.boundary_loops = count_boundary_loops(stream, edges, fans.view());
  {
    const Buffer<Index> components = face_components(stream, faces, edges);
    info.components =
        exec::reduce(stream, faces, Index{0}, IsRoot{components.const_view()}, exec::Plus{});
  }
  progress.advance(1);
  if (edge_sums.disagreeing > 0) {
    const Buffer<Index> orientations = face_orientations(stream, triangles, edges);
    info.orientable = exec::reduce(stream, faces, Index{0}, IsTwoFaced{orientations.const_view()},
                                   exec::Plus{}) == 0;
  }
  if (info.manifold && info.orientable)
    info.genus = (2 * static_cast<std::int64_t>(info.components) - info.euler_characteristic -
                  static_cast<std::int64_t>(info.boundary_loops)) /
                 2;
  {
    const Buffer<std::uint8_t> duplicate = duplicate_faces(stream, triangles, edges);
    info.duplicate_faces =
        exec::reduce(stream, faces, Index{0}, IsSet{duplicate.const_view()}, exec::Plus{});
  }
  progress.advance(1);

  const Vec3d centre = vertex_sums.box.middle();
  const FaceSums face_sums = exec::reduce(
      stream, faces, FaceSums{}, MeasureFace{positions, triangles, centre}, CombineFaces{});
  info.degenerate_faces = face_sums.degenerate;
  info.area = face_sums.area;
  if (info.closed && info.consistently_oriented) info.volume = face_sums.volume;
  info.min_quality = face_sums.worst_quality;
  info.mean_quality = face_sums.quality / static_cast<double>(info.faces);
  info.min_angle = std::atan2(1.0, face_sums.largest_cotangent) * 180 / std::numbers::pi;
  progress.advance(1);
  return info;
}

}  // namespace tessera::surface
