// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cassert>
#include <cstddef>
#include <type_traits>

#include "tessera/exec/kernel.h"

namespace tessera::exec {

/// What a kernel gets of a Buffer or of scratch memory: a pointer and a size, owning nothing.
/// Debug builds check every index.
template <class T>
class View {
 public:
  constexpr View() = default;
  TESSERA_KERNEL constexpr View(T* data, std::size_t size) : data_(data), size_(size) {}
  /// A view of const elements from a view of mutable ones.
  template <class U>
  requires(std::is_const_v<T>&& std::is_same_v<std::remove_const_t<T>, U>) TESSERA_KERNEL
      constexpr View(const View<U>& other)  // NOLINT: only adds const
      : data_(other.data()), size_(other.size()) {}

  TESSERA_KERNEL constexpr T* data() const { return data_; }
  TESSERA_KERNEL constexpr std::size_t size() const { return size_; }
  TESSERA_KERNEL constexpr bool empty() const { return size_ == 0; }
  TESSERA_KERNEL constexpr T* begin() const { return data_; }
  TESSERA_KERNEL constexpr T* end() const { return data_ + size_; }

  TESSERA_KERNEL constexpr T& operator[](std::size_t i) const {
    assert(i < size_);
    return data_[i];
  }

  TESSERA_KERNEL constexpr View subview(std::size_t first, std::size_t count) const {
    assert(first <= size_ && count <= size_ - first);
    return {data_ + first, count};
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tessera::exec
