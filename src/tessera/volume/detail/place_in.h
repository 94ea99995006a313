// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/exec/kernel.h"
#include "tessera/volume/relation.h"

namespace tessera::volume::detail {

/// Where a number stands in a sorted row that has it; never beyond the row.
TESSERA_KERNEL inline Index place_in(const RelationView<Index>& relation, Index row, Index number) {
  Index begin = relation.begin(row);
  Index end = relation.end(row);
  constexpr Index few = 16;
  while (end - begin > few) {
    const Index middle = begin + (end - begin) / 2;
    if (relation.entries[middle] <= number)
      begin = middle;
    else
      end = middle;
  }
  while (begin + 1 < end && relation.entries[begin] != number) ++begin;
  return begin;
}

}  // namespace tessera::volume::detail
