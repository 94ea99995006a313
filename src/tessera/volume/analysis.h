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

/// How a number is spread over the cells for which it is finite.
struct CellStatistics {
  double min = 0;
  double mean = 0;
  double max = 0;
  Index min_cell = 0;  ///< the first cell with the smallest value
  Index max_cell = 0;
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
  /// the Euler characteristic of what surrounds them. Edges without faces do not count.
  Index non_manifold_vertices = 0;
  /// Cells with the same faces as an earlier one.
  Index duplicate_cells = 0;

  double volume = 0;         ///< the sum over all cells where it is finite, negative ones too
  Index inverted_cells = 0;  ///< of negative volume
  Index bad_cells = 0;       ///< of a scaled Jacobian of 0 or less
  /// Cells whose volume, scaled Jacobian or aspect ratio is no finite number: coordinates are too
  /// large, an edge has no length, or three edges meet nowhere. Statistics leave these out.
  Index cells_without_quality = 0;
  // Nothing where no cell has a finite value. The worst cells are scaled_jacobian->min_cell and
  // aspect_ratio->max_cell.
  std::optional<CellStatistics> scaled_jacobian;
  std::optional<CellStatistics> aspect_ratio;
  std::optional<Box> bounding_box;  ///< of all vertices; nothing without any
};

ComplexInfo analyze(const Complex& complex);

/// Of all vertices; nothing without any.
std::optional<Box> bounding_box(const Complex& complex);

}  // namespace tessera::volume
