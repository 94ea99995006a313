// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/polyhedral_soup.h"
#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"

namespace tessera::volume::detail {

/// A face of a cell of few corners.
struct LocalFace {
  int size = 0;
  Index corner[4]{};
};

TESSERA_KERNEL constexpr int face_count(CellType type) {
  switch (type) {
    case CellType::tetrahedron:
      return 4;
    case CellType::pyramid:
    case CellType::prism:
      return 5;
    case CellType::hexahedron:
      return 6;
    case CellType::polyhedron:
      return 0;
  }
  return 0;
}

/// Which corners face `face` of a cell has, counter-clockwise seen from outside.
TESSERA_KERNEL constexpr LocalFace local_face(CellType type, int face) {
  // A table of faces, each of four corners; 9 stands for no corner.
  constexpr Index none = 9;
  switch (type) {
    case CellType::tetrahedron: {
      constexpr Index table[4][4] = {
          {0, 2, 1, none}, {0, 1, 3, none}, {1, 2, 3, none}, {2, 0, 3, none}};
      return {3, {table[face][0], table[face][1], table[face][2], none}};
    }
    case CellType::pyramid: {
      constexpr Index table[5][4] = {
          {0, 3, 2, 1}, {0, 1, 4, none}, {1, 2, 4, none}, {2, 3, 4, none}, {3, 0, 4, none}};
      return {face == 0 ? 4 : 3, {table[face][0], table[face][1], table[face][2], table[face][3]}};
    }
    case CellType::prism: {
      constexpr Index table[5][4] = {
          {0, 2, 1, none}, {3, 4, 5, none}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}};
      return {face < 2 ? 3 : 4, {table[face][0], table[face][1], table[face][2], table[face][3]}};
    }
    case CellType::hexahedron: {
      constexpr Index table[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                     {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
      return {4, {table[face][0], table[face][1], table[face][2], table[face][3]}};
    }
    case CellType::polyhedron:
      break;
  }
  return {};
}

/// The face of a cell with the vertices themselves for corners; corners in one place are one, and
/// fewer than three of them no face (size 0).
TESSERA_KERNEL constexpr LocalFace face_of(CellType type, const Index* vertices, int face) {
  const LocalFace local = local_face(type, face);
  LocalFace result;
  for (int i = 0; i < local.size; ++i) {
    const Index v = vertices[local.corner[i]];
    const bool again = result.size > 0 && v == result.corner[result.size - 1];
    const bool closes = i + 1 == local.size && result.size > 0 && v == result.corner[0];
    if (!again && !closes) result.corner[result.size++] = v;
  }
  if (result.size < 3) result.size = 0;
  return result;
}

}  // namespace tessera::volume::detail
