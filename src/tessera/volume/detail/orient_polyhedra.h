// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/array.h"
#include "tessera/core/polyhedral_soup.h"
#include "tessera/exec/device.h"

namespace tessera::volume::detail {

struct OrientedPolyhedra {
  /// The cells whose polygons do not close them, in ascending order. A polygon listed twice, or two
  /// that are one face, close nothing.
  Array<Index> open;
  /// Cells that are closed as they are given, and all turned since most of them point inwards.
  Index turned = 0;
};

/// Gives all polyhedra of a soup one orientation: entries become ~number where the polygon is to be
/// taken the other way round. Where the polygons close a cell as they are given they stay, so that
/// a cell that is inside out still matches its neighbours, and cavities are where the file has
/// them; unless most of such cells have negative volume: then all are turned. Other cells are
/// turned outwards, shell by shell; a shell within the box of the largest one is a cavity.
OrientedPolyhedra orient_polyhedra(const exec::Stream& stream, PolyhedralSoup& soup);

}  // namespace tessera::volume::detail
