// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
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

/// Joins meshes that come one after the other into one: vertices of equal coordinates become one,
/// numbered as they first appear. For sources that cannot be held at once; the parts should be
/// welded already, since this is serial. Memory beyond the result: 4 to 16 bytes for each vertex.
class Joiner {
 public:
  /// `mesh` has room for what is to come, as far as the caller can tell.
  explicit Joiner(TriangleSoup& mesh);

  void append(const TriangleSoup& part);

 private:
  /// The vertex at that place, a new one if there was none.
  Index join(const Vec3d& position);
  void grow_table();

  TriangleSoup& mesh_;
  Array<Index> slots_;  ///< vertices by hash of their place, at most half full
  std::uint64_t seed_;
};

}  // namespace tessera::io::detail
