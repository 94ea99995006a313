// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/array.h"
#include "tessera/core/polyhedral_soup.h"
#include "tessera/volume/complex.h"

namespace tessera::volume {

/// Of each cell.
struct CellQualities {
  Array<CellType> types;
  /// Positive where the faces point outwards; of faces that are not flat, by fans around the mean
  /// of their vertices.
  Array<double> volumes;
  /// The smallest, over the corners where three edges meet, of the volume that these span, made
  /// unit vectors: 1 for a cube, at most 0 where the cell is turned inside out there. Scaled so
  /// that a regular tetrahedron, a pyramid or a prism of equal edges has 1 too. Not a number where
  /// no three edges meet alone, or coordinates are too large to multiply.
  Array<float> scaled_jacobians;
  /// The longest edge over the shortest, 1 at best; infinite if one has no length.
  Array<float> aspect_ratios;
};

CellQualities cell_qualities(const Complex& complex);

}  // namespace tessera::volume
