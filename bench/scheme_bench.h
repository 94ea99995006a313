// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/surface/update.h"

namespace tessera::bench {

/// Operations that decide at once, so that what is timed is how they are kept apart: edges longer
/// than a length are split in the middle, and then those that are shorter than another collapsed.
struct SchemeResult {
  surface::UpdateReport splits;
  surface::UpdateReport collapses;
  double split_seconds = 0;
  double collapse_seconds = 0;
};
SchemeResult run_scheme(surface::DynamicMesh& mesh, double longest, double shortest,
                        surface::Scheme scheme);

}  // namespace tessera::bench
