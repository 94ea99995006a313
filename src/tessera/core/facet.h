// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/vec.h"

namespace tessera {

/// A triangle with its corners in place, counter-clockwise seen from outside.
using Facet = Vec<Vec3f, 3>;

}  // namespace tessera
