// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "tessera/io/detail/ply_columns.h"
#include "tessera/io/detail/ply_header.h"
#include "tessera/io/detail/table.h"

namespace tessera::io::detail {

// The numbers of a PLY file one after the other, from binary data or from text; both throw RowError
// where there is none. A double holds each of the eight types.

struct BinaryNumbers {
  const char* position;
  const char* end;
  bool swap;

  const char* where() const { return position; }

  double read(PlyType type) {
    const char* from = position;
    skip(type, 1);
    return load_number(from, type, swap);
  }

  void skip(PlyType type, std::uint64_t count) {
    if (count > static_cast<std::uint64_t>(end - position) / size_of(type))
      throw RowError{position, "the file ends within an element"};
    position += count * size_of(type);
  }
};

struct TextNumbers {
  Scanner& text;

  const char* where() const { return text.position; }

  double read(PlyType type) {
    double value = 0;
    if (!text.read(value) || !text.at_boundary()) fail("expected a number");
    if (is_integer(type)) {
      const int bits = 8 * static_cast<int>(size_of(type));
      const bool is_signed =
          type == PlyType::int8 || type == PlyType::int16 || type == PlyType::int32;
      const double above = std::ldexp(1.0, is_signed ? bits - 1 : bits);
      if (std::floor(value) != value || value >= above || value < (is_signed ? -above : 0))
        fail("this number does not fit type " + std::string(name_of(type)));
    }
    return value;
  }

  void skip(PlyType, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i)
      if (text.token().empty()) fail("expected a number");
  }

 private:
  [[noreturn]] void fail(std::string message) const {
    throw RowError{text.position, std::move(message)};
  }
};

template <class Numbers>
std::uint64_t read_length(Numbers& numbers, PlyType type) {
  const char* where = numbers.where();
  const double length = numbers.read(type);
  if (length < 0) throw RowError{where, "the length of a list is negative"};
  return static_cast<std::uint64_t>(length);
}

/// Passes over one element and calls on_list(property, length) for every list.
template <class Numbers, class OnList>
void walk_record(Numbers& numbers, const PlyElement& element, OnList on_list) {
  for (std::size_t i = 0; i < element.properties.size(); ++i) {
    const PlyProperty& p = element.properties[i];
    std::uint64_t length = 1;
    if (p.is_list()) {
      length = read_length(numbers, *p.count_type);
      on_list(i, length);
    }
    numbers.skip(p.type, length);
  }
}

}  // namespace tessera::io::detail
