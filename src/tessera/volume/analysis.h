// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "tessera/core/box.h"
#include "tessera/core/vec.h"
#include "tessera/volume/complex.h"

namespace tessera::volume {

/// How a number is spread over the cells. All zero if there are none.
struct CellStatistics {
  double min = 0;
  double mean = 0;
  double max = 0;
};

/// What volume::analyze() finds.
struct ComplexInfo {
  Index vertices = 0;
  Index edges = 0;
  Index faces = 0;
  Index cells = 0;
  std::int64_t euler_characteristic = 0;  ///< vertices - edges + faces - cells

  std::array<Index, 5> cells_of_type{};  ///< by CellType

  Index boundary_faces = 0;
  Index boundary_edges = 0;
  Index boundary_vertices = 0;

  Index faces_without_cells = 0;
  Index edges_without_faces = 0;
  Index vertices_without_edges = 0;
  /// Faces with two cells or more on one side.
  Index non_manifold_faces = 0;
  /// Edges around which cells make more than one fan, or meet a non-manifold face or one without
  /// cells.
  Index non_manifold_edges = 0;
  /// Vertices of such edges, and those around which cells make neither a ball nor half a one, by
  /// the Euler characteristic of what surrounds them.
  Index non_manifold_vertices = 0;

  double volume = 0;         ///< the sum over all cells, negative ones too
  Index inverted_cells = 0;  ///< of negative volume
  CellStatistics scaled_jacobian;
  CellStatistics aspect_ratio;
  std::optional<Box> bounding_box;  ///< of all vertices; nothing without any
};

ComplexInfo analyze(const Complex& complex);

/// Of all vertices; nothing without any.
std::optional<Box> bounding_box(const Complex& complex);

}  // namespace tessera::volume
