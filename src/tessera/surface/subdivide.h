// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/progress.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"

namespace tessera::surface {

enum class SubdivisionMethod {
  midpoint,  ///< new vertices in the middle of the edges; the surface stays the same
  /// Loop's scheme (1987), which smooths, with his weights: a vertex of n edges keeps 1 - n b of
  /// itself and takes b of each neighbour, b = (5/8 - (3/8 + cos(2 pi / n) / 4)^2) / n; a new
  /// vertex is 3/8 of each end of its edge and 1/8 of each vertex opposite. Edges that have not two
  /// faces are creases: split in the middle; a vertex of two creases is 3/4 itself and 1/8 of the
  /// other end of each, one of any other number of creases stays in its place.
  loop
};

struct SubdivideOptions {
  SubdivisionMethod method = SubdivisionMethod::midpoint;
  int levels = 1;  ///< each makes four faces out of one; 0 copies the mesh
  ProgressCallback progress{};
};

/// Cuts every face f into the faces 4 f .. 4 f + 3: at its three corners, then the middle one. The
/// vertices keep their numbers, a new one is at the number of vertices plus that of its edge, edges
/// sorted by their vertices. Orientation is kept; any mesh will do, open, non-manifold and
/// degenerate ones too (between a vertex and itself no new one is made).
///
/// Vertex attributes of a floating-point type are interpolated as the positions are; those of an
/// integer type have the value of the edge's smaller vertex. Faces pass theirs on to all four.
///
/// The result is the same on any number of threads. Throws InputError if the mesh is not valid,
/// `levels` is negative, or the result would have more elements than TriangleSoup can name (for
/// faces before any work); Cancelled if the callback says so.
TriangleSoup subdivide(const exec::Stream& stream, const TriangleSoup& mesh,
                       const SubdivideOptions& options = {});

}  // namespace tessera::surface
