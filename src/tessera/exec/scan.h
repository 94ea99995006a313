// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <type_traits>

#include "tessera/core/array.h"
#include "tessera/exec/detail/cpu.h"
#include "tessera/exec/detail/cuda.h"
#include "tessera/exec/device.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/view.h"

#ifdef __CUDACC__
#include <cub/device/device_scan.cuh>
#endif

namespace tessera::exec {
inline namespace TESSERA_EXEC_NAMESPACE {

/// to[i] = from[0] + ... + from[i - 1], added as numbers of the target's type: counts of 32 bits
/// can become offsets of 64. `to` and `from` may be the same memory. Give `from` one element more
/// than there are counts, set to zero, and to[n] is the total. Throws std::invalid_argument if the
/// sizes differ.
template <class S, class T>
void exclusive_scan(const Stream& stream, View<S> from, View<T> to) {
  static_assert(std::is_integral_v<S> && std::is_integral_v<T>,
                "a GPU adds floating-point numbers in an order that changes from run to run");
  if (from.size() != to.size()) throw std::invalid_argument("a scan needs views of one size");
  if (from.empty()) return;
  const detail::OneThread one_thread(stream.state());
  if (stream.backend() == Backend::cuda) {
#ifdef __CUDACC__
    detail::run_cub(stream.state(), "exclusive_scan", {from.size()},
                    [&](void* temporary, std::size_t& bytes, cudaStream_t cuda) {
                      // CUB is tuned for its own sum of one type.
                      if constexpr (std::is_same_v<std::remove_const_t<S>, T>)
                        return cub::DeviceScan::ExclusiveSum(temporary, bytes, from.data(),
                                                             to.data(), from.size(), cuda);
                      else
                        return cub::DeviceScan::ExclusiveScan(temporary, bytes, from.data(),
                                                              to.data(), Plus{}, T{0}, from.size(),
                                                              cuda);
                    });
#else
    detail::throw_compiled_for_cpu_only(stream.state(), "exclusive_scan");
#endif
    return;
  }
  // Sums of blocks, their scan, then the scan within each block.
  constexpr std::size_t block = 4 * detail::cpu_block;
  const auto& device = *stream.state().device;
  const S* source = from.data();
  T* target = to.data();
  const auto scan_range = [&](std::size_t begin, std::size_t end, T sum) {
    for (std::size_t i = begin; i < end; ++i) {
      const S value = source[i];
      target[i] = sum;
      sum = static_cast<T>(sum + static_cast<T>(value));
    }
  };
  Array<T> start(detail::block_count(from.size(), block));
  detail::cpu_for_blocks(
      device, from.size(),
      [&](std::size_t b, std::size_t begin, std::size_t end) {
        T sum = 0;
        for (std::size_t i = begin; i < end; ++i)
          sum = static_cast<T>(sum + static_cast<T>(source[i]));
        start[b] = sum;
      },
      block);
  T total = 0;
  for (T& s : start) {
    const T sum = s;
    s = total;
    total = static_cast<T>(total + sum);
  }
  detail::cpu_for_blocks(
      device, from.size(),
      [&](std::size_t b, std::size_t begin, std::size_t end) { scan_range(begin, end, start[b]); },
      block);
}

}  // namespace TESSERA_EXEC_NAMESPACE
}  // namespace tessera::exec
