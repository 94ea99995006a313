// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tessera/core/polyhedral_soup.h"
#include "tessera/exec/device.h"
#include "tessera/volume/complex.h"

namespace tessera::volume {

struct BuildResult {
  Complex complex;
  /// Cells that are none once corners in one place are taken as one, for they have fewer than four
  /// faces or are not closed; left out.
  Index degenerate_cells = 0;
  /// Polyhedra whose polygons do not close them, or that list a polygon twice; left out.
  Index open_cells = 0;
  /// By CellType: cells that were turned, all of their type, since most of them pointed inwards.
  std::array<Index, 5> turned_cells{};
  /// Polygons that are the same face as an earlier one, segments that are the same edge: taken as
  /// one.
  Index merged_polygons = 0;
  Index merged_segments = 0;
  /// One sentence for each of these that is not zero.
  std::vector<std::string> notes;
};

/// Finds the edges and faces that cells, polygons and segments share. Vertices keep their numbers,
/// and cells do unless some are left out; edges are sorted by their vertices and point from the
/// smaller number to the larger, faces are sorted by the smallest of their vertices.
///
/// Cells point outwards: where more cells of a type have negative volume than positive, the file
/// numbers their corners the other way round, and all of that type are turned. Single cells that
/// are turned inside out stay as they are, so that their faces match their neighbours'. The same
/// holds for polyhedra whose polygons close them with the directions that are given, cavities and
/// all; others are turned outwards one by one, a shell within the box of another inwards. A
/// hexahedron with corners in one place becomes the cell that is left of it. Attributes of polygons
/// go to their faces, those of segments to their edges; others get zeros.
///
/// Throws InputError if the soup is not valid, a polygon or segment visits a vertex twice in a row,
/// a polygon goes along an edge twice, or there are more elements than signed 32-bit numbers can
/// name.
BuildResult build_complex(const exec::Stream& stream, const PolyhedralSoup& soup);

}  // namespace tessera::volume
