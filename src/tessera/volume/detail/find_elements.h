// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "tessera/core/polyhedral_soup.h"
#include "tessera/exec/device.h"
#include "tessera/volume/complex.h"

namespace tessera::volume::detail {

struct FoundElements {
  Complex complex;
  /// By CellType: cells whose corners were taken in the opposite order.
  std::array<Index, 5> turned_cells{};
  Index merged_polygons = 0;  ///< that are the same face as an earlier one
  Index merged_segments = 0;
};

/// The complex of a soup without degenerate cells, whose polyhedra have one orientation: finds the
/// edges and faces that cells, polygons and segments share.
FoundElements find_elements(const exec::Stream& stream, const PolyhedralSoup& soup);

}  // namespace tessera::volume::detail
