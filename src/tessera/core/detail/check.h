// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "tessera/core/array.h"
#include "tessera/core/attribute.h"
#include "tessera/core/find_first.h"
#include "tessera/core/vec.h"

namespace tessera::detail {

/// One sentence if there are too many vertices, or one is not finite.
inline std::optional<std::string> check_positions(const Array<Vec3d>& positions,
                                                  const char* kind = "vertex") {
  if (positions.size() >= no_index)
    return fmt::format("{} vertices are more than 32-bit indices can name", positions.size());
  const std::size_t bad = find_first(positions.size(), [&](std::size_t i) {
    const Vec3d& p = positions[i];
    return !(std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]));
  });
  if (bad < positions.size())
    return fmt::format("{} {} has a coordinate that is not finite", kind, bad);
  return std::nullopt;
}

/// One sentence if an attribute has not as many numbers as there are elements of its kind.
inline std::optional<std::string> check_attributes(const Attributes& attributes,
                                                   std::size_t elements, const char* kind) {
  for (const Attribute& a : attributes) {
    const std::size_t numbers = std::visit([](const auto& v) { return v.size(); }, a.values);
    if (a.components < 1 || numbers != elements * static_cast<std::size_t>(a.components))
      return fmt::format("{} attribute \"{}\" has {} numbers for {} elements of {} components",
                         kind, a.name, numbers, elements, a.components);
  }
  return std::nullopt;
}

}  // namespace tessera::detail
