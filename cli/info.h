// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "run.h"
#include "tessera/core/box.h"
#include "tessera/surface/analysis.h"

namespace tessera::cli {

/// Reports all figures of a mesh.
void report_info(Run& run, const surface::MeshInfo& info);
/// Reports the names of attributes, if there are any.
void report_attributes(Run& run, const char* key, const char* label, const Attributes& attributes);
/// Reports a bounding box and its size.
void report_box(Run& run, const std::optional<Box>& bounding_box);

}  // namespace tessera::cli
