// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "tessera/exec/buffer.h"
#include "tessera/exec/detail/cuda.h"
#include "tessera/exec/detail/radix_sort.h"
#include "tessera/exec/device.h"
#include "tessera/exec/kernel.h"

#ifdef __CUDACC__
#include <cub/device/device_radix_sort.cuh>
#endif

namespace tessera::exec {

inline namespace TESSERA_EXEC_NAMESPACE {

/// Sorts keys in ascending order and takes the values along; equal keys keep their order. Only the
/// lowest `key_bits` bits of a key count, and the fewer, the faster. Takes buffers rather than
/// views because a radix sort moves between two of them: the result may be in new memory, which
/// then belongs to `stream`. Throws std::invalid_argument if the sizes differ.
template <std::unsigned_integral K, class V>
void sort_pairs(const Stream& stream, Buffer<K>& keys, Buffer<V>& values,
                int key_bits = std::numeric_limits<K>::digits) {
  if (keys.size() != values.size())
    throw std::invalid_argument("a sort needs as many keys as values");
  if (keys.size() < 2) return;
  const detail::OneThread one_thread(stream.state());
  Buffer<K> other_keys(stream, keys.size());
  Buffer<V> other_values(stream, values.size());
  bool in_other = false;
  if (stream.backend() == Backend::cuda) {
#ifdef __CUDACC__
    cub::DoubleBuffer<K> key_pair(keys.view().data(), other_keys.view().data());
    cub::DoubleBuffer<V> value_pair(values.view().data(), other_values.view().data());
    detail::with_short_count(keys.size(), [&](auto n) {
      detail::run_cub(stream.state(), "sort_pairs", {n, key_bits},
                      [&](void* temporary, std::size_t& bytes, cudaStream_t cuda) {
                        return cub::DeviceRadixSort::SortPairs(temporary, bytes, key_pair,
                                                               value_pair, n, 0, key_bits, cuda);
                      });
    });
    in_other = key_pair.selector == 1;
#else
    detail::throw_compiled_for_cpu_only(stream.state(), "sort_pairs");
#endif
  } else {
    in_other = detail::cpu_radix_sort(*stream.state().device, keys.view().data(),
                                      other_keys.view().data(), values.view().data(),
                                      other_values.view().data(), keys.size(), key_bits);
  }
  if (in_other) {
    keys.swap(other_keys);
    values.swap(other_values);
  }
  other_keys.release_after(stream);
  other_values.release_after(stream);
}

/// Sorts keys alone.
template <std::unsigned_integral K>
void sort(const Stream& stream, Buffer<K>& keys, int key_bits = std::numeric_limits<K>::digits) {
  if (keys.size() < 2) return;
  const detail::OneThread one_thread(stream.state());
  Buffer<K> other_keys(stream, keys.size());
  bool in_other = false;
  if (stream.backend() == Backend::cuda) {
#ifdef __CUDACC__
    cub::DoubleBuffer<K> key_pair(keys.view().data(), other_keys.view().data());
    detail::with_short_count(keys.size(), [&](auto n) {
      detail::run_cub(stream.state(), "sort", {n, key_bits},
                      [&](void* temporary, std::size_t& bytes, cudaStream_t cuda) {
                        return cub::DeviceRadixSort::SortKeys(temporary, bytes, key_pair, n, 0,
                                                              key_bits, cuda);
                      });
    });
    in_other = key_pair.selector == 1;
#else
    detail::throw_compiled_for_cpu_only(stream.state(), "sort");
#endif
  } else {
    in_other = detail::cpu_radix_sort<K, detail::NoValue>(
        *stream.state().device, keys.view().data(), other_keys.view().data(), nullptr, nullptr,
        keys.size(), key_bits);
  }
  if (in_other) keys.swap(other_keys);
  other_keys.release_after(stream);
}

/// How many low bits the keys 0 .. count - 1 need.
constexpr int bits_for(std::uint64_t count) {
  int bits = 1;
  while (bits < 64 && (std::uint64_t{1} << bits) < count) ++bits;
  return bits;
}

}  // namespace TESSERA_EXEC_NAMESPACE
}  // namespace tessera::exec
