// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#ifndef TESSERA_PLAIN_THREADS
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#endif

#include "tessera/core/parallel.h"

namespace tessera {

/// A number of CPU threads to run parallel work on.
class Arena {
 public:
  /// 0: one for each core. More threads than cores are allowed (tests use them), negative numbers
  /// throw std::invalid_argument.
  explicit Arena(int threads = 0);

  int threads() const { return threads_; }

  /// Runs f() with the loops of core/parallel.h limited to these threads, and returns what it
  /// returns.
  template <class F>
  auto execute(const F& f) const {
#ifdef TESSERA_PLAIN_THREADS
    struct Restore {
      int before = detail::loop_threads();
      ~Restore() { detail::loop_threads() = before; }
    } const restore;
    detail::loop_threads() = threads_;
    return f();
#else
    return arena_->execute(f);
#endif
  }

  /// How many threads the loops of the calling thread use at the moment.
  static int current_threads();

 private:
  int threads_;
#ifndef TESSERA_PLAIN_THREADS
  std::unique_ptr<tbb::global_control> more_than_cores_;  ///< oneTBB must be told of those
  std::unique_ptr<tbb::task_arena> arena_;
#endif
};

}  // namespace tessera
