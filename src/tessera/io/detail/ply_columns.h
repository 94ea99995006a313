// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/core/attribute.h"
#include "tessera/io/detail/ply_header.h"

namespace tessera::io::detail {

// PLY knows scalars and lists only; this is how its properties make attributes of several
// components, and the other way round.

/// Properties of one element that are the components of one attribute.
struct PlyGroup {
  std::string attribute;
  std::vector<std::size_t> properties;
};

/// Groups the scalar properties that are not `taken`, in the order of the header: nx ny nz are
/// "normal", red green blue (alpha) "color", s t, u v or texture_u texture_v "texcoord", and
/// name_0 name_1 ... in a row "name". Components must be of one type; what fits no group is an
/// attribute by itself.
std::vector<PlyGroup> group_properties(const PlyElement& element, std::vector<bool> taken);

/// The names of the properties that store an attribute: what group_properties() joins again.
std::vector<std::string> property_names(const Attribute& attribute);

/// Uninitialised values of that type.
AttributeValues make_values(PlyType type, std::size_t count);

/// What becomes of the numbers of one property.
struct PlySink {
  enum class Kind { skip, coordinate, attribute, corner };
  Kind kind = Kind::skip;
  char* base = nullptr;    ///< of element 0
  std::size_t stride = 0;  ///< bytes from element to element
};

/// A block of binary elements of equal size.
struct PlyBlock {
  const char* records;
  std::size_t stride;
  std::uint64_t first;  ///< the number of the first element
  std::size_t count;
  bool swap;               ///< the bytes of a number are in the other order
  std::uint64_t vertices;  ///< corners must be below

  static constexpr std::size_t all_well = ~std::size_t{0};
};

/// Moves the `length` numbers of a property, `offset` bytes from the start of each element, to
/// their sink. Returns the first element of the block with a coordinate that is not finite or a
/// corner out of range, or all_well.
std::size_t move_numbers(const PlyBlock& block, const PlySink& sink, PlyType type,
                         std::size_t offset, std::size_t length);

/// Whether all elements of the block have a list of that length there.
bool all_lists_have(const PlyBlock& block, PlyType count_type, std::size_t offset,
                    std::uint64_t length);

/// One number of a binary file, as a double, which holds all eight types.
double load_number(const char* from, PlyType type, bool swap);

/// Stores number `i` of element `element`; false as for move_numbers.
bool store_number(const PlySink& sink, PlyType type, std::uint64_t element, std::size_t i,
                  double value, std::uint64_t vertices);

}  // namespace tessera::io::detail
