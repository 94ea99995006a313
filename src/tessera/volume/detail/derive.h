// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/exec/device.h"
#include "tessera/exec/view.h"
#include "tessera/volume/complex.h"
#include "tessera/volume/relation.h"

namespace tessera::volume::detail {

/// For each face the vertices at which its edges start, in their order.
Relation<Index> derive_face_vertices(const exec::Stream& stream,
                                     exec::View<const EdgeVertices> edge_vertices,
                                     const TernaryView& face_edges);
/// The edges of each cell, each once, sorted. Cells are closed: each edge is used once in each
/// direction.
Relation<Index> derive_cell_edges(const exec::Stream& stream, const TernaryView& face_edges,
                                  const TernaryView& cell_faces);
/// The vertices of each cell, each once, sorted.
Relation<Index> derive_cell_vertices(const exec::Stream& stream,
                                     exec::View<const EdgeVertices> edge_vertices,
                                     const RelationView<Index>& cell_edges);

}  // namespace tessera::volume::detail
