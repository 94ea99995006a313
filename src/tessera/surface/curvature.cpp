// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/curvature.h"

#include <cmath>
#include <numbers>

#include "tessera/exec/reduce.h"
#include "tessera/surface/detail/geometry.h"
#include "tessera/surface/detail/vertex_faces.h"
#include "tessera/surface/flags.h"

// Meyer, Desbrun, Schroeder, Barr, "Discrete differential-geometry operators for triangulated
// 2-manifolds" (2003), sections 3 and 4.
//
// Positions are float, but the sums are made in double: on a fine mesh the angles of a vertex add
// up to nearly 2 pi and the weighted edges to nearly nothing, and what is left is the result. Where
// edges are 1/1000 of the radius of a sphere, the angle defect is 1e-6; a sum of six angles in
// float is off by half of that.

namespace tessera::surface {
namespace {

struct IsBoundary {
  AttributeView<Vertex, const Flags> flags;
  TESSERA_KERNEL Index operator()(Index v) const { return flags[Vertex{v}].is_boundary() ? 1 : 0; }
};

/// Between a and b. Where corners of a face coincide, the angles are those of a needle, so that the
/// three add up to pi.
TESSERA_KERNEL double corner_angle(const Vec3d& a, const Vec3d& b) {
  const bool no_a = squared_length(a) == 0;
  const bool no_b = squared_length(b) == 0;
  if (no_a && no_b) return std::numbers::pi / 3;
  if (no_a || no_b) return std::numbers::pi / 2;
  return std::atan2(length(cross(a, b)), dot(a, b));
}

/// Sums over the faces at a vertex.
struct FaceSums {
  double angle = 0;
  double area = 0;
  Vec3d normal{};       ///< of twice the area
  Vec3d mean_normal{};  ///< edges weighted with cotangents: 4 * area * mean curvature * normal

  /// A face with the vertex at p, the others counter-clockwise.
  TESSERA_KERNEL void add(const Triangle& t, const Vec3d& p, const Vec3d& q, const Vec3d& r) {
    angle += corner_angle(q - p, r - p);
    if (detail::is_degenerate(t, p, q, r)) return;
    const Vec3d twice = cross(q - p, r - p);
    const double twice_area = length(twice);
    const double dot_p = dot(q - p, r - p);
    const double dot_q = dot(r - q, p - q);
    const double dot_r = dot(p - r, q - r);
    const double cot_q = dot_q / twice_area;
    const double cot_r = dot_r / twice_area;
    normal += twice;
    mean_normal += cot_r * (p - q) + cot_q * (p - r);
    if (dot_p < 0) {  // obtuse at the vertex
      area += twice_area / 4;
    } else if (dot_q < 0 || dot_r < 0) {  // obtuse elsewhere
      area += twice_area / 8;
    } else {
      area += (squared_length(r - p) * cot_q + squared_length(q - p) * cot_r) / 8;
    }
  }

  TESSERA_KERNEL double mean_curvature(bool boundary) const {
    const double normal_length = length(normal);
    const double along = normal_length > 0 ? dot(mean_normal, normal) / normal_length : 0;
    if (boundary) return along / (4 * area);
    const double size = length(mean_normal) / (4 * area);
    return along < 0 ? -size : size;
  }
};

struct ComputeCurvature {
  detail::VertexFacesView mesh;
  AttributeView<Vertex, const Vec3f> position;
  AttributeView<Vertex, const Flags> flags;
  AttributeView<Vertex, float> mean;
  AttributeView<Vertex, float> gaussian;
  AttributeView<Vertex, float> area;
  AttributeView<Vertex, float> angle_defect;

  TESSERA_KERNEL void operator()(Index i) const {
    const Vertex v{i};
    const ElementRange<Face> faces = mesh.faces[v];
    FaceSums sums;
    const Vec3d p = cast<double>(position[v]);
    for (const Face f : faces) {
      const detail::Corner corner = mesh.corner(f, v);
      const Triangle t{v.index, corner.next.index, corner.previous.index};
      if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
      sums.add(t, p, cast<double>(position[corner.next]), cast<double>(position[corner.previous]));
    }
    const bool at_boundary = flags[v].is_boundary();
    const double flat = faces.empty() ? 0 : at_boundary ? std::numbers::pi : 2 * std::numbers::pi;
    const double defect = flat - sums.angle;
    const bool has_area = sums.area > 0;
    mean[v] = has_area ? static_cast<float>(sums.mean_curvature(at_boundary)) : 0.0F;
    gaussian[v] = has_area ? static_cast<float>(defect / sums.area) : 0.0F;
    area[v] = static_cast<float>(sums.area);
    angle_defect[v] = static_cast<float>(defect);
  }
};

}  // namespace

Curvature curvature(const PatchedMesh& mesh, const VertexAttribute<Vec3f>& positions,
                    const CurvatureOptions& options) {
  detail::require_values(mesh, positions);
  Progress progress(options.progress, "curvature", 3);
  const VertexAttribute<Flags> flags = vertex_flags(mesh);
  const Index boundary_vertices = exec::reduce(mesh.stream(), mesh.vertices(), Index{0},
                                               IsBoundary{flags.const_view()}, exec::Plus{});
  progress.advance(1);
  const detail::VertexFaces faces = detail::vertex_faces(mesh);
  progress.advance(1);
  Curvature result{VertexAttribute<float>(mesh, "mean_curvature"),
                   VertexAttribute<float>(mesh, "gaussian_curvature"),
                   VertexAttribute<float>(mesh, "vertex_area"),
                   VertexAttribute<float>(mesh, "angle_defect"), boundary_vertices};
  exec::for_each(
      mesh.stream(), mesh.vertices(),
      ComputeCurvature{faces.view(), positions.const_view(), flags.const_view(), result.mean.view(),
                       result.gaussian.view(), result.area.view(), result.angle_defect.view()});
  progress.advance(1);
  return result;
}

}  // namespace tessera::surface
