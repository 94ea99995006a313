// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/array.h"
#include "tessera/core/polyhedral_soup.h"
#include "tessera/exec/device.h"

namespace tessera::volume::detail {

/// Turns the polygons of all polyhedra of a soup outwards: entries become ~number where the polygon
/// is to be taken the other way round. Returns the cells whose polygons do not close them, in
/// ascending order.
Array<Index> orient_polyhedra(const exec::Stream& stream, PolyhedralSoup& soup);

}  // namespace tessera::volume::detail
