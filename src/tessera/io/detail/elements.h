// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>

#include "tessera/core/polyhedral_soup.h"
#include "tessera/io/detail/source.h"

namespace tessera::io::detail {

// Files that hold elements of all dimensions in one list (VTU, Gmsh), and how these become
// segments, polygons and cells of a PolyhedralSoup.

enum class ElementRole : std::uint8_t { none, segment, polygon, cell };

/// What an element of a file becomes, and how many entries it has there: corners, or, of a
/// polyhedron, polygons.
struct ElementShape {
  ElementRole role = ElementRole::none;
  CellType cell = CellType::tetrahedron;
  Index size = 0;
};

constexpr ElementShape segment_shape{ElementRole::segment, {}, 2};
constexpr ElementShape polygon_shape(Index corners) {
  return {ElementRole::polygon, {}, corners};
}
constexpr ElementShape cell_shape(CellType type) {
  return {ElementRole::cell, type, corners_of(type)};
}

/// Where each element goes: its number among segments, polygons or cells, and where its entries
/// start among the corners of polygons or the entries of cells.
struct ElementPlaces {
  Array<Index> numbers;
  Array<Index> entries;
};

/// Makes room for all elements behind what the mesh has already, in the order of the file: sizes
/// its arrays and fills offsets and cell types. Throws InputError where 32 bits are too few.
ElementPlaces make_room(const Source& source, const Array<ElementShape>& shapes,
                        PolyhedralSoup& mesh);

/// Where the corners of an element go, after make_room().
inline Index* entries_of(PolyhedralSoup& mesh, const ElementShape& shape,
                         const ElementPlaces& places, std::size_t element) {
  switch (shape.role) {
    case ElementRole::segment:
      return mesh.segments[places.numbers[element]].v;
    case ElementRole::polygon:
      return mesh.polygon_corners.data() + places.entries[element];
    case ElementRole::cell:
      return mesh.cell_entries.data() + places.entries[element];
    case ElementRole::none:
      break;
  }
  return nullptr;
}

/// Lets both triangles of a prism go round the other way: VTK's linear and quadratic ones do, those
/// of a PolyhedralSoup, of MEDIT and of Gmsh do not.
inline void turn_prism(Index* corners) {
  std::swap(corners[1], corners[2]);
  std::swap(corners[4], corners[5]);
}

/// The numbers of the elements in that role, ascending.
Array<Index> elements_in(const Array<ElementShape>& shapes, ElementRole role);

/// Adds attribute "ref" if any is not 0. `refs` has a number for each element of the file.
void add_refs(const Array<std::int32_t>& refs, const Array<ElementShape>& shapes,
              PolyhedralSoup& mesh);

}  // namespace tessera::io::detail
