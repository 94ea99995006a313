// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/polyhedral_soup.h"

namespace tessera::io::detail {

/// Files that list the faces of every polyhedron by itself hold a face between two of them twice.
/// Joins polygons from number `first_face` on, which must all be faces of polyhedra, with the first
/// polygon of the same corners in the same order, forwards or backwards, wherever it starts; in
/// the latter case the cell gets ~number. The polygons before are all kept.
void join_shared_faces(PolyhedralSoup& mesh, Index first_face);

}  // namespace tessera::io::detail
