// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tessera/core/array.h"
#include "tessera/core/attribute.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/core/vec.h"

namespace tessera {

/// Kinds of cells. Corners are numbered as MEDIT and Gmsh do: of a pyramid the base goes round and
/// the top is last; of a prism and a hexahedron the lower face goes round, then the upper one in
/// the same way. The lower face is seen counter-clockwise from inside the cell. VTK does the same
/// with all but prisms, which its reader and writer turn.
enum class CellType : std::uint8_t { tetrahedron, pyramid, prism, hexahedron, polyhedron };

/// How many corners; 0 for polyhedra, which have any number.
constexpr Index corners_of(CellType type) {
  constexpr Index corners[] = {4, 5, 6, 8, 0};
  return corners[static_cast<int>(type)];
}

/// "tetrahedron", ...
std::string_view name_of(CellType type);

/// Two vertices.
using Segment = Vec<Index, 2>;

/// A volume mesh as plain data: what files hold and what volume::Complex is built from. Nothing is
/// promised about the quality: cells may overlap or be turned inside out, polygons may belong to no
/// cell. Indices are in range and coordinates finite; validate() checks that.
struct PolyhedralSoup {
  Array<Vec3d> positions;

  /// Edges that the file names. Those of polygons and cells need not be among them.
  Array<Segment> segments;

  /// Faces that the file names, each with the numbers polygon_corners[polygon_offsets[i]] to
  /// [polygon_offsets[i + 1]] of its corners all round: parts of the boundary, faces without cells,
  /// and the faces of polyhedra. Those of other cells need not be among them.
  Array<Index> polygon_offsets{0};
  Array<Index> polygon_corners;

  /// Cell i has the entries cell_entries[cell_offsets[i]] to [cell_offsets[i + 1]]: its corners,
  /// or, for a polyhedron, the numbers of its polygons; one whose normal points into the cell may
  /// be given as ~number. Turning polygons outwards is not asked of files, so not of soups.
  Array<CellType> cell_types;
  Array<Index> cell_offsets{0};
  Array<Index> cell_entries;

  Attributes vertex_attributes;
  Attributes segment_attributes;
  Attributes polygon_attributes;
  Attributes cell_attributes;
  Precision precision = Precision::float64;

  std::size_t polygon_count() const { return polygon_offsets.size() - 1; }
  std::size_t cell_count() const { return cell_types.size(); }

  /// Nothing if all is well, else one sentence naming the first element that is wrong. A polygon
  /// has three corners at least, a polyhedron four polygons, other cells as many corners as their
  /// type says; attributes of one kind have different names.
  std::optional<std::string> validate() const;
};

}  // namespace tessera
