// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/array.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/view.h"
#include "tessera/volume/complex.h"

namespace tessera::volume {

/// Which elements are on the boundary, on the complex's device: 1 or 0.
///
/// A face has two sides. It is on the boundary if a side of it has no cell: where one cell has it,
/// where several cells have it all on the same side, and where none has it. Edges and vertices are
/// on the boundary if one of their faces is.
struct BoundaryFlags {
  exec::Buffer<std::uint8_t> vertices;
  exec::Buffer<std::uint8_t> edges;
  exec::Buffer<std::uint8_t> faces;
};

BoundaryFlags boundary_flags(const Complex& complex);
/// Those of faces alone.
exec::Buffer<std::uint8_t> boundary_face_flags(const Complex& complex);

/// The faces on the boundary in ascending order, as seen from outside: reversed where the face's
/// own normal points inwards. A face without a cell is there twice, once for each side.
Array<SignedIndex> boundary_faces(const Complex& complex);

/// The boundary as a surface, counter-clockwise seen from outside. Polygons are cut into triangles,
/// concave ones by the fan that folds least; attributes of vertices and faces come along, and those
/// of the cells behind faces, as "NAME of cells" where faces have the name themselves. Where there
/// is no cell these are not a number, or 0 if they are whole numbers.
struct BoundarySurface {
  TriangleSoup mesh;
  Array<SignedIndex> faces;  ///< of the complex, for each triangle
  Array<Index> vertices;     ///< of the complex, for each vertex of the mesh
  Array<Index> cells;        ///< for each triangle the cell behind it, or no_index
};

BoundarySurface boundary_surface(const Complex& complex);

}  // namespace tessera::volume
