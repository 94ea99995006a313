// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/vec.h"
#include "tessera/exec/view.h"
#include "tessera/volume/complex.h"

namespace tessera::volume {

/// The points x with dot(normal, x) >= offset are in front of it.
struct Plane {
  Vec3d normal{1, 0, 0};
  double offset = 0;
};

/// The cells whose flag, on the complex's device, is not zero, with their faces, edges, vertices
/// all attributes and what is known of their origin; the order stays. Throws std::invalid_argument
/// unless there is a flag for each cell.
Complex extract_cells(const Complex& complex, exec::View<const std::uint8_t> flags);

enum class Side { behind, front };

/// The cells on one side of a plane, by their middle, the mean of their vertices; a cell whose
/// middle lies in the plane is in front, so every cell is on one side. Cells stay whole, so the cut
/// shows their shapes. Throws InputError if the plane's normal is zero or not finite.
Complex slice(const Complex& complex, const Plane& plane, Side side = Side::behind);

}  // namespace tessera::volume
