// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "tessera/core/array.h"
#include "tessera/core/error.h"
#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/detail/cpu.h"
#include "tessera/exec/detail/cuda.h"
#include "tessera/exec/device.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"

namespace tessera::exec {

/// A place in a team's scratch memory: `size` elements of T. Made by Scratch::add.
template <class T>
struct ScratchSlot {
  std::uint32_t offset;
  std::uint32_t size;
};

/// The scratch memory that a team kernel needs, declared once, beside the kernel. Up to
/// Device::team_scratch_limit() it is fast; beyond that for_each_team() says what happens.
///
///     Scratch scratch;
///     const auto counts = scratch.add<std::uint32_t>(512);
///     for_each_team(device, teams, scratch, [=] TESSERA_KERNEL(Team& team) {
///       const View<std::uint32_t> count = team.scratch(counts);
///       ...
///     });
class Scratch {
 public:
  /// Room for `size` elements, uninitialised when a team starts.
  template <class T>
  ScratchSlot<T> add(std::size_t size) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignment);
    const std::size_t offset = bytes_;
    const std::size_t end = offset + (size * sizeof(T) + alignment - 1) / alignment * alignment;
    if (size > max_bytes / sizeof(T) || end > max_bytes)
      throw std::invalid_argument("team scratch of 4 GiB or more");
    bytes_ = end;
    return {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(size)};
  }

  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t alignment = 16;
  static constexpr std::size_t max_bytes = std::numeric_limits<std::uint32_t>::max();
  std::size_t bytes_ = 0;
};

/// Several threads that work on one piece of a mesh together: a block of `Threads` threads on a
/// GPU, a single thread on the CPU. A kernel is written as phases over the items of its piece
/// (for_each), with sync() between a phase that writes scratch memory and one that reads it. What
/// is outside of for_each runs in every thread of the team, so it must not write shared memory.
template <int Threads>
class BasicTeam {
 public:
  /// Constructed by for_each_team().
  TESSERA_KERNEL BasicTeam(Index index, std::byte* scratch) : index_(index), scratch_(scratch) {}

  /// Which team this is, 0 .. teams - 1.
  TESSERA_KERNEL Index index() const { return index_; }

  /// Calls g(i) for every i below n, spread over the team's threads. On the CPU a plain loop.
  template <class G>
  TESSERA_KERNEL void for_each(Index n, const G& g) const {
#ifdef __CUDA_ARCH__
    for (Index i = threadIdx.x; i < n; i += Threads) g(i);
#else
    for (Index i = 0; i < n; ++i) g(i);
#endif
  }

  /// Calls g() in one thread of the team.
  template <class G>
  TESSERA_KERNEL void once(const G& g) const {
#ifdef __CUDA_ARCH__
    if (threadIdx.x == 0) g();
#else
    g();
#endif
  }

  /// All threads wait for each other, and see what the others wrote before.
  TESSERA_KERNEL void sync() const {
#ifdef __CUDA_ARCH__
    __syncthreads();
#endif
  }

  template <class T>
  TESSERA_KERNEL View<T> scratch(ScratchSlot<T> slot) const {
    return {reinterpret_cast<T*>(scratch_ + slot.offset), slot.size};
  }

  /// Adds to a number in scratch memory and returns what was there before. The team's threads
  /// share scratch memory among themselves only, so on the CPU this is a plain addition.
  template <class T>
  TESSERA_KERNEL T atomic_add(T& place, std::type_identity_t<T> value) const {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "GPUs add to 32 and 64 bits");
#ifdef __CUDA_ARCH__
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
      using Word = unsigned long long;
      return static_cast<T>(atomicAdd(reinterpret_cast<Word*>(&place), static_cast<Word>(value)));
    } else {
      return atomicAdd(&place, value);
    }
#else
    const T before = place;
    place = static_cast<T>(place + value);
    return before;
#endif
  }

  /// values[i] becomes the sum of values[0 .. i - 1]; returns the sum of all. Values in scratch
  /// memory, at most 32 bits each. Every thread calls it; syncs before it reads and after it has
  /// written.
  template <class T>
  TESSERA_KERNEL T exclusive_scan(View<T> values) const;

  /// The sum of what the threads give, in every thread; syncs. On the CPU its argument.
  template <class T>
  TESSERA_KERNEL T sum(T value) const;

  /// One value of T for each of up to `Capacity` items, kept by the thread that visits the item:
  /// in registers on a GPU, where it saves a trip through scratch memory. Only for_each_slot()
  /// knows which thread that is.
  template <class T, int Capacity>
  struct Slots {
#ifdef __CUDA_ARCH__
    T values[(Capacity + Threads - 1) / Threads];
#else
    T values[Capacity];
#endif
    TESSERA_KERNEL T& operator[](int slot) {
      return values[slot];
    }
  };

  /// Calls g(i, slot) for every i below n <= Capacity, where slot is the item's place in Slots:
  /// the same in every call with that Capacity.
  template <int Capacity, class G>
  TESSERA_KERNEL void for_each_slot(Index n, const G& g) const {
    assert(n <= Capacity);
#ifdef __CUDA_ARCH__
#pragma unroll
    for (int slot = 0; slot < (Capacity + Threads - 1) / Threads; ++slot) {
      const Index i = threadIdx.x + static_cast<Index>(slot) * Threads;
      if (i < n) g(i, slot);
    }
#else
    for (Index i = 0; i < n; ++i) g(i, static_cast<int>(i));
#endif
  }

 private:
  Index index_;
  std::byte* scratch_;
};

/// 128 threads suit patches of about 512 faces best on an H200: 256 take 1.2 times, 512 take 1.5
/// times as long for the same query.
using Team = BasicTeam<128>;

template <int Threads>
template <class T>
TESSERA_KERNEL T BasicTeam<Threads>::exclusive_scan(View<T> values) const {
  static_assert(std::is_integral_v<T> && sizeof(T) <= 4);
#ifdef __CUDA_ARCH__
  static_assert(Threads % 32 == 0 && Threads <= 1024);
  // Each thread takes a run of neighbouring values, the block scans the sums of the runs.
  constexpr unsigned whole_warp = 0xffffffffu;
  constexpr int warps = Threads / 32;
  __shared__ T warp_sum[warps];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const Index n = static_cast<Index>(values.size());
  const Index run = (n + Threads - 1) / Threads;
  const Index begin = min(n, threadIdx.x * run);
  const Index end = min(n, begin + run);
  __syncthreads();
  T own = 0;
  for (Index i = begin; i < end; ++i) own += values[i];
  T inclusive = own;
  for (int step = 1; step < 32; step *= 2) {
    const T left = __shfl_up_sync(whole_warp, inclusive, step);
    if (lane >= step) inclusive += left;
  }
  if (lane == 31) warp_sum[warp] = inclusive;
  __syncthreads();
  T before = inclusive - own;
  T total = 0;
  for (int w = 0; w < warps; ++w) {
    if (w < warp) before += warp_sum[w];
    total += warp_sum[w];
  }
  for (Index i = begin; i < end; ++i) {
    const T value = values[i];
    values[i] = before;
    before += value;
  }
  __syncthreads();
  return total;
#else
  T total = 0;
  for (T& value : values) {
    const T own = value;
    value = total;
    total = static_cast<T>(total + own);
  }
  return total;
#endif
}

template <int Threads>
template <class T>
TESSERA_KERNEL T BasicTeam<Threads>::sum(T value) const {
#ifdef __CUDA_ARCH__
  constexpr unsigned whole_warp = 0xffffffffu;
  __shared__ T warp_sum[Threads / 32];
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(whole_warp, value, step);
  __syncthreads();  // an earlier call's sums have been read
  if (threadIdx.x % 32 == 0) warp_sum[threadIdx.x / 32] = value;
  __syncthreads();
  T total = 0;
  for (int w = 0; w < Threads / 32; ++w) total += warp_sum[w];
  return total;
#else
  return value;
#endif
}

namespace detail {

inline void check_team_launch(const StreamState& stream, std::uint64_t teams) {
  if (teams > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
    throw DeviceError("a team kernel of " + std::to_string(teams) + " teams is more than " +
                      stream.device->name + " can start");
}

#ifdef __CUDACC__
template <int Threads, class F>
__global__ void __launch_bounds__(Threads) run_team(const F f) {
  extern __shared__ __align__(16) std::byte team_scratch[];
  BasicTeam<Threads> team(blockIdx.x, team_scratch);
  f(team);
}

/// The same where shared memory has no room: each block works through several teams, in its own
/// slice of global memory.
template <int Threads, class F>
__global__ void __launch_bounds__(Threads)
    run_team_in_memory(const F f, unsigned teams, std::byte* arena, std::size_t slice) {
  std::byte* own = arena + blockIdx.x * slice;
  for (unsigned t = blockIdx.x; t < teams; t += gridDim.x) {
    BasicTeam<Threads> team(t, own);
    f(team);
    __syncthreads();  // the next team writes where this one reads
  }
}

template <int Threads, class F>
void launch_teams(const StreamState& stream, unsigned teams, std::size_t bytes, const F& f) {
  const DeviceState& device = *stream.device;
  auto* kernel = run_team<Threads, F>;
  // Beyond 48 KiB, the kilobyte of a team's own included, CUDA wants to be asked first: for all
  // that there is, so that two threads who ask for one kernel ask for the same.
  constexpr std::size_t without_asking = std::size_t{47} * 1024;
  if (bytes > without_asking)
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(device.team_scratch_limit)),
               "cudaFuncSetAttribute", device);
  kernel<<<teams, Threads, bytes, cuda_stream(stream)>>>(f);
}

template <int Threads, class F>
void launch_teams_in_memory(const Stream& stream, unsigned teams, std::size_t bytes, const F& f) {
  // As many blocks as run at once, if their slices fit in that much memory.
  constexpr std::size_t largest_arena = std::size_t{1} << 30;
  const DeviceState& device = *stream.state().device;
  auto* kernel = run_team_in_memory<Threads, F>;
  int processors = 0;
  check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device.ordinal),
             "cudaDeviceGetAttribute", device);
  int blocks_each = 0;
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_each, kernel, Threads, 0),
             "cudaOccupancyMaxActiveBlocksPerMultiprocessor", device);
  const std::size_t slice = (bytes + 255) / 256 * 256;
  const std::size_t at_once = static_cast<std::size_t>(processors) * blocks_each;
  const std::size_t blocks = std::max<std::size_t>(
      1, std::min({static_cast<std::size_t>(teams), at_once, largest_arena / slice}));
  Buffer<std::byte> arena(stream, blocks * slice);
  kernel<<<static_cast<unsigned>(blocks), Threads, 0, cuda_stream(stream.state())>>>(
      f, teams, arena.view().data(), slice);
}
#endif

}  // namespace detail

inline namespace TESSERA_EXEC_NAMESPACE {

/// Calls f(team) for `teams` teams, in parallel and in any order, each with its own scratch
/// memory. An exception thrown by f on the CPU reaches the caller.
///
/// A team whose scratch memory is larger than Device::team_scratch_limit() gets it from the
/// device's main memory: on a GPU that is several times slower, and fewer teams may run at once.
/// Throws DeviceError where there is not enough of that either.
template <int Threads = 128, class F>
void for_each_team(const Stream& stream, std::uint64_t teams, const Scratch& scratch, const F& f) {
  detail::check_team_launch(stream.state(), teams);
  if (teams == 0) return;
  const detail::OneThread one_thread(stream.state());
  if (stream.backend() == Backend::cuda) {
#ifdef __CUDACC__
    const detail::StreamState& state = stream.state();
    detail::make_current(*state.device);
    if (scratch.bytes() <= state.device->team_scratch_limit)
      detail::launch_teams<Threads>(state, static_cast<unsigned>(teams), scratch.bytes(), f);
    else
      detail::launch_teams_in_memory<Threads>(stream, static_cast<unsigned>(teams), scratch.bytes(),
                                              f);
    detail::check_cuda(cudaGetLastError(), "for_each_team", *state.device);
#else
    detail::throw_compiled_for_cpu_only(stream.state(), "for_each_team");
#endif
    return;
  }
  const auto run_teams = [&](std::size_t begin, std::size_t end) {
    // One arena for a run of teams: it stays in the cache from one to the next.
    Array<std::byte> arena(scratch.bytes());
    for (std::size_t t = begin; t < end; ++t) {
#ifndef NDEBUG
      std::fill(arena.begin(), arena.end(), std::byte{0xcd});  // as uninitialised as on a GPU
#endif
      BasicTeam<Threads> team(static_cast<Index>(t), arena.data());
      f(team);
    }
  };
  detail::cpu_for_ranges(*stream.state().device, static_cast<std::size_t>(teams), 1, run_teams);
}

}  // namespace TESSERA_EXEC_NAMESPACE
}  // namespace tessera::exec
