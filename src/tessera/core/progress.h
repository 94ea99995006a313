// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace tessera {

enum class Continue { yes, no };

/// Told now and then how far a long call is: a stage ("reading") and the done fraction of that
/// stage, 0 to 1. Answering Continue::no makes the call throw Cancelled, its input untouched.
/// Called from any thread, but never from two at once.
using ProgressCallback = std::function<Continue(std::string_view stage, double fraction)>;

/// Counts the work of one stage over many threads and passes it on to a callback, at most about
/// twenty times a second. With an empty callback every call is nearly free.
class Progress {
 public:
  /// With a unit the stage says how fast it goes: "meshing, 1.3 M struts/s".
  Progress(const ProgressCallback& callback, std::string_view stage, std::uint64_t total,
           std::string_view unit = {});

  /// `amount` more of `total` is done. Throws Cancelled once the callback has asked to stop.
  void advance(std::uint64_t amount);

 private:
  void report();

  const ProgressCallback& callback_;
  std::string stage_;
  std::string unit_;
  std::uint64_t total_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<bool> cancelled_{false};
  std::mutex reporting_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point next_report_{};
};

/// What a part of a stage reports to: its fractions become those of the whole stage between two.
/// The callback must outlive it.
ProgressCallback part_of(const ProgressCallback& callback, std::string_view stage, double from,
                         double to);

}  // namespace tessera
