// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>

#include "tessera/core/progress.h"

namespace tessera::cli {

/// From now on Ctrl-C asks running work to stop instead of killing the program; a second one kills.
void stop_on_interrupt();
/// Whether it was pressed.
bool interrupted();

/// A bar on standard error, if that is a terminal, for work that takes longer than a second.
class ProgressBar {
 public:
  explicit ProgressBar(bool quiet);
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// For the options of a library call; answers Continue::no after Ctrl-C.
  ProgressCallback callback();

  /// Takes the bar off the screen.
  void clear();

 private:
  void draw(std::string_view stage, double fraction);

  bool shown_ = false;
  bool enabled_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace tessera::cli
