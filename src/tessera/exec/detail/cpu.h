// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "tessera/core/parallel.h"
#include "tessera/exec/detail/state.h"

namespace tessera::exec::detail {

/// Calls f(begin, end) over disjoint ranges that cover 0 .. n, on the device's threads. An
/// exception thrown by f reaches the caller.
template <class F>
void cpu_for_ranges(const DeviceState& device, std::size_t n, std::size_t grain, const F& f) {
  if (n == 0) return;
  if (n <= grain || device.arena->threads() == 1) {
    f(std::size_t{0}, n);
    return;
  }
  device.arena->execute([&] { parallel_for_ranges(n, grain, f); });
}

/// For a loop over n elements of unknown weight: few may be heavy ones, many are hardly worth a
/// task each.
inline std::size_t grain_for(const DeviceState& device, std::size_t n) {
  const auto pieces = static_cast<std::size_t>(device.arena->threads()) * 16;
  return std::clamp<std::size_t>(n / pieces, 1, 1024);
}

/// Elements in a block of a deterministic algorithm: the blocks, and so the order in which
/// floating-point numbers are added, do not depend on the number of threads. Small enough that a
/// block stays in the L1 cache between two passes, large enough to hide the cost of a task.
inline constexpr std::size_t cpu_block = 4096;

constexpr std::size_t block_count(std::size_t n, std::size_t block = cpu_block) {
  return (n + block - 1) / block;
}

/// Calls f(block, begin, end) for every block.
template <class F>
void cpu_for_blocks(const DeviceState& device, std::size_t n, const F& f,
                    std::size_t block = cpu_block) {
  cpu_for_ranges(device, block_count(n, block), 4, [&](std::size_t first, std::size_t last) {
    for (std::size_t b = first; b < last; ++b) f(b, b * block, std::min(n, (b + 1) * block));
  });
}

}  // namespace tessera::exec::detail
