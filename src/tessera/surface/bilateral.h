// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/progress.h"
#include "tessera/core/vec.h"
#include "tessera/surface/mesh_attribute.h"
#include "tessera/surface/patched_mesh.h"

namespace tessera::surface {

struct BilateralOptions {
  int iterations = 5;  ///< each moves every vertex once; 0 does nothing
  ProgressCallback progress{};
};

struct BilateralResult {
  int iterations = 0;
  /// Walks that visited so many vertices that they took a second pass with more memory, over all
  /// iterations. They are slow, and rare unless some vertices have hundreds of neighbours.
  std::uint64_t wide_walks = 0;
};

/// Bilateral mesh denoising (Fleishman, Drori, Cohen-Or 2003): moves each vertex along its normal
/// to a mean height of its neighbourhood, in which neighbours count less the farther away they are
/// and the more their height differs from the vertex's. So noise goes, and edges are rounded less
/// than by a plain mean.
///
/// The normal is that of the faces at the vertex, weighted by area. The neighbourhood are the
/// vertices in a ball of twice the length of the shortest edge at the vertex (of those that have a
/// length). It is gathered ring by ring, of vertices 1, 2, 3, ... edges away, up to the first ring
/// without a vertex in the ball. The widths of the two Gaussians are the length of that edge, and
/// the standard deviation of the heights in the neighbourhood.
///
/// Any mesh will do; boundary and non-manifold vertices are treated as all others. A vertex without
/// faces, without an edge of any length, or whose faces' normals cancel out, stays where it is.
///
/// Replaces the positions. The result is the same on any number of threads. Throws InputError if
/// `iterations` is negative, std::invalid_argument if the positions are not those of the mesh,
/// Cancelled if the callback says so; then the positions are as before.
BilateralResult bilateral_denoise(const PatchedMesh& mesh, VertexAttribute<Vec3f>& positions,
                                  const BilateralOptions& options = {});

}  // namespace tessera::surface
