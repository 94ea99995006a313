// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/io/polyhedra.h"

namespace tessera::io::detail {

/// Of a file with so many elements of higher order, which were read by their corners: drops
/// vertices that no element has, as the nodes between corners then are, and notes both. Does
/// nothing to a mesh of a file without such elements.
void drop_nodes_between_corners(std::uint64_t curved, ReadPolyhedraResult& result);

}  // namespace tessera::io::detail
