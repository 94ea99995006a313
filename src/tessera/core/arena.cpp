// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/core/arena.h"

#include <cstddef>
#include <stdexcept>

#include <oneapi/tbb/info.h>

namespace tessera {

#ifdef TESSERA_PLAIN_THREADS

namespace detail {
int& loop_threads() {
  thread_local int threads = tbb::info::default_concurrency();
  return threads;
}
}  // namespace detail

int Arena::current_threads() {
  return detail::loop_threads();
}

#else

int Arena::current_threads() {
  return tbb::this_task_arena::max_concurrency();
}

#endif

Arena::Arena(int threads) {
  if (threads < 0) throw std::invalid_argument("the number of threads is negative");
  const int cores = tbb::info::default_concurrency();
  threads_ = threads > 0 ? threads : cores;
#ifndef TESSERA_PLAIN_THREADS
  if (threads_ > cores)
    more_than_cores_ = std::make_unique<tbb::global_control>(
        tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads_));
  arena_ = std::make_unique<tbb::task_arena>(threads_);
#endif
}

}  // namespace tessera
