// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/polyhedral_soup.h"
#include "tessera/exec/kernel.h"
#include "tessera/volume/relation.h"

namespace tessera::volume::detail {

/// What a cell is by its faces and the number of its vertices.
TESSERA_KERNEL inline CellType cell_type(const TernaryView& face_edges,
                                         const TernaryView& cell_faces, Index vertices, Index c) {
  Index triangles = 0;
  Index quadrilaterals = 0;
  for (const SignedIndex face : cell_faces.row(c)) {
    const Index size = face_edges.size(face.index());
    if (size == 3) ++triangles;
    if (size == 4) ++quadrilaterals;
  }
  if (triangles + quadrilaterals != cell_faces.size(c)) return CellType::polyhedron;
  if (triangles == 4 && quadrilaterals == 0 && vertices == 4) return CellType::tetrahedron;
  if (triangles == 4 && quadrilaterals == 1 && vertices == 5) return CellType::pyramid;
  if (triangles == 2 && quadrilaterals == 3 && vertices == 6) return CellType::prism;
  if (triangles == 0 && quadrilaterals == 6 && vertices == 8) return CellType::hexahedron;
  return CellType::polyhedron;
}

}  // namespace tessera::volume::detail
