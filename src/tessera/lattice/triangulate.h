// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/facet.h"
#include "tessera/exec/buffer.h"
#include "tessera/lattice/meta_mesh.h"

namespace tessera::lattice {

/// The facets of some of a lattice's struts, from number `first` on, with the parts of their nodes'
/// balls that belong to them. Those of all struts together are a closed surface: facets that meet
/// have the very same corners, and none has two equal ones.
///
/// `chord_error` is how far facets may be below the surface, and their corners above it (but never
/// more than 0.05), in units of the node's radius; 0.02 makes 14 to 16 corners around a strut.
/// Throws InputError if it is not between 1e-6 and 0.5, the struts do not exist, or they have more
/// facets than 32 bits can number (about 100 million struts).
exec::Buffer<Facet> triangulate(const MetaMesh& mesh, double chord_error, Index first, Index count);

}  // namespace tessera::lattice
