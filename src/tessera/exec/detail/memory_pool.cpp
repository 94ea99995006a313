// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/exec/detail/memory_pool.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <new>

#include "tessera/core/array.h"

namespace tessera::exec::detail {
namespace {

/// malloc keeps smaller blocks itself.
constexpr std::size_t large = std::size_t{1} << 20;

constexpr std::size_t always_kept = std::size_t{256} << 20;

/// Sizes in steps of an eighth to a sixteenth: buffers that are nearly as large as some before can
/// have their memory. What is not written to costs nothing.
std::size_t round_up(std::size_t bytes) {
  const std::size_t step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

/// The most to keep beside that much in use.
constexpr std::size_t most_kept(std::size_t used) {
  return 2 * used + always_kept;
}

}  // namespace

MemoryPool::~MemoryPool() {
  trim();
}

void* MemoryPool::allocate(std::size_t bytes) {
  if (bytes < large) return tessera::detail::allocate_array(bytes);
  if (round_up(bytes) < bytes) throw std::bad_alloc();
  bytes = round_up(bytes);
  const std::lock_guard guard(mutex_);
  // A block of up to one and a half times the size will do; of those that are not that large, any.
  if (const auto fit = kept_.lower_bound(bytes);
      fit != kept_.end() && (fit->first - bytes <= bytes / 2 || fit->first <= always_kept / 4)) {
    const auto [size, memory] = *fit;
    kept_.erase(fit);
    kept_bytes_ -= size;
    used_bytes_ += size;
    most_used_ = std::max(most_used_, used_bytes_);
    return memory;
  }
  const std::size_t used = used_bytes_ + bytes;
  const std::size_t most = std::max(most_used_, always_kept);
  trim_to(most > used ? most - used : 0);
  void* memory = nullptr;
  try {
    memory = tessera::detail::allocate_array(bytes);
  } catch (const std::bad_alloc&) {
    trim_to(0);
    memory = tessera::detail::allocate_array(bytes);
  }
  try {
    sizes_.emplace(memory, bytes);
  } catch (...) {
    tessera::detail::free_array(memory);
    throw;
  }
  used_bytes_ = used;
  most_used_ = std::max(most_used_, used_bytes_);
  return memory;
}

void MemoryPool::release(void* memory) noexcept {
  const std::lock_guard guard(mutex_);
  const auto found = sizes_.find(memory);
  if (found == sizes_.end()) {
    tessera::detail::free_array(memory);
    return;
  }
  const std::size_t size = found->second;
  used_bytes_ -= size;
  try {
    kept_.emplace(size, memory);
    kept_bytes_ += size;
    trim_to(most_kept(used_bytes_));
  } catch (const std::bad_alloc&) {
    sizes_.erase(found);
    tessera::detail::free_array(memory);
  }
}

void MemoryPool::trim() noexcept {
  const std::lock_guard guard(mutex_);
  trim_to(0);
}

std::size_t MemoryPool::kept() const {
  const std::lock_guard guard(mutex_);
  return kept_bytes_;
}

void MemoryPool::trim_to(std::size_t most) noexcept {
  while (kept_bytes_ > most) {
    const auto largest = std::prev(kept_.end());
    kept_bytes_ -= largest->first;
    sizes_.erase(largest->second);
    tessera::detail::free_array(largest->second);
    kept_.erase(largest);
  }
}

}  // namespace tessera::exec::detail
