// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/remesh/detail/carry_out.h"

namespace tessera::remesh::detail {

surface::UpdateReport carry_out(surface::DynamicMesh& mesh, const SplitFar& split,
                                const surface::UpdateOptions& options) {
  return surface::update(mesh, split, options);
}

}  // namespace tessera::remesh::detail
