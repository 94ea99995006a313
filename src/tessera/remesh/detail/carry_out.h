// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/remesh/detail/split_unit.h"
#include "tessera/remesh/detail/tolerance.h"
#include "tessera/remesh/detail/vertex_state.h"
#include "tessera/surface/dynamic_mesh.h"
#include "tessera/surface/shape_operations.h"
#include "tessera/surface/update.h"

namespace tessera::remesh::detail {

// surface::update() for the operations of adapt(), each in a file of its own: they take minutes to
// compile for a GPU.

surface::UpdateReport carry_out(surface::DynamicMesh& mesh, const SplitUnit& split,
                                const surface::UpdateOptions& options);
surface::UpdateReport carry_out(surface::DynamicMesh& mesh,
                                const surface::CollapseShort<MetricMeasure>& collapse,
                                const surface::UpdateOptions& options);
surface::UpdateReport carry_out(surface::DynamicMesh& mesh,
                                const surface::FlipEdges<MetricMeasure>& flip,
                                const surface::UpdateOptions& options);
surface::UpdateReport carry_out(surface::DynamicMesh& mesh, const SplitFar& split,
                                const surface::UpdateOptions& options);
surface::UpdateReport carry_out(surface::DynamicMesh& mesh, const FlipChanged& flip,
                                const surface::UpdateOptions& options);

}  // namespace tessera::remesh::detail
