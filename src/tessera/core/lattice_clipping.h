// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "tessera/core/triangle_soup.h"

namespace tessera {

/// On which side of a surface a lattice is wanted.
enum class ClipSide { inside, outside };

/// A surface that limits some struts of a lattice, those from one number on.
struct LatticeClipping {
  TriangleSoup surface;
  ClipSide keep = ClipSide::inside;
  std::size_t first_strut = 0;
  std::size_t struts = 0;  ///< how many
};

}  // namespace tessera
