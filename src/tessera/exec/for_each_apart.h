// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include "tessera/exec/device.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/kernel.h"

namespace tessera::exec {

namespace detail {
/// Calls f for every number of which the next is at a distance.
template <class N, class F>
struct Apart {
  N distance;
  F f;
  TESSERA_KERNEL void operator()(N i) const {
    if (i % distance == 0) f(i / distance);
  }
};
}  // namespace detail

inline namespace TESSERA_EXEC_NAMESPACE {

/// for_each() of work that takes a thread long and a lot of memory: on a GPU the fewer there are,
/// the farther they are apart, so that they do not crowd a few multiprocessors (500 collapses of
/// edges in two blocks took 1 ms, in a warp each 0.2 ms).
template <std::unsigned_integral N, class F>
void for_each_apart(const Stream& stream, N n, const F& f) {
  constexpr N threads = N{1} << 18;
  N distance = 1;
  if (stream.backend() == Backend::cuda)
    while (distance < 32 && n * distance < threads) distance *= 2;
  for_each(stream, n * distance, detail::Apart<N, F>{distance, f});
}

}  // namespace TESSERA_EXEC_NAMESPACE
}  // namespace tessera::exec
