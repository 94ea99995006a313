// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/progress.h"
#include "tessera/surface/handles.h"
#include "tessera/surface/patched_mesh.h"
#include "tessera/surface/relation.h"

namespace tessera::surface {

/// For every vertex all others within k edges of it, ascending, across the borders of patches
/// (dissertation of Mahmoud, section 4.3.2.1). k = 1 is collect<Op::vv>(). A regular mesh has
/// 3 k (k + 1) of them at each vertex, which take four bytes each.
///
/// Throws InputError if k is less than 1, or if all the rings together have more vertices than
/// 32-bit offsets can count; Cancelled if the callback says so.
Relation<Vertex, Vertex> k_ring(const PatchedMesh& mesh, int k,
                                const ProgressCallback& progress = {});

}  // namespace tessera::surface
