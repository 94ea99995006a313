// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/core/triangle_soup.h"

#include <algorithm>

#include <fmt/format.h>

#include "tessera/core/detail/check.h"
#include "tessera/core/find_first.h"

namespace tessera {

std::optional<std::string> TriangleSoup::validate() const {
  if (auto wrong = detail::check_positions(positions)) return wrong;
  if (triangles.size() >= no_index / 3)
    return fmt::format("{} faces have more corners than 32-bit indices can name", triangles.size());
  const std::size_t bad_face = find_first(triangles.size(), [&](std::size_t f) {
    const Triangle& t = triangles[f];
    return std::max({t[0], t[1], t[2]}) >= positions.size();
  });
  if (bad_face < triangles.size()) {
    const Triangle& t = triangles[bad_face];
    return fmt::format("face {} refers to vertex {}, but there are only {}", bad_face,
                       std::max({t[0], t[1], t[2]}), positions.size());
  }
  const std::size_t bad_ridge = find_first(ridges.size(), [&](std::size_t i) {
    return std::max(ridges[i][0], ridges[i][1]) >= positions.size();
  });
  if (bad_ridge < ridges.size())
    return fmt::format("ridge {} refers to vertex {}, but there are only {}", bad_ridge,
                       std::max(ridges[bad_ridge][0], ridges[bad_ridge][1]), positions.size());
  if (auto wrong = detail::check_attributes(vertex_attributes, positions.size(), "vertex"))
    return wrong;
  return detail::check_attributes(face_attributes, triangles.size(), "face");
}

}  // namespace tessera
