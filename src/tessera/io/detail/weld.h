// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>

#include "tessera/core/progress.h"
#include "tessera/core/triangle_soup.h"

namespace tessera::io::detail {

/// Triangles that repeat the coordinates of their corners, as in an STL file: nine floats in a
/// row for each face, every `stride` bytes, aligned or not.
struct FloatCorners {
  const char* first;
  std::size_t stride;
  std::size_t faces;

  Vec3f at(std::size_t corner) const {
    Vec3f position;
    const std::size_t face = corner / 3;
    std::memcpy(&position, first + face * stride + (corner - 3 * face) * sizeof(Vec3f),
                sizeof(Vec3f));
    return position;
  }
};

/// Fills mesh.positions and mesh.triangles: corners of equal coordinates (0 and -0 are equal)
/// become one vertex. Vertices are numbered as they first appear, on any number of threads.
/// Coordinates must be finite; at most as many faces as TriangleSoup allows. Advances `progress`
/// by one for each face. Memory beyond the result: 15 bytes for each face.
void weld(const FloatCorners& corners, TriangleSoup& mesh, Progress& progress);

}  // namespace tessera::io::detail
