// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "run.h"
#include "tessera/surface/analysis.h"

namespace tessera::cli {

/// Reports all figures of a mesh.
void report_info(Run& run, const surface::MeshInfo& info);

}  // namespace tessera::cli
