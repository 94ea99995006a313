// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/io/detail/source.h"

namespace tessera::io::detail {

/// The eight number types of PLY, in the order of the alternatives of AttributeValues.
enum class PlyType { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

constexpr std::size_t size_of(PlyType type) {
  constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

constexpr bool is_integer(PlyType type) {
  return type < PlyType::float32;
}

/// "uchar": the name that all programs know.
std::string_view name_of(PlyType type);

struct PlyProperty {
  std::string name;
  PlyType type{};
  std::optional<PlyType> count_type;  ///< of the length in front of a list; none: not a list

  bool is_list() const { return count_type.has_value(); }
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;

  const PlyProperty* find(std::string_view property) const;

  /// Bytes of one element in a binary file whose lists are all empty.
  std::size_t least_size() const;
  bool has_lists() const;
};

struct PlyHeader {
  Encoding encoding{};
  std::vector<PlyElement> elements;
  std::size_t size = 0;  ///< bytes; the data start behind them

  const PlyElement* find(std::string_view element) const;
};

/// Throws InputError naming the line that is wrong.
PlyHeader read_ply_header(const Source& source);

}  // namespace tessera::io::detail
