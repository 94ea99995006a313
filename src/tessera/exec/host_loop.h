// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "tessera/core/parallel.h"
#include "tessera/exec/detail/cpu.h"
#include "tessera/exec/device.h"

namespace tessera::exec {

/// Calls f(begin, end) over disjoint ranges that cover 0 .. n, in parallel on the host, for work
/// that surrounds kernels: on the threads of a CPU device, and on all of the machine's beside a
/// GPU. Waits for nothing that is in the stream. Ranges have at least `grain` numbers where there
/// are that many. An exception thrown by f reaches the caller.
template <class F>
void host_for_ranges(const Stream& stream, std::size_t n, std::size_t grain, const F& f) {
  if (stream.backend() == Backend::cpu)
    detail::cpu_for_ranges(*stream.state().device, n, grain, f);
  else
    parallel_for_ranges(n, grain, f);
}

/// The same as f(i) for each of 0 .. n - 1, where that takes little time.
template <class F>
void host_for_each(const Stream& stream, std::size_t n, const F& f) {
  constexpr std::size_t grain = 4096;
  host_for_ranges(stream, n, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) f(i);
  });
}

}  // namespace tessera::exec
