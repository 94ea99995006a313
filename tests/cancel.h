// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <memory>
#include <string_view>
#include <thread>

#include "tessera/core/progress.h"

/// Says yes so many times and then no. Takes its time, so that a Progress, which asks twenty times
/// a second at most, asks again at the very next step.
inline tessera::ProgressCallback cancel_after(int yes) {
  return [left = std::make_shared<int>(yes)](std::string_view, double) {
    if ((*left)-- == 0) return tessera::Continue::no;
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    return tessera::Continue::yes;
  };
}
