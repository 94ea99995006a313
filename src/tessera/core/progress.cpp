// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/core/progress.h"

#include <algorithm>

#include "tessera/core/error.h"

namespace tessera {

Progress::Progress(const ProgressCallback& callback, std::string_view stage, std::uint64_t total)
    : callback_(callback), stage_(stage), total_(total) {
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
  if (callback_(stage_, fraction) == Continue::no) cancelled_.store(true);
}

}  // namespace tessera
