// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tessera/core/array.h"

namespace tessera {

/// The numbers of an attribute, in the type that the file or the algorithm gave them.
using AttributeValues =
    std::variant<Array<std::int8_t>, Array<std::uint8_t>, Array<std::int16_t>, Array<std::uint16_t>,
                 Array<std::int32_t>, Array<std::uint32_t>, Array<float>, Array<double>>;

/// Named data on the vertices or faces of a mesh: `components` numbers for each element, element
/// after element. Well-known names: "normal" (3), "color" (3 or 4), "texcoord" (2), "ref" (1).
struct Attribute {
  std::string name;
  int components = 1;
  AttributeValues values;

  /// How many elements it covers.
  std::size_t size() const {
    return std::visit([](const auto& array) { return array.size(); }, values) /
           static_cast<std::size_t>(components);
  }
};

using Attributes = std::vector<Attribute>;

/// The attribute of that name, or nullptr.
const Attribute* find(const Attributes& attributes, std::string_view name);

/// A new attribute whose element i is element `source[i]` of the old one, and all of them.
Attribute gather(const Attribute& attribute, const Array<std::uint32_t>& source);
Attributes gather(const Attributes& attributes, const Array<std::uint32_t>& source);

}  // namespace tessera
