// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/vec.h"
#include "tessera/exec/device.h"
#include "tessera/exec/view.h"
#include "tessera/volume/complex.h"
#include "tessera/volume/relation.h"

namespace tessera::volume::detail {

/// The relation from columns to rows: row c lists the rows that have c, sorted, with their signs.
TernaryMatrix transpose(const exec::Stream& stream, const TernaryView& matrix, Index columns);
Relation<Index> transpose(const exec::Stream& stream, const RelationView<Index>& relation,
                          Index columns);
/// The edges of each vertex; those that start there are reversed.
TernaryMatrix transpose_edges(const exec::Stream& stream,
                              exec::View<const EdgeVertices> edge_vertices, Index vertices);

}  // namespace tessera::volume::detail
