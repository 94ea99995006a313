// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"
#include "tessera/surface/detail/edges.h"

// From face to face across edges, with one number for each half-edge instead of an EdgeTable.

namespace tessera::surface::detail {

/// next[h] is the next half-edge around the edge of half-edge h: that of the face across, or one
/// after the other where there are more than two. Nothing at a boundary.
struct WriteNext {
  EdgeView edges;
  exec::View<Index> next;
  TESSERA_KERNEL void operator()(Index e) const {
    const Index n = edges.count(e);
    for (Index i = 0; i < n; ++i)
      next[edges.half_edge(e, i)] = n == 1 ? no_index : edges.half_edge(e, i + 1 < n ? i + 1 : 0);
  }
};

/// The next face across half-edge h, of those for which accept() holds; nothing if there is none.
template <class Accept>
TESSERA_KERNEL Index next_face(exec::View<const Index> next, Index h, const Accept& accept) {
  for (Index g = next[h]; g != no_index && g != h; g = next[g])
    if (accept(g / 3)) return g / 3;
  return no_index;
}

}  // namespace tessera::surface::detail
