// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/polyhedral_soup.h"
#include "tessera/exec/device.h"
#include "tessera/volume/complex.h"

namespace tessera::volume::detail {

/// The complex of a soup without degenerate cells, whose polyhedra point outwards: finds the edges
/// and faces that cells, polygons and segments share.
Complex find_elements(const exec::Stream& stream, const PolyhedralSoup& soup);

}  // namespace tessera::volume::detail
