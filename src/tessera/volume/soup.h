// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/polyhedral_soup.h"
#include "tessera/volume/complex.h"

namespace tessera::volume {

/// The complex as plain data, for a file: the way back from build_complex(). Tetrahedra, pyramids,
/// prisms and hexahedra become cells of corners, others polyhedra. Polygons are the faces of
/// polyhedra, faces without cells and those that the complex's origin named; segments the edges
/// without faces and those that it named. Where faces have attributes though none was named, those
/// on the boundary are polygons too. Attributes of edges have no place in a soup.
PolyhedralSoup to_soup(const Complex& complex);

}  // namespace tessera::volume
