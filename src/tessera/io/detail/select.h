// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tessera/core/array.h"
#include "tessera/core/parallel.h"
#include "tessera/core/vec.h"

namespace tessera::io::detail {

/// Cuts 0 .. n - 1 into blocks for passes that first count and then fill: a block's borders do not
/// depend on the threads.
struct Blocks {
  static constexpr std::size_t size = 65536;

  explicit Blocks(std::size_t elements) : n(elements), count((elements + size - 1) / size) {}

  /// Calls f(block, begin, end) for all blocks, in parallel.
  template <class F>
  void for_each(const F& f) const {
    parallel_for(count, [&](std::size_t b) { f(b, b * size, std::min(n, (b + 1) * size)); });
  }

  std::size_t n;
  std::size_t count;
};

/// The numbers below n (< 2^32) for which `is`, in ascending order.
template <class Is>
Array<Index> select(std::size_t n, const Is& is) {
  const Blocks blocks(n);
  std::vector<std::size_t> starts(blocks.count + 1, 0);
  blocks.for_each([&](std::size_t b, std::size_t begin, std::size_t end) {
    std::size_t count = 0;
    for (std::size_t i = begin; i < end; ++i) count += is(i) ? 1 : 0;
    starts[b + 1] = count;
  });
  for (std::size_t b = 0; b < blocks.count; ++b) starts[b + 1] += starts[b];
  Array<Index> selected(starts.back());
  blocks.for_each([&](std::size_t b, std::size_t begin, std::size_t end) {
    std::size_t at = starts[b];
    for (std::size_t i = begin; i < end; ++i)
      if (is(i)) selected[at++] = static_cast<Index>(i);
  });
  return selected;
}

}  // namespace tessera::io::detail
