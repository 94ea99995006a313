// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/medit_rows.h"

#include <cmath>

#include <fmt/format.h>

namespace tessera::io::detail {

void fail_at_medit_ref(const Scanner& row, const char* kind, std::uint64_t number) {
  throw RowError{row.position,
                 fmt::format("{} {} must end with a 32-bit reference number", kind, number)};
}

void read_medit_vertices(const LineTable& table, const MeditText& text, const MeditSection& section,
                         Progress& progress, Array<Vec3d>& positions, Attributes& attributes) {
  positions.resize(section.count);
  MeditRefs refs(section.count);
  table.for_each(section.first_row, section.count, progress, [&](std::uint64_t i, Scanner& row) {
    Vec3d p{};
    for (int k = 0; k < text.dimension; ++k)
      if (!row.read_whole(p[k]))
        throw RowError{row.position,
                       fmt::format("vertex {} needs {} coordinates", i + 1, text.dimension)};
    if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2]))
      throw RowError{row.position,
                     fmt::format("vertex {} has a coordinate that is not finite", i + 1)};
    refs.set(i, read_medit_ref(row, "vertex", i + 1));
    positions[i] = p;
  });
  refs.add_to(attributes);
}

void read_medit_corners(Scanner& row, const char* kind, std::uint64_t number, Index corners,
                        std::uint64_t vertices, Index* out) {
  for (Index k = 0; k < corners; ++k) {
    std::uint64_t vertex = 0;
    if (!row.read_whole(vertex))
      throw RowError{row.position, fmt::format("{} {} lacks a vertex number", kind, number)};
    if (vertex == 0 || vertex > vertices)
      throw RowError{row.position, fmt::format("{} {} refers to vertex {}, but they are 1 to {}",
                                               kind, number, vertex, vertices)};
    out[k] = static_cast<Index>(vertex - 1);
  }
}

}  // namespace tessera::io::detail
