// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/polyhedral_soup.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"
#include "tessera/volume/complex.h"
#include "tessera/volume/relation.h"

namespace tessera::volume::detail {

/// A complex with what is needed to tell what its cells are.
struct CellView {
  exec::View<const EdgeVertices> edge_vertices;
  TernaryView face_edges;
  TernaryView cell_faces;
  RelationView<Index> face_vertices;
  RelationView<Index> cell_edges;
  RelationView<Index> cell_vertices;

  TESSERA_KERNEL CellType type(Index c) const {
    Index corners[8];
    return find_corners(c, corners);
  }

  /// What a cell is, by how its vertices are joined; and its corners in the order of CellType
  /// unless it is a polyhedron.
  TESSERA_KERNEL CellType find_corners(Index c, Index (&corners)[8]) const {
    const CellType type = type_by_counts(c);
    if (type == CellType::polyhedron) return type;
    // The lower face, as seen from inside: against the direction that its outside asks.
    const Index size = type == CellType::tetrahedron || type == CellType::prism ? 3 : 4;
    const SignedIndex lower = first_face(c, size);
    const exec::View<const Index> loop = face_vertices.row(lower.index());
    for (Index i = 0; i < size; ++i) corners[i] = loop[lower.is_reversed() ? i : size - 1 - i];
    if (has_twice(corners, size)) return CellType::polyhedron;
    const bool has_tip = type == CellType::tetrahedron || type == CellType::pyramid;
    for (Index i = 0; i < size; ++i) {
      const Index above = neighbour_above(c, corners[i], corners, size);
      if (above == no_index) return CellType::polyhedron;
      if (!has_tip || i == 0) corners[size + i] = above;
      if (has_tip && above != corners[size]) return CellType::polyhedron;
    }
    // With the edges that the counts leave, this is the one graph that the type has, and its loops
    // of three and four edges are the faces.
    if (!has_tip)
      for (Index i = 0; i < size; ++i)
        if (!are_joined(c, corners[size + i], corners[size + (i + 1 < size ? i + 1 : 0)]))
          return CellType::polyhedron;
    return !has_tip && has_twice(corners, 2 * size) ? CellType::polyhedron : type;
  }

 private:
  /// What a cell may be by its faces and the number of its vertices.
  TESSERA_KERNEL CellType type_by_counts(Index c) const {
    const Index vertices = cell_vertices.size(c);
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

  /// The first face of a cell that has so many corners.
  TESSERA_KERNEL SignedIndex first_face(Index c, Index corners) const {
    for (const SignedIndex face : cell_faces.row(c))
      if (face_edges.size(face.index()) == corners) return face;
    return {};
  }

  TESSERA_KERNEL static bool has_twice(const Index* numbers, Index count) {
    for (Index i = 0; i < count; ++i)
      for (Index k = 0; k < i; ++k)
        if (numbers[i] == numbers[k]) return true;
    return false;
  }

  /// The one neighbour of a vertex along an edge of the cell that is none of some others; no_index
  /// unless it is one.
  TESSERA_KERNEL Index neighbour_above(Index c, Index vertex, const Index* others,
                                       Index count) const {
    Index found = no_index;
    for (const Index e : cell_edges.row(c)) {
      const EdgeVertices ends = edge_vertices[e];
      if (ends[0] != vertex && ends[1] != vertex) continue;
      const Index other = ends[0] == vertex ? ends[1] : ends[0];
      bool is_new = true;
      for (Index i = 0; i < count; ++i)
        if (others[i] == other) is_new = false;
      if (!is_new) continue;
      if (found != no_index) return no_index;
      found = other;
    }
    return found;
  }

  TESSERA_KERNEL bool are_joined(Index c, Index a, Index b) const {
    for (const Index e : cell_edges.row(c)) {
      const EdgeVertices ends = edge_vertices[e];
      if ((ends[0] == a && ends[1] == b) || (ends[0] == b && ends[1] == a)) return true;
    }
    return false;
  }
};

inline CellView cell_view(const Complex& complex) {
  return {complex.edge_vertices(), complex.face_edges(), complex.cell_faces(),
          complex.face_vertices(), complex.cell_edges(), complex.cell_vertices()};
}

}  // namespace tessera::volume::detail
