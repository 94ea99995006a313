// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"
#include "tessera/surface/dynamic_view.h"

namespace tessera::remesh::detail {

// Ridges and borders part the faces around a vertex into sheets; without them they are one sheet
// that is closed. A half-edge that leaves the vertex stands for the sheet of its face.

/// The half-edge with the first face of a sheet, counter-clockwise. It is a line unless the sheet
/// is closed.
TESSERA_KERNEL inline Index first_of_sheet(const surface::DynamicView& mesh, Index h) {
  Index first = h;
  while (!mesh.is_line(first)) {
    first = surface::DynamicView::next(mesh.twins[first]);
    if (first == h) break;
  }
  return first;
}

/// Calls f(half-edge that leaves the vertex) for the faces of a sheet.
template <class F>
TESSERA_KERNEL void visit_sheet(const surface::DynamicView& mesh, Index h, const F& f) {
  const Index first = first_of_sheet(mesh, h);
  Index g = first;
  do {
    f(g);
    const Index back = surface::DynamicView::previous(g);
    if (mesh.is_line(back)) return;
    g = mesh.twins[back];
  } while (g != first);
}

/// Calls f(half-edge) for a face at each vertex next to that of a sheet, where the half-edge leaves
/// that vertex.
template <class F>
TESSERA_KERNEL void visit_neighbours(const surface::DynamicView& mesh, Index h, const F& f) {
  visit_sheet(mesh, h, [&](Index g) {
    f(surface::DynamicView::next(g));
    const Index back = surface::DynamicView::previous(g);
    if (mesh.is_line(back)) f(back);
  });
}

/// The normal of a half-edge's face, as long as its angle where the half-edge starts, or less for a
/// sliver: the sum over the faces at a vertex has the direction of the surface's normal there.
TESSERA_KERNEL inline Vec3d corner_normal(const surface::DynamicView& mesh, Index h) {
  const Vec3d area = mesh.area(h / 3);
  const double size = length(area);
  if (!(size > 0)) return Vec3d{};
  const double share = mesh.height_ratio(h / 3) / surface::DynamicView::sliver_ratio;
  return area * (mesh.angle(h) / size * (share < 1 ? share : 1));
}

}  // namespace tessera::remesh::detail
