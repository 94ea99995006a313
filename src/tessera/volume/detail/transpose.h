// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "tessera/core/vec.h"
#include "tessera/exec/device.h"
#include "tessera/exec/view.h"
#include "tessera/volume/complex.h"
#include "tessera/volume/relation.h"

namespace tessera::volume::detail {

/// How rows come to be sorted.
enum class TransposeBy {
  counting,  ///< count, scan, fill; then a thread sorts each row
  sorting    ///< a stable sort of all entries by their columns
};

/// What is faster: sorting on a GPU where rows are long, since there the thread that has the
/// longest one holds up all others. On an H200, 786 thousand tetrahedra: the faces of vertices 0.24
/// ms by sorting and 0.60 by counting, the faces of edges 0.22 and 0.17.
TransposeBy best_transpose(const exec::Stream& stream, Index entries, Index columns);

/// The relation from columns to rows: row c lists the rows that have c, sorted, with their signs.
TernaryMatrix transpose(const exec::Stream& stream, const TernaryView& matrix, Index columns,
                        std::optional<TransposeBy> method = {});
Relation<Index> transpose(const exec::Stream& stream, const RelationView<Index>& relation,
                          Index columns, std::optional<TransposeBy> method = {});
/// The edges of each vertex; those that start there are reversed.
TernaryMatrix transpose_edges(const exec::Stream& stream,
                              exec::View<const EdgeVertices> edge_vertices, Index vertices,
                              std::optional<TransposeBy> method = {});

}  // namespace tessera::volume::detail
