// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/vec.h"
#include "tessera/exec/atomic.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/kernel.h"

// Sets of indices that many threads unite at once, without locks (after Jayanti and Tarjan,
// "A randomized concurrent algorithm for disjoint set union", 2016, with the smaller index in place
// of random priorities). A root is its own parent and any other parent is smaller than its child;
// the only change to a root is to hang it below a smaller one. So a set's root is in the end its
// smallest index, whatever the order of the calls. n sets of one index each: all_indices(n).

namespace tessera::surface::detail {

/// The smallest index of i's set as far as it is known. Shortens the path on its way: every second
/// index gets its grandparent for a parent. Another thread may have stored a nearer ancestor just
/// before, which costs a step and nothing else.
TESSERA_KERNEL inline Index find_root(exec::View<Index> parents, Index i) {
  Index parent = exec::atomic_load(parents[i]);
  while (parent != i) {
    const Index grandparent = exec::atomic_load(parents[parent]);
    if (grandparent == parent) return parent;
    exec::atomic_store(parents[i], grandparent);
    i = grandparent;
    parent = exec::atomic_load(parents[i]);
  }
  return i;
}

/// Makes the sets of a and b one.
TESSERA_KERNEL inline void unite(exec::View<Index> parents, Index a, Index b) {
  a = find_root(parents, a);
  b = find_root(parents, b);
  while (a != b) {
    if (a < b) {
      const Index larger = b;
      b = a;
      a = larger;
    }
    const Index seen = exec::atomic_compare_exchange(parents[a], a, b);
    if (seen == a) return;
    a = find_root(parents, seen);
    b = find_root(parents, b);
  }
}

/// Looks for the root without shortening paths: while all threads flatten, a path shortened by
/// another one could bring back a parent that is not the root.
struct FlattenSet {
  exec::View<Index> parents;
  TESSERA_KERNEL void operator()(Index i) const {
    Index root = exec::atomic_load(parents[i]);
    for (Index next = exec::atomic_load(parents[root]); next != root;
         next = exec::atomic_load(parents[root]))
      root = next;
    exec::atomic_store(parents[i], root);
  }
};

/// Makes every parent the smallest index of its set.
inline void flatten_sets(const exec::Stream& stream, exec::View<Index> parents) {
  exec::for_each(stream, static_cast<Index>(parents.size()), FlattenSet{parents});
}

}  // namespace tessera::surface::detail
