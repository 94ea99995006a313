// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/vec.h"
#include "tessera/surface/mesh_attribute.h"
#include "tessera/surface/patched_mesh.h"

namespace tessera::surface {

/// How much the faces at a vertex count for its normal.
enum class NormalWeight {
  area,   ///< as their area
  angle,  ///< as their angle at the vertex, which does not depend on how a region is triangulated
  /// As sine over the product of the two sides at the vertex (Max 1999): exact on spheres.
  max
};

/// Unit normals of all vertices: the weighted mean of their faces' normals. Zero where it has no
/// direction, as at a vertex without faces. On a GPU sums are made in an order that varies, so the
/// last bit may differ from run to run. Throws std::invalid_argument if the positions belong to
/// another mesh.
VertexAttribute<Vec3f> vertex_normals(const PatchedMesh& mesh,
                                      const VertexAttribute<Vec3f>& positions,
                                      NormalWeight weight = NormalWeight::area);

}  // namespace tessera::surface
