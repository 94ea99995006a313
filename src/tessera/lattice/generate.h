// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "tessera/core/lattice_graph.h"
#include "tessera/core/vec.h"

namespace tessera::lattice {

/// Unit cells, each with a cube of side 1 as its period.
enum class CellType {
  cubic,    ///< the cube's edges
  bcc,      ///< the centre to the eight corners
  fcc,      ///< the centres of the faces to the corners
  octet,    ///< fcc, and the octahedron between the centres of the faces
  diamond,  ///< four struts at each node, at the angles of a tetrahedron
  kelvin    ///< truncated octahedra, which fill space as foam does
};

/// "cubic", "bcc", ...
std::string_view name_of(CellType type);

struct GenerateOptions {
  CellType cell = CellType::cubic;
  Vec<std::uint32_t, 3> size{1, 1, 1};  ///< cells along x, y and z
  double cell_size = 1;                 ///< side of a cell
  double radius = 0.05;                 ///< of the nodes at the bottom
  double top_radius = -1;               ///< of those at the top; below 0: as at the bottom
  Vec3d origin{};                       ///< the lower corner of the box
};

/// A regular lattice in a box. Struts that would leave the box are left out, as are nodes without
/// struts. Throws InputError if a size is not positive or finite, a radius is negative or not
/// finite, the origin is not finite, or there are more struts than a graph can hold.
LatticeGraph generate(const GenerateOptions& options);

}  // namespace tessera::lattice
