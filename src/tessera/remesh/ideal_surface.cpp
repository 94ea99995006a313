// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/remesh/ideal_surface.h"

#include "tessera/exec/for_each.h"
#include "tessera/remesh/detail/sheets.h"

namespace tessera::remesh {
namespace {

using exec::Buffer;
using exec::View;
using surface::DynamicView;

/// The normals at the starts of the half-edges that leave a vertex, each of its face's part of the
/// surface: the faces around the vertex up to the next ridges or borders, by their angles there.
struct CornerNormals {
  DynamicView mesh;
  View<Vec3f> normals;
  TESSERA_KERNEL void operator()(Index v) const {
    if (!mesh.is_vertex(v)) return;
    bool has_lines = false;
    mesh.visit_star(v, [&](Index h) {
      if (mesh.is_line(h)) {
        has_lines = true;
        set_sheet(h);
      }
      return true;
    });
    if (!has_lines) set_sheet(mesh.vertex_edges[v]);
  }
  TESSERA_KERNEL void set_sheet(Index h) const {
    Vec3d sum{};
    detail::visit_sheet(mesh, h, [&](Index e) { sum += detail::corner_normal(mesh, e); });
    const double all = length(sum);
    const Vec3f normal = all > 0 ? cast<float>(sum * (1 / all)) : Vec3f{};
    detail::visit_sheet(mesh, h, [&](Index e) { normals[e] = normal; });
  }
};

/// Along the ridge or border through a vertex, if there is one and the vertex is no corner.
struct LineTangent {
  DynamicView mesh;
  View<Vec3f> tangents;
  TESSERA_KERNEL void operator()(Index v) const {
    tangents[v] = Vec3f{};
    if (!mesh.is_vertex(v) || mesh.is_fixed(v)) return;
    const auto [count, ends] = mesh.lines_at(v);
    const double sizes[2] = {squared_length(ends[0]), squared_length(ends[1])};
    if (count != 2 || !(sizes[0] > 0) || !(sizes[1] > 0)) return;
    // Of the parabola through the three points: the nearer counts more.
    const Vec3d tangent = ends[1] * (1 / sizes[1]) - ends[0] * (1 / sizes[0]);
    const double size = length(tangent);
    if (size > 0) tangents[v] = cast<float>(tangent * (1 / size));
  }
};

surface::DynamicMesh marked_mesh(const exec::Stream& stream, const TriangleSoup& soup,
                                 double ridge_angle) {
  surface::DynamicMesh mesh(stream, soup, surface::Carry::nothing);
  mesh.mark_creases(ridge_angle);
  return mesh;
}

}  // namespace

IdealSurface::IdealSurface(const exec::Stream& stream, const TriangleSoup& mesh,
                           const IdealSurfaceOptions& options)
    : mesh_(marked_mesh(stream, mesh, options.ridge_angle)),
      mesh_view_(mesh_.view()),
      tree_(stream, mesh_view_.positions, mesh_view_.triangles),
      corner_normals_(stream, mesh_.half_edge_places()),
      tangents_(stream, mesh_.vertex_places()) {
  exec::for_each(stream, mesh_.vertex_places(), CornerNormals{mesh_view_, corner_normals_.view()});
  exec::for_each(stream, mesh_.vertex_places(), LineTangent{mesh_view_, tangents_.view()});
}

}  // namespace tessera::remesh
