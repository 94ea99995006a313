// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "progress_bar.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace tessera::cli {
namespace {

// A signal handler can reach nothing else.
std::atomic<bool> was_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_interrupt(int) {
  was_interrupted.store(true, std::memory_order_relaxed);
}

}  // namespace

void stop_on_interrupt() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A file too large for the user's limit is then an error of write(), with its message.
  std::signal(SIGXFSZ, SIG_IGN);
}

bool interrupted() {
  return was_interrupted.load(std::memory_order_relaxed);
}

ProgressBar::ProgressBar(bool quiet) : enabled_(!quiet && isatty(STDERR_FILENO) != 0) {}

ProgressCallback ProgressBar::callback() {
  return [this](std::string_view stage, double fraction) {
    if (enabled_) draw(stage, fraction);
    return interrupted() ? Continue::no : Continue::yes;
  };
}

void ProgressBar::draw(std::string_view stage, double fraction) {
  if (!shown_ && std::chrono::steady_clock::now() - start_ < std::chrono::seconds(1)) return;
  shown_ = true;
  constexpr int width = 40;
  const int done = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * width);
  const std::string bar = fmt::format("\r{:<24} [{:=<{}}{:<{}}] {:3.0f} %", stage, "", done, "",
                                      width - done, fraction * 100);
  std::fputs(bar.c_str(), stderr);
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace tessera::cli
