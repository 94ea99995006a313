// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tessera/core/array.h"
#include "tessera/exec/detail/cpu.h"
#include "tessera/exec/detail/cuda.h"
#include "tessera/exec/device.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"

#ifdef __CUDACC__
#include <cub/device/device_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#endif

namespace tessera::exec {

/// Combiners for reduce().
struct Plus {
  template <class A, class B>
  TESSERA_KERNEL constexpr std::common_type_t<A, B> operator()(const A& a, const B& b) const {
    using Sum = std::common_type_t<A, B>;
    return static_cast<Sum>(static_cast<Sum>(a) + static_cast<Sum>(b));
  }
};
struct Minimum {
  template <class T>
  TESSERA_KERNEL constexpr T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
struct Maximum {
  template <class T>
  TESSERA_KERNEL constexpr T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};

namespace detail {
template <class T, class V>
struct ElementAs {
  View<const V> from;
  TESSERA_KERNEL T operator()(std::size_t i) const { return static_cast<T>(from[i]); }
};

#ifdef __CUDACC__
/// Runs a reduction of CUB whose result a kernel writes to pinned memory, and waits for it.
template <class T, class Call>
T cub_reduce(const Stream& stream, std::uint64_t count, const Call& call) {
  static_assert(sizeof(T) <= result_bytes);
  auto* result = static_cast<T*>(stream.state().result);
  run_cub(stream.state(), "reduce", {count},
          [&](void* temporary, std::size_t& bytes, cudaStream_t cuda) {
            return call(temporary, bytes, result, cuda);
          });
  stream.synchronize();
  return *result;
}
#endif
}  // namespace detail

inline namespace TESSERA_EXEC_NAMESPACE {

/// combine(... combine(identity, map(0)) ..., map(n - 1)), bracketed in a way that depends on n
/// alone on the CPU, and on n and the kind of GPU there: floating-point results do not vary with
/// the number of threads or from run to run. `combine` is associative, `identity` its neutral
/// element. Waits for the result.
template <std::integral N, class T, class Map, class Combine>
T reduce(const Stream& stream, N n, T identity, const Map& map, const Combine& combine) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (n <= 0) return identity;
  const detail::OneThread one_thread(stream.state());
  if (stream.backend() == Backend::cuda) {
#ifdef __CUDACC__
    return detail::cub_reduce<T>(
        stream, static_cast<std::uint64_t>(n),
        [&](void* temporary, std::size_t& bytes, T* result, cudaStream_t cuda) {
          return cub::DeviceReduce::TransformReduce(temporary, bytes,
                                                    thrust::counting_iterator<N>(0), result, n,
                                                    combine, map, identity, cuda);
        });
#else
    detail::throw_compiled_for_cpu_only(stream.state(), "reduce");
#endif
  }
  const auto count = static_cast<std::size_t>(n);
  const auto reduce_range = [&](std::size_t begin, std::size_t end) {
    T sum = identity;
    for (std::size_t i = begin; i < end; ++i) sum = combine(sum, map(static_cast<N>(i)));
    return sum;
  };
  Array<T> partial(detail::block_count(count));
  detail::cpu_for_blocks(*stream.state().device, count,
                         [&](std::size_t block, std::size_t begin, std::size_t end) {
                           partial[block] = reduce_range(begin, end);
                         });
  T total = identity;
  for (const T& sum : partial) total = combine(total, sum);
  return total;
}

/// The combination of the elements themselves: reduce(device, view, 0.0, Plus{}).
template <class V, class T, class Combine>
T reduce(const Stream& stream, View<V> values, T identity, const Combine& combine) {
  const View<const V> from = values;
#ifdef __CUDACC__
  if constexpr (std::is_same_v<std::remove_const_t<V>, T>) {
    // CUB loads wide words from a pointer, which it cannot do through map().
    if (stream.backend() == Backend::cuda && !from.empty())
      return detail::cub_reduce<T>(
          stream, from.size(),
          [&](void* temporary, std::size_t& bytes, T* result, cudaStream_t cuda) {
            return cub::DeviceReduce::Reduce(temporary, bytes, from.data(), result, from.size(),
                                             combine, identity, cuda);
          });
  }
#endif
  return reduce(stream, from.size(), identity, detail::ElementAs<T, V>{from}, combine);
}

}  // namespace TESSERA_EXEC_NAMESPACE
}  // namespace tessera::exec
