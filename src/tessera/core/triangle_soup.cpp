// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/core/triangle_soup.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tessera/core/parallel.h"

namespace tessera {
namespace {

/// The smallest i below n for which `bad(i)`, or n.
template <class Bad>
std::size_t find_first(std::size_t n, Bad bad) {
  return parallel_reduce(
      n, 16384, n,
      [&](std::size_t begin, std::size_t end, std::size_t first) {
        if (first < begin) return first;
        for (std::size_t i = begin; i < end; ++i)
          if (bad(i)) return std::min(first, i);
        return first;
      },
      [](std::size_t a, std::size_t b) { return std::min(a, b); });
}

std::optional<std::string> check_attributes(const Attributes& attributes, std::size_t elements,
                                            const char* kind) {
  for (const Attribute& a : attributes) {
    const std::size_t numbers = std::visit([](const auto& v) { return v.size(); }, a.values);
    if (a.components < 1 || numbers != elements * static_cast<std::size_t>(a.components))
      return fmt::format("{} attribute \"{}\" has {} numbers for {} elements of {} components",
                         kind, a.name, numbers, elements, a.components);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> TriangleSoup::validate() const {
  if (positions.size() >= no_index)
    return fmt::format("{} vertices are more than 32-bit indices can name", positions.size());
  if (triangles.size() >= no_index / 3)
    return fmt::format("{} faces have more corners than 32-bit indices can name", triangles.size());
  const std::size_t bad_vertex = find_first(positions.size(), [&](std::size_t i) {
    const Vec3d& p = positions[i];
    return !(std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]));
  });
  if (bad_vertex < positions.size())
    return fmt::format("vertex {} has a coordinate that is not finite", bad_vertex);
  const std::size_t bad_face = find_first(triangles.size(), [&](std::size_t f) {
    const Triangle& t = triangles[f];
    return std::max({t[0], t[1], t[2]}) >= positions.size();
  });
  if (bad_face < triangles.size()) {
    const Triangle& t = triangles[bad_face];
    return fmt::format("face {} refers to vertex {}, but there are only {}", bad_face,
                       std::max({t[0], t[1], t[2]}), positions.size());
  }
  if (auto wrong = check_attributes(vertex_attributes, positions.size(), "vertex")) return wrong;
  return check_attributes(face_attributes, triangles.size(), "face");
}

}  // namespace tessera
