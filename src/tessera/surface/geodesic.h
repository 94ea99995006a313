// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <span>

#include "tessera/core/progress.h"
#include "tessera/core/vec.h"
#include "tessera/surface/mesh_attribute.h"
#include "tessera/surface/patched_mesh.h"

namespace tessera::surface {

struct GeodesicOptions {
  /// A vertex has settled when an iteration lowers its distance by at most this share of it; 0 or
  /// more. 0 asks for distances that no further iteration changes.
  float tolerance = 1e-3F;
  /// Stops there, settled or not. Vertices that were not come to by then keep an infinite distance.
  Index max_iterations = std::numeric_limits<Index>::max();
  ProgressCallback progress{};
};

struct GeodesicResult {
  /// "distance": along the surface, to the nearest source; infinite where no path leads to one.
  VertexAttribute<float> distance;
  /// "level": the number of edges to the nearest source; no_index where no path leads to one.
  VertexAttribute<Index> level;
  Index reached = 0;     ///< vertices that a path leads to, the sources among them
  Index levels = 0;      ///< different numbers of edges: one more than the largest
  Index iterations = 0;  ///< how often a band of levels was updated
  bool settled = false;  ///< within the tolerance, before max_iterations
  float max_distance = 0;
  Index farthest_vertex = no_index;  ///< a vertex at that distance, by its number in the input
};

/// The distance along the surface from each vertex to the nearest of `sources` (numbers of vertices
/// in the input), by Parallel Topological Propagation: approximate, as fast marching is, with an
/// error that shrinks with the triangles. Any mesh will do; paths run along edges and through
/// faces, so components that share no vertex do not reach each other. The result does not depend on
/// the number of threads.
///
/// Throws InputError if there is no source or one that the mesh does not have, or if the tolerance
/// is negative or not a number; std::invalid_argument if the positions belong to another mesh;
/// Cancelled if the callback says so.
GeodesicResult geodesic_distance(const PatchedMesh& mesh, const VertexAttribute<Vec3f>& positions,
                                 std::span<const Index> sources,
                                 const GeodesicOptions& options = {});

}  // namespace tessera::surface
