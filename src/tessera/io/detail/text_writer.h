// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include "tessera/core/progress.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/io/detail/output_file.h"
#include "tessera/io/detail/print_number.h"

namespace tessera::io::detail {

/// Text under construction. Numbers have the shortest digits that read back as the same number,
/// whatever the locale.
class TextBuffer {
 public:
  void put(char c) {
    *reserve(1) = c;
    ++size_;
  }

  void put(std::string_view text) {
    text.copy(reserve(text.size()), text.size());
    size_ += text.size();
  }

  template <std::integral T>
  requires(!std::same_as<T, char>) void put(T value) { put_number(value); }
  void put(float value) { put_number(value); }
  void put(double value) { put_number(value); }

  /// A coordinate, with as many digits as its precision deserves.
  void put(double value, Precision precision) {
    if (precision == Precision::float32)
      put_number(static_cast<float>(value));
    else
      put_number(value);
  }

  /// Three coordinates with blanks between them.
  void put(const Vec3d& position, Precision precision) {
    put(position[0], precision);
    put(' ');
    put(position[1], precision);
    put(' ');
    put(position[2], precision);
  }

  void clear() { size_ = 0; }
  std::span<const char> bytes() const { return {data_.get(), size_}; }

 private:
  template <class T>
  void put_number(T value) {
    char* first = reserve(longest_number);
    char* last = nullptr;
    if constexpr (std::is_floating_point_v<T>) {
      last = print_shortest(first, value);
    } else if constexpr (std::is_unsigned_v<T> && sizeof(T) <= sizeof(std::uint32_t)) {
      last = print_integer(first, value);
    } else {
      last = std::to_chars(first, first + longest_number, value).ptr;
    }
    size_ += static_cast<std::size_t>(last - first);
  }

  /// Room for that many more characters, and where they go.
  char* reserve(std::size_t more) {
    if (capacity_ - size_ < more) grow(more);
    return data_.get() + size_;
  }

  void grow(std::size_t more);

  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// Appends the text of elements 0 .. count - 1 to the file. `format(first, last, text)` writes the
/// lines of elements first .. last - 1; it is called for many such blocks at the same time, from
/// all threads of the current arena, and the blocks are stored in order. Advances `progress` by
/// one for each element. Memory: one to two MiB for each thread.
void append_text(OutputFile& file, std::size_t count, Progress& progress,
                 const std::function<void(std::size_t, std::size_t, TextBuffer&)>& format);

}  // namespace tessera::io::detail
