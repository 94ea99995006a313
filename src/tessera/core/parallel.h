// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#ifdef TESSERA_PLAIN_THREADS
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
#else
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#endif

// The parallel loops that everything on the CPU is made of, exec/ included. They run on the threads
// of the Arena around the call, and an exception thrown in a loop reaches the caller.
//
// The loops are oneTBB's. That library comes without the instrumentation of the thread sanitizer,
// which then takes every hand-over of work between threads for a race; so the build for it
// (TESSERA_PLAIN_THREADS) has loops over std::thread, which it understands.

namespace tessera {

#ifdef TESSERA_PLAIN_THREADS

namespace detail {
/// How many threads a loop started by this thread uses; Arena sets it.
int& loop_threads();
}  // namespace detail

/// Calls f(begin, end) over disjoint ranges that cover 0 .. n - 1.
template <class F>
void parallel_for_ranges(std::size_t n, std::size_t grain, const F& f) {
  const auto threads = static_cast<std::size_t>(detail::loop_threads());
  const std::size_t step = std::max(grain, n / (4 * threads) + 1);
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::mutex error_lock;
  const auto work = [&] {
    try {
      for (std::size_t begin = 0; (begin = next.fetch_add(step)) < n;)
        f(begin, std::min(n, begin + step));
    } catch (...) {
      const std::lock_guard lock(error_lock);
      error = std::current_exception();
      next = n;
    }
  };
  std::vector<std::thread> helpers;
  for (std::size_t t = 1; t < threads && t * step < n; ++t) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  if (error) std::rethrow_exception(error);
}

#else

/// Calls f(begin, end) over disjoint ranges that cover 0 .. n - 1, of at least about grain / 2.
template <class F>
void parallel_for_ranges(std::size_t n, std::size_t grain, const F& f) {
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, n, grain),
      [&](const tbb::blocked_range<std::size_t>& range) { f(range.begin(), range.end()); });
}

#endif

/// Calls f(i) for every i below n: for pieces of work that are large enough to be tasks.
template <class F>
void parallel_for(std::size_t n, const F& f) {
  parallel_for_ranges(n, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) f(i);
  });
}

/// Combines f(begin, end, value) over ranges that cover 0 .. n - 1, each started with `identity`.
/// For what does not depend on the brackets: counts, extremes.
template <class T, class F, class Combine>
T parallel_reduce(std::size_t n, std::size_t grain, const T& identity, const F& f,
                  const Combine& combine) {
#ifdef TESSERA_PLAIN_THREADS
  T result = identity;
  std::mutex lock;
  parallel_for_ranges(n, grain, [&](std::size_t begin, std::size_t end) {
    const T value = f(begin, end, identity);
    const std::lock_guard guard(lock);
    result = combine(result, value);
  });
  return result;
#else
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, n, grain), identity,
      [&](const tbb::blocked_range<std::size_t>& range, const T& value) {
        return f(range.begin(), range.end(), value);
      },
      combine);
#endif
}

}  // namespace tessera
