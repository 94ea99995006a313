// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <iterator>

#include "tessera/io/detail/elements.h"

namespace tessera::io::detail {

/// A type of elements, numbered as Gmsh does; the corners are the first of its nodes.
struct GmshType {
  ElementShape shape;  ///< in no role where it is a point, or unknown
  Index nodes = 0;     ///< 0: unknown

  bool is_linear() const { return nodes == shape.size; }
};

inline constexpr int gmsh_point = 15;

constexpr GmshType gmsh_type(int type) {
  constexpr ElementShape tri = polygon_shape(3);
  constexpr ElementShape quad = polygon_shape(4);
  constexpr ElementShape tet = cell_shape(CellType::tetrahedron);
  constexpr ElementShape hex = cell_shape(CellType::hexahedron);
  constexpr ElementShape prism = cell_shape(CellType::prism);
  constexpr ElementShape pyramid = cell_shape(CellType::pyramid);
  constexpr GmshType types[] = {
      {},         {segment_shape, 2}, {tri, 3},           {quad, 4},          {tet, 4},
      {hex, 8},   {prism, 6},         {pyramid, 5},       {segment_shape, 3}, {tri, 6},
      {quad, 9},  {tet, 10},          {hex, 27},          {prism, 18},        {pyramid, 14},
      {{}, 1},    {quad, 8},          {hex, 20},          {prism, 15},        {pyramid, 13},
      {tri, 9},   {tri, 10},          {tri, 12},          {tri, 15},          {tri, 15},
      {tri, 21},  {segment_shape, 4}, {segment_shape, 5}, {segment_shape, 6}, {tet, 20},
      {tet, 35},  {tet, 56},          {tet, 22},          {tet, 28},          {},
      {},         {quad, 16},         {quad, 25},         {quad, 36},         {quad, 12},
      {quad, 16}, {quad, 20}};
  if (type == 92) return {hex, 64};
  if (type == 93) return {hex, 125};
  return type < 0 || type >= static_cast<int>(std::size(types)) ? GmshType{} : types[type];
}

}  // namespace tessera::io::detail
