// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/core/array.h"

#include <cstdlib>
#include <new>

#include <sys/mman.h>

namespace tessera::detail {

void* allocate_array(std::size_t bytes) {
  constexpr std::size_t cache_line = 64;
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  // Below a few huge pages the rounding would waste more than the faults cost.
  const bool large = bytes >= 4 * huge_page;
  const std::size_t alignment = large ? huge_page : cache_line;
  const std::size_t rounded = (bytes + cache_line - 1) / cache_line * cache_line;
  if (rounded < bytes) throw std::bad_alloc();
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, rounded == 0 ? cache_line : rounded) != 0)
    throw std::bad_alloc();
  if (large) madvise(memory, rounded, MADV_HUGEPAGE);  // advice only: a refusal changes nothing
  return memory;
}

void free_array(void* memory) noexcept {
  std::free(memory);
}

}  // namespace tessera::detail
