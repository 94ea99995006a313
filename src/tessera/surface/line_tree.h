// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/surface/bvh.h"
#include "tessera/surface/dynamic_mesh.h"

namespace tessera::surface {

/// A tree of the creases and borders of a mesh, as triangles without area, for closest points.
Bvh line_tree(DynamicMesh& mesh);

}  // namespace tessera::surface
