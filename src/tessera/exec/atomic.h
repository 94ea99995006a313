// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>

#include "tessera/exec/kernel.h"

#ifdef __CUDACC__
#include <cuda/atomic>
#endif

// Atomic operations on elements of a Buffer that several threads of a kernel share. All are
// relaxed: they order nothing but themselves, which is all that counters and union-find need.
// Integer results do not depend on the order; floating-point sums do, so do not use them for what
// must be the same every time.

namespace tessera::exec {

namespace detail {
/// A GPU makes atomic operations on bytes out of ones on words, and so touches bytes beside them,
/// beyond the end of a buffer too.
template <class T>
inline constexpr bool fits_atomics = sizeof(T) == 4 || sizeof(T) == 8;

#ifdef __CUDA_ARCH__
template <class T>
using AtomicRef = cuda::atomic_ref<T, cuda::thread_scope_device>;
inline constexpr auto relaxed = cuda::memory_order_relaxed;
#else
template <class T>
using AtomicRef = std::atomic_ref<T>;
inline constexpr auto relaxed = std::memory_order_relaxed;
#endif
}  // namespace detail

template <class T>
TESSERA_KERNEL T atomic_load(T& place) {
  static_assert(detail::fits_atomics<T>);
  return detail::AtomicRef<T>(place).load(detail::relaxed);
}

template <class T>
TESSERA_KERNEL void atomic_store(T& place, T value) {
  static_assert(detail::fits_atomics<T>);
  detail::AtomicRef<T>(place).store(value, detail::relaxed);
}

/// Adds and returns what was there before, as all of these do.
template <class T>
TESSERA_KERNEL T atomic_add(T& place, T value) {
  static_assert(detail::fits_atomics<T>);
  return detail::AtomicRef<T>(place).fetch_add(value, detail::relaxed);
}

/// Stores `desired` if `expected` is there.
template <class T>
TESSERA_KERNEL T atomic_compare_exchange(T& place, T expected, T desired) {
  static_assert(detail::fits_atomics<T>);
  detail::AtomicRef<T>(place).compare_exchange_strong(expected, desired, detail::relaxed,
                                                      detail::relaxed);
  return expected;
}

template <class T>
TESSERA_KERNEL T atomic_min(T& place, T value) {
#ifdef __CUDA_ARCH__
  return detail::AtomicRef<T>(place).fetch_min(value, detail::relaxed);
#else
  T seen = atomic_load(place);
  while (value < seen) {
    const T before = atomic_compare_exchange(place, seen, value);
    if (before == seen) break;
    seen = before;
  }
  return seen;
#endif
}

template <class T>
TESSERA_KERNEL T atomic_max(T& place, T value) {
#ifdef __CUDA_ARCH__
  return detail::AtomicRef<T>(place).fetch_max(value, detail::relaxed);
#else
  T seen = atomic_load(place);
  while (seen < value) {
    const T before = atomic_compare_exchange(place, seen, value);
    if (before == seen) break;
    seen = before;
  }
  return seen;
#endif
}

}  // namespace tessera::exec
