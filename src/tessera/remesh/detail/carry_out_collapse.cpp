// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/remesh/detail/carry_out.h"

namespace tessera::remesh::detail {

surface::UpdateReport carry_out(surface::DynamicMesh& mesh,
                                const surface::CollapseShort<MetricMeasure>& collapse,
                                const surface::UpdateOptions& options) {
  return surface::update(mesh, collapse, options);
}

}  // namespace tessera::remesh::detail
