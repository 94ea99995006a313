// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/exec/view.h"

namespace tessera::surface::detail {

/// Triangles in an order in which neighbours in space are near each other in memory, whatever the
/// order of the input: everything done with them afterwards finds its data in the cache.
struct SortedFaces {
  exec::Buffer<Triangle> triangles;     ///< sorted, with the new numbers of their vertices
  exec::Buffer<Index> input_of_face;    ///< number in the input
  exec::Buffer<Index> input_of_vertex;  ///< number in the input
};

/// Vertices along a Z-shaped space-filling curve, faces by their smallest vertex.
SortedFaces sort_in_space(const exec::Stream& stream, exec::View<const Vec3d> positions,
                          exec::View<const Triangle> triangles);

}  // namespace tessera::surface::detail
