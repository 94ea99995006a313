// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/volume/complex.h"

namespace tessera::volume::detail {

/// Where the vertices of a subdivided complex are: those of vertices, edges, faces, cells.
exec::Buffer<Vec3d> subdivide_positions(const Complex& complex);

}  // namespace tessera::volume::detail
