// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/progress.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"
#include "tessera/surface/bvh.h"

namespace tessera::surface {

/// Gives a mesh the attributes of another one that lies in about the same place, by closest points:
/// vertices have floating-point attributes as they are between the corners of the face there,
/// others from the nearest of the corners; faces have those of the face next to their middle.
/// Attributes of these names are replaced, others stay; from a mesh without faces nothing is given.
/// `surface` is the tree of the mesh `from`, where there is one already.
///
/// Throws InputError if a mesh is not valid (with a tree only where there are attributes),
/// std::invalid_argument if the tree has another number of faces, Cancelled if the callback says
/// so; `to` is as before then.
void transfer_attributes(const exec::Stream& stream, const TriangleSoup& from, const Bvh& surface,
                         TriangleSoup& to, const ProgressCallback& progress = {});
void transfer_attributes(const exec::Stream& stream, const TriangleSoup& from, TriangleSoup& to,
                         const ProgressCallback& progress = {});

}  // namespace tessera::surface
