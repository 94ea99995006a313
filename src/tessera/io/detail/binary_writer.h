// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "tessera/core/progress.h"
#include "tessera/io/detail/output_file.h"

namespace tessera::io::detail {

/// Appends elements 0 .. count - 1 of `size` bytes each. `fill(first, last, out)` stores elements
/// first .. last - 1 to `out`, aligned for any number; it is called for many such blocks at the
/// same time, from all threads of the current arena. Advances `progress` by the bytes written.
/// Memory: a block of 256 KiB for each thread.
void append_binary(OutputFile& file, std::uint64_t count, std::size_t size, Progress& progress,
                   const std::function<void(std::uint64_t, std::uint64_t, char*)>& fill);

/// Appends bytes as they are, in parallel.
void append_binary(OutputFile& file, std::span<const char> bytes, Progress& progress);

}  // namespace tessera::io::detail
