// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/exec/buffer.h"
#include "tessera/remesh/detail/ground.h"
#include "tessera/remesh/detail/vertex_state.h"
#include "tessera/surface/dynamic_mesh.h"

namespace tessera::remesh::detail {

/// A step of all vertices towards the middle of their neighbours (Relocate), as far as faces allow.
/// With `are_moving`, which says what moved in the last step, only of those near what did; says
/// which have moved now.
void smooth(surface::DynamicMesh& mesh, const MetricMeasure& measure, const GroundView& ground,
            exec::Buffer<std::uint8_t>& are_moving);

}  // namespace tessera::remesh::detail
