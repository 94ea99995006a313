// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "tessera/core/parallel.h"

namespace tessera {

/// The smallest i below n for which `bad(i)`, or n.
template <class Bad>
std::size_t find_first(std::size_t n, Bad bad) {
  return parallel_reduce(
      n, 16384, n,
      [&](std::size_t begin, std::size_t end, std::size_t first) {
        if (first < begin) return first;
        for (std::size_t i = begin; i < end; ++i)
          if (bad(i)) return std::min(first, i);
        return first;
      },
      [](std::size_t a, std::size_t b) { return std::min(a, b); });
}

}  // namespace tessera
