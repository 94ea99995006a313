// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

/// Memory for large arrays: aligned to cache lines, and to huge pages where the array spans some.
void* allocate_array(std::size_t bytes);
void free_array(void* memory) noexcept;

/// Leaves trivial elements uninitialised in resize(), so that the threads that fill a large array
/// are also the first to touch its pages. A serial clearing pass costs as much as reading a file.
template <class T>
struct UninitializedAllocator {
  using value_type = T;

  UninitializedAllocator() = default;
  template <class U>
  UninitializedAllocator(const UninitializedAllocator<U>&) noexcept {
  }  // NOLINT: allocators convert

  T* allocate(std::size_t n) { return static_cast<T*>(allocate_array(n * sizeof(T))); }
  void deallocate(T* p, std::size_t) noexcept { free_array(p); }

  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    if constexpr (sizeof...(Args) == 0 && std::is_trivially_copyable_v<U>) {
      ::new (static_cast<void*>(p)) U;
    } else {
      ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
    }
  }

  friend bool operator==(const UninitializedAllocator&, const UninitializedAllocator&) {
    return true;
  }
};

}  // namespace detail

/// A std::vector for mesh-sized data. Unlike std::vector, `Array<T>(n)` and `resize(n)` leave
/// trivially copyable elements uninitialised; `Array<T>(n, value)` fills them.
template <class T>
using Array = std::vector<T, detail::UninitializedAllocator<T>>;

}  // namespace tessera
