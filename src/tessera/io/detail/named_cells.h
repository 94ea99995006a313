// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/polyhedral_soup.h"

namespace tessera::io::detail {

/// Makes cells of corners of those polyhedra that are tetrahedra, pyramids, prisms or hexahedra;
/// their volume is positive then. Polygons that are faces of such cells alone are left out. There
/// must be no attributes of polygons.
void name_polyhedra(PolyhedralSoup& mesh);

}  // namespace tessera::io::detail
