// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include "tessera/exec/detail/cpu.h"
#include "tessera/exec/detail/cuda.h"
#include "tessera/exec/device.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/prefetch.h"
#include "tessera/exec/view.h"

#ifdef __CUDACC__
#include <cub/device/device_for.cuh>
#endif

namespace tessera::exec {

namespace detail {
template <class T>
struct SetElement {
  View<T> target;
  T value;
  TESSERA_KERNEL void operator()(std::size_t i) const { target[i] = value; }
};
}  // namespace detail

inline namespace TESSERA_EXEC_NAMESPACE {

/// Calls f(i) for every i below n, in any order and in parallel. f is copied to the device: it
/// captures Views and plain values, by value. An exception thrown by f on the CPU reaches the
/// caller; other elements may or may not have been visited. Where f reads from all over memory, it
/// may have prefetch_far() and prefetch_near(), which a CPU calls some items ahead (prefetch.h).
template <std::integral N, class F>
void for_each(const Stream& stream, N n, const F& f) {
  if (n <= 0) return;
  const detail::OneThread one_thread(stream.state());
  if (stream.backend() == Backend::cuda) {
#ifdef __CUDACC__
    const detail::StreamState& state = stream.state();
    detail::make_current(*state.device);
    detail::check_cuda(cub::DeviceFor::Bulk(n, f, detail::cuda_stream(state)), "for_each",
                       *state.device);
#else
    detail::throw_compiled_for_cpu_only(stream.state(), "for_each");
#endif
    return;
  }
  const detail::DeviceState& device = *stream.state().device;
  const auto count = static_cast<std::size_t>(n);
  detail::cpu_for_ranges(device, count, detail::grain_for(device, count),
                         [&f](std::size_t begin, std::size_t end) {
                           const F local = f;  // so that the loop need not reload it
                           const auto last = static_cast<N>(end);
                           for (auto i = static_cast<N>(begin); i < last; ++i) {
                             detail::prefetch_ahead<N>(local, i, end);
                             local(i);
                           }
                         });
}

/// Sets every element to the value.
template <class T>
void fill(const Stream& stream, View<T> target, std::type_identity_t<T> value) {
  for_each(stream, target.size(), detail::SetElement<T>{target, value});
}

}  // namespace TESSERA_EXEC_NAMESPACE
}  // namespace tessera::exec
