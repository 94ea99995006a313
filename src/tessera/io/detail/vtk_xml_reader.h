// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tessera/core/array.h"
#include "tessera/core/attribute.h"
#include "tessera/io/detail/byte_order.h"
#include "tessera/io/detail/source.h"

namespace tessera::io::detail {

enum class VtkType { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64 };

/// Calls f(T{}) with the C++ type of that name.
template <class F>
decltype(auto) with_vtk_type(VtkType type, F&& f) {
  switch (type) {
    case VtkType::i8:
      return f(std::int8_t{});
    case VtkType::u8:
      return f(std::uint8_t{});
    case VtkType::i16:
      return f(std::int16_t{});
    case VtkType::u16:
      return f(std::uint16_t{});
    case VtkType::i32:
      return f(std::int32_t{});
    case VtkType::u32:
      return f(std::uint32_t{});
    case VtkType::i64:
      return f(std::int64_t{});
    case VtkType::u64:
      return f(std::uint64_t{});
    case VtkType::f32:
      return f(float{});
    case VtkType::f64:
      break;
  }
  return f(double{});
}

/// A <DataArray> of the XML, its numbers not yet looked at.
struct VtkTag {
  const char* where = nullptr;  ///< in the file
  std::string parent;           ///< the element around it: "PointData"
  std::string name;
  std::string type;
  std::string format;
  std::string components;
  std::string offset;
  std::string_view text;  ///< between its tags
};

/// The numbers of a <DataArray>: in the file as they are, or decoded.
struct VtkArray {
  const VtkTag* tag = nullptr;
  VtkType type{};
  int components = 1;
  std::uint64_t count = 0;  ///< of all numbers
  const char* data = nullptr;
  bool swap = false;
  Array<char> owned;

  template <class T>
  T at(std::uint64_t i) const {
    return load_number<T>(data + i * sizeof(T), swap);
  }

  /// As a whole number, for messages.
  std::int64_t integer(std::uint64_t i) const {
    return with_vtk_type(type, [&]<class T>(T) -> std::int64_t {
      const T value = at<T>(i);
      if constexpr (std::is_floating_point_v<T>)
        return value > T{-9e18F} && value < T{9e18F} ? static_cast<std::int64_t>(value) : -1;
      else
        return static_cast<std::int64_t>(value);
    });
  }
};

/// A piece of an UnstructuredGrid file, and access to its arrays.
struct VtkGrid {
  const Source& source;
  bool swap = false;
  int header_bytes = 4;     ///< of the length in front of binary data
  bool compressed = false;  ///< binary data are blocks of zlib
  std::uint64_t points = 0;
  std::uint64_t cells = 0;
  std::vector<VtkTag> arrays{};
  bool is_base64 = false;       ///< the appended data
  std::string_view appended{};  ///< behind the underscore

  /// The array of that name in an element ("Cells"), or nullptr.
  const VtkTag* find(std::string_view parent, std::string_view name) const;

  /// Throws InputError where the numbers are not what the tag announces.
  VtkArray load(const VtkTag& tag) const;

  [[noreturn]] void fail(const VtkTag& tag, std::string_view message) const;
};

/// Reads the XML. Throws InputError where it is malformed, of another kind, or compressed by
/// other means than zlib. Returns a grid for each piece, one at least.
std::vector<VtkGrid> read_vtk_grids(const Source& source);

/// As an attribute: whole numbers of 64 bits become 32 bits if all fit, else double.
AttributeValues to_values(const VtkArray& array);

/// How many of its numbers to_values() has to round: whole numbers beyond 2^53, if no double is
/// one.
std::uint64_t count_rounded(const VtkArray& array);

}  // namespace tessera::io::detail
