// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/progress.h"
#include "tessera/volume/complex.h"

namespace tessera::volume {

struct SubdivideOptions {
  int levels = 1;  ///< each makes a cell out of every corner of a cell; 0 changes nothing
  ProgressCallback progress{};
};

/// Catmull-Clark subdivision of volumes (Joy and MacCracken, The Refinement Rules for Catmull-Clark
/// Solids, 1996). Every vertex, edge, face and cell makes a vertex, every corner of a cell a cell:
/// a hexahedron where three edges of the cell meet, a polyhedron of 2 n quadrilaterals where n do.
///
/// The boundary follows the rules for surfaces, from boundary faces only. Where it is not a surface
/// (an edge of one boundary face or more than two) it has a crease: such an edge is cut in the
/// middle; a vertex of two such edges is half itself and a quarter of the middle of each; of any
/// other number it stays.
///
/// Numbers: new vertices follow the old ones: those of edges, faces, cells. Cell o is made for
/// entry o of cell_vertices(), face o for entry o of face_vertices() and then of cell_edges();
/// edges 2 e and 2 e + 1 are the halves of edge e, then come those of entries of face_edges() and
/// cell_faces(). Cells and faces inherit attributes (faces inside cells get zeros), floating-point
/// attributes of vertices become means; edges lose theirs. The parts of named faces and edges are
/// named.
///
/// Of a complex that validate() finds nothing wrong with. The same on any number of threads; on a
/// GPU positions differ in the last bits. Throws InputError if `levels` is negative or the result
/// would have more elements than signed 32-bit numbers can name; Cancelled if the callback says so.
Complex subdivide(const Complex& complex, const SubdivideOptions& options = {});

}  // namespace tessera::volume
