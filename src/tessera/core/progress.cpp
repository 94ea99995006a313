// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/core/progress.h"

#include <algorithm>

#include <fmt/format.h>

#include "tessera/core/error.h"

namespace tessera {

Progress::Progress(const ProgressCallback& callback, std::string_view stage, std::uint64_t total,
                   std::string_view unit)
    : callback_(callback), stage_(stage), unit_(unit), total_(total) {
  if (callback_ && callback_(stage_, 0.0) == Continue::no) throw Cancelled();
}

void Progress::advance(std::uint64_t amount) {
  if (!callback_) return;
  done_.fetch_add(amount, std::memory_order_relaxed);
  if (!cancelled_.load(std::memory_order_relaxed)) report();
  if (cancelled_.load(std::memory_order_relaxed)) throw Cancelled();
}

void Progress::report() {
  const std::unique_lock lock(reporting_, std::try_to_lock);
  if (!lock) return;  // another thread is reporting: its news is as good as ours
  const auto now = std::chrono::steady_clock::now();
  if (now < next_report_) return;
  next_report_ = now + std::chrono::milliseconds(50);
  const double done = static_cast<double>(done_.load(std::memory_order_relaxed));
  const double fraction = total_ == 0 ? 1.0 : std::min(1.0, done / static_cast<double>(total_));
  std::string stage = stage_;
  if (!unit_.empty()) {
    const double rate = done / std::chrono::duration<double>(now - start_).count();
    stage += rate < 1e6 ? fmt::format(", {:.0f} k {}/s", rate * 1e-3, unit_)
                        : fmt::format(", {:.2f} M {}/s", rate * 1e-6, unit_);
  }
  if (callback_(stage, fraction) == Continue::no) cancelled_.store(true);
}

ProgressCallback part_of(const ProgressCallback& callback, std::string_view stage, double from,
                         double to) {
  if (!callback) return {};
  return [&callback, name = std::string(stage), from, to](std::string_view, double fraction) {
    return callback(name, from + fraction * (to - from));
  };
}

}  // namespace tessera
