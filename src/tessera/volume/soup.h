// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/polyhedral_soup.h"
#include "tessera/volume/complex.h"

namespace tessera::volume {

/// The complex as plain data, for a file: the way back from build_complex(). Tetrahedra, pyramids,
/// prisms and hexahedra become cells of corners, others polyhedra. Polygons are the faces of
/// polyhedra, faces without cells and, where faces have attributes, those on the boundary; segments
/// are the edges without faces.
PolyhedralSoup to_soup(const Complex& complex);

}  // namespace tessera::volume
