// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tessera/core/error.h"
#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/scan.h"

namespace tessera::lattice::detail {

struct Offsets {
  exec::Buffer<Index> offsets;  ///< one more than there were counts
  Index total = 0;
};

/// Offsets from counts: `count(view)` is a kernel, called for 0 .. work - 1, that writes `n` counts
/// to the view. Throws InputError if there are more `what` than 32 bits can number.
template <class Count>
Offsets offsets_of(const exec::Stream& stream, Index n, Index work, const char* what,
                   const Count& count) {
  exec::Buffer<Index> offsets(stream, std::size_t{n} + 1);
  exec::fill(stream, offsets.view().subview(n, 1), 0);
  exec::for_each(stream, work, count(offsets.view()));
  const auto total = exec::reduce(stream, offsets.const_view(), std::uint64_t{0}, exec::Plus{});
  if (total >= no_index)
    throw InputError(std::to_string(total) + " " + what + " are more than 32 bits can number");
  exec::exclusive_scan(stream, offsets.const_view(), offsets.view());
  return {std::move(offsets), static_cast<Index>(total)};
}

}  // namespace tessera::lattice::detail
