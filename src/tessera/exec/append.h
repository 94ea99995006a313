// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>

#include "tessera/core/vec.h"
#include "tessera/exec/atomic.h"
#include "tessera/exec/detail/cpu.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/prefetch.h"

namespace tessera::exec {

namespace detail {

/// Where a kernel puts what it finds: on a GPU straight into the list.
template <class T>
struct DirectAppender {
  View<T> list;
  View<Index> count;
  TESSERA_KERNEL void operator()(const T& item) { list[atomic_add(count[0], Index{1})] = item; }
};

/// On the CPU a shared counter is slow, so items are handed over many at a time. Only there: it is
/// marked for kernels because a kernel's function is compiled for both.
template <class T>
class BufferedAppender {
 public:
  BufferedAppender(View<T> list, View<Index> count) : list_(list), count_(count) {}

  TESSERA_KERNEL void operator()(const T& item) {
    if (waiting_ == capacity) flush();
    buffer_[waiting_++] = item;
  }

  TESSERA_KERNEL void flush() {
    const Index start = atomic_add(count_[0], waiting_);
    for (Index i = 0; i < waiting_; ++i) list_[start + i] = buffer_[i];
    waiting_ = 0;
  }

 private:
  static constexpr Index capacity = 512;

  View<T> list_;
  View<Index> count_;
  T buffer_[capacity];
  Index waiting_ = 0;
};

template <class N, class T, class F>
struct AppendFrom {
  F f;
  View<T> list;
  View<Index> count;
  TESSERA_KERNEL void operator()(N i) const {
    DirectAppender<T> append{list, count};
    f(i, append);
  }
};

}  // namespace detail

inline namespace TESSERA_EXEC_NAMESPACE {

/// Calls f(i, append) for every i below n; each append(item) adds the item to the list, at a place
/// that count[0] counts up. The order of the items varies from run to run. The list must have room
/// for them all, and count[0] starts at what is in it. An f that jumps about in memory can have two
/// members that a CPU calls some items ahead: prefetch_far(i) asks for what f(i) reads first,
/// prefetch_near(i) for what that leads to.
template <std::integral N, class T, class F>
void for_each_append(const Stream& stream, N n, const F& f, View<T> list, View<Index> count) {
  if (n <= 0) return;
  const detail::OneThread one_thread(stream.state());
  if (stream.backend() == Backend::cuda) {
    for_each(stream, n, detail::AppendFrom<N, T, F>{f, list, count});
    return;
  }
  const detail::DeviceState& device = *stream.state().device;
  const auto items = static_cast<std::size_t>(n);
  detail::cpu_for_ranges(device, items, detail::grain_for(device, items),
                         [&](std::size_t begin, std::size_t end) {
                           detail::BufferedAppender<T> append(list, count);
                           for (std::size_t i = begin; i < end; ++i) {
                             detail::prefetch_ahead<N>(f, i, end);
                             f(static_cast<N>(i), append);
                           }
                           append.flush();
                         });
}

}  // namespace TESSERA_EXEC_NAMESPACE
}  // namespace tessera::exec
