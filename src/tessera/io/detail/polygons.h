// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/io/detail/source.h"

namespace tessera::io::detail {

/// Faces of any number of corners, as most formats store them.
struct PolygonSoup {
  Array<Index> corners;         ///< vertex numbers, face after face
  Array<std::uint64_t> starts;  ///< where each face's corners start; one more entry than faces

  std::size_t size() const { return starts.empty() ? 0 : starts.size() - 1; }
};

/// How many triangles a face of that many corners becomes: at least one, so that no face is lost.
constexpr std::uint64_t triangle_count(std::uint64_t corners) {
  return corners <= 3 ? 1 : corners - 2;
}

/// Fills result.mesh.triangles from polygons, in the order of the faces, and counts
/// result.polygons. result.mesh.positions and, in the polygons' numbering,
/// result.mesh.face_attributes are there already; the attributes are spread over the triangles.
/// Indices must be in range; a face must have at least one corner. A face of one or two corners
/// repeats its last one.
///
/// A simple polygon, convex or not, is cut along diagonals inside it (ear clipping in the plane of
/// its area vector); one that is not simple still gives corners - 2 triangles over its corners.
void triangulate(const Source& source, const PolygonSoup& polygons, ReadResult& result);

}  // namespace tessera::io::detail
