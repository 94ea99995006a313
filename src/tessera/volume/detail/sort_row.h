// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"
#include "tessera/volume/relation.h"

namespace tessera::volume::detail {

/// Lets entry `at` sink to its place in a heap whose largest entry comes first.
template <class Entry>
TESSERA_KERNEL void sink(Entry* heap, Index at, Index size) {
  const Entry entry = heap[at];
  for (Index child = 2 * at + 1; child < size; child = 2 * at + 1) {
    if (child + 1 < size && index_of(heap[child]) < index_of(heap[child + 1])) ++child;
    if (index_of(heap[child]) <= index_of(entry)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = entry;
}

/// Sorts a row by number, in place, by one thread. Rows are short; a vertex or an edge that a
/// million cells share still takes n log n steps.
template <class Entry>
TESSERA_KERNEL void sort_row(Entry* row, Index size) {
  constexpr Index few = 48;
  if (size <= few) {
    for (Index i = 1; i < size; ++i) {
      const Entry entry = row[i];
      Index j = i;
      for (; j > 0 && index_of(row[j - 1]) > index_of(entry); --j) row[j] = row[j - 1];
      row[j] = entry;
    }
    return;
  }
  for (Index i = size / 2; i-- > 0;) sink(row, i, size);
  for (Index last = size - 1; last > 0; --last) {
    const Entry largest = row[0];
    row[0] = row[last];
    row[last] = largest;
    sink(row, Index{0}, last);
  }
}

}  // namespace tessera::volume::detail
