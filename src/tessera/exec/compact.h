// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>
#include <stdexcept>

#include "tessera/core/array.h"
#include "tessera/exec/detail/cpu.h"
#include "tessera/exec/detail/cuda.h"
#include "tessera/exec/device.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"

#ifdef __CUDACC__
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#endif

namespace tessera::exec {
inline namespace TESSERA_EXEC_NAMESPACE {

/// Writes the numbers i below n for which `keep(i)` holds to the front of `to`, in ascending
/// order, and returns how many there are. `to` has room for n numbers. `keep` may be asked more
/// than once for the same number. Waits for the result.
template <std::unsigned_integral N, class Keep>
N compact(const Stream& stream, N n, const Keep& keep, View<N> to) {
  if (to.size() < n) throw std::invalid_argument("compact() needs room for every number");
  if (n == 0) return 0;
  const detail::OneThread one_thread(stream.state());
  if (stream.backend() == Backend::cuda) {
#ifdef __CUDACC__
    auto* count = static_cast<N*>(stream.state().result);
    detail::run_cub(stream.state(), "compact", {n},
                    [&](void* temporary, std::size_t& bytes, cudaStream_t cuda) {
                      return cub::DeviceSelect::If(temporary, bytes,
                                                   thrust::counting_iterator<N>(0), to.data(),
                                                   count, n, keep, cuda);
                    });
    stream.synchronize();
    return *count;
#else
    detail::throw_compiled_for_cpu_only(stream.state(), "compact");
#endif
  }
  const auto& device = *stream.state().device;
  Array<N> start(detail::block_count(n));
  detail::cpu_for_blocks(device, n, [&](std::size_t block, std::size_t begin, std::size_t end) {
    N kept = 0;
    for (std::size_t i = begin; i < end; ++i) kept += keep(static_cast<N>(i)) ? 1 : 0;
    start[block] = kept;
  });
  N total = 0;
  for (N& s : start) {
    const N kept = s;
    s = total;
    total += kept;
  }
  detail::cpu_for_blocks(device, n, [&](std::size_t block, std::size_t begin, std::size_t end) {
    // Without a branch that half the time goes the other way; the surplus write stays in here.
    N kept[detail::cpu_block];
    std::size_t count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      kept[count] = static_cast<N>(i);
      count += keep(static_cast<N>(i)) ? 1 : 0;
    }
    std::copy_n(kept, count, to.data() + start[block]);
  });
  return total;
}

}  // namespace TESSERA_EXEC_NAMESPACE
}  // namespace tessera::exec
