// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"
#include "tessera/surface/dynamic_view.h"

namespace tessera::surface::detail {

/// See DynamicMesh::mark_creases(); of a mesh with so many places for faces and vertices.
void mark_creases(const exec::Stream& stream, const DynamicView& mesh, Index faces, Index vertices,
                  double degrees);

}  // namespace tessera::surface::detail
