// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <unordered_map>

namespace tessera::exec::detail {

/// Large blocks of a CPU device's memory, kept when they are freed, for buffers to come: the system
/// clears every page that it hands out. Cutting a million faces into patches takes 1.5 times as
/// long without. What is kept and what is in use is together never more than was in use at once, or
/// 256 MiB, and when a block is freed, no more than twice what is still in use and 256 MiB is kept:
/// when all the large temporaries of a call are gone, their memory goes back to the system.
class MemoryPool {
 public:
  MemoryPool() = default;
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;
  ~MemoryPool();

  /// Throws std::bad_alloc.
  void* allocate(std::size_t bytes);
  void release(void* memory) noexcept;
  /// Gives all that is kept back to the system.
  void trim() noexcept;
  /// Bytes kept.
  std::size_t kept() const;

 private:
  void trim_to(std::size_t most) noexcept;

  mutable std::mutex mutex_;
  std::unordered_map<void*, std::size_t> sizes_;  ///< of large blocks, kept or in use
  std::multimap<std::size_t, void*> kept_;        ///< by size
  std::size_t kept_bytes_ = 0;
  std::size_t used_bytes_ = 0;
  std::size_t most_used_ = 0;
};

}  // namespace tessera::exec::detail
