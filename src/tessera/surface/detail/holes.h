// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/core/array.h"
#include "tessera/core/progress.h"
#include "tessera/core/vec.h"
#include "tessera/surface/detail/edges.h"

namespace tessera::surface::detail {

/// An edge of one face, as the face uses it: from one vertex to the other. The two fans of faces in
/// which it ends tell which boundary edge is next, where a vertex alone would not.
struct BoundaryEdge {
  Index from;
  Index to;
  Index from_fan;
  Index to_fan;
  Index opposite;  ///< third vertex of its face
};

struct HoleFilling {
  Array<Triangle> faces;
  std::uint64_t filled = 0;
  std::uint64_t skipped = 0;
};

/// Triangulates the rings that boundary edges form. `rim_edges` are the mesh's edges between
/// vertices of its boundary, sorted: none of them may get another face.
HoleFilling fill_holes(const Array<Vec3d>& positions, const Array<BoundaryEdge>& boundary,
                       const Array<VertexPair>& rim_edges, std::uint64_t max_edges,
                       const ProgressCallback& callback);

}  // namespace tessera::surface::detail
