// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/core/polyhedral_soup.h"

#include <algorithm>

#include <fmt/format.h>

#include "tessera/core/detail/check.h"
#include "tessera/core/find_first.h"

namespace tessera {
namespace {

/// One sentence if the lists that the offsets cut an array into are not lists of it.
std::optional<std::string> check_offsets(const Array<Index>& offsets, std::size_t lists,
                                         std::size_t entries, std::string_view kind) {
  if (offsets.size() != lists + 1 || offsets.front() != 0 || offsets.back() != entries)
    return fmt::format("the lists of {} {}s do not fit the {} offsets of their {} entries", lists,
                       kind, offsets.size(), entries);
  const std::size_t bad =
      find_first(lists, [&](std::size_t i) { return offsets[i] > offsets[i + 1]; });
  if (bad < lists) return fmt::format("{} {} ends before it starts", kind, bad);
  return std::nullopt;
}

std::optional<std::string> check_attributes_of(const Attributes& attributes, std::size_t elements,
                                               const char* kind) {
  for (auto a = attributes.begin(); a != attributes.end(); ++a)
    if (std::any_of(attributes.begin(), a, [&](const Attribute& b) { return a->name == b.name; }))
      return fmt::format("two {} attributes have the name \"{}\"", kind, a->name);
  return detail::check_attributes(attributes, elements, kind);
}

}  // namespace

std::string_view name_of(CellType type) {
  constexpr std::string_view names[] = {"tetrahedron", "pyramid", "prism", "hexahedron",
                                        "polyhedron"};
  return names[static_cast<int>(type)];
}

std::optional<std::string> PolyhedralSoup::validate() const {
  if (auto wrong = detail::check_positions(positions)) return wrong;
  if (polygon_corners.size() >= no_index || cell_entries.size() >= no_index ||
      segments.size() >= no_index)
    return fmt::format("{} cells and {} polygons have more corners than 32-bit indices can name",
                       cell_types.size(), polygon_offsets.size());
  if (polygon_offsets.empty() || cell_offsets.empty()) return "there are no offsets of lists";
  const std::size_t polygons = polygon_count();
  const std::size_t cells = cell_count();
  if (auto wrong = check_offsets(polygon_offsets, polygons, polygon_corners.size(), "polygon"))
    return wrong;
  if (auto wrong = check_offsets(cell_offsets, cells, cell_entries.size(), "cell")) return wrong;

  const std::size_t vertices = positions.size();
  const std::size_t bad_segment = find_first(segments.size(), [&](std::size_t i) {
    return std::max(segments[i][0], segments[i][1]) >= vertices;
  });
  if (bad_segment < segments.size())
    return fmt::format("edge {} refers to vertex {}, but there are only {}", bad_segment,
                       std::max(segments[bad_segment][0], segments[bad_segment][1]), vertices);

  const std::size_t few = find_first(
      polygons, [&](std::size_t i) { return polygon_offsets[i + 1] - polygon_offsets[i] < 3; });
  if (few < polygons)
    return fmt::format("polygon {} has {} corners, but needs three", few,
                       polygon_offsets[few + 1] - polygon_offsets[few]);
  const std::size_t bad_corner = find_first(
      polygon_corners.size(), [&](std::size_t i) { return polygon_corners[i] >= vertices; });
  if (bad_corner < polygon_corners.size()) {
    const auto after = std::upper_bound(polygon_offsets.begin(), polygon_offsets.end(), bad_corner);
    return fmt::format("polygon {} refers to vertex {}, but there are only {}",
                       after - polygon_offsets.begin() - 1, polygon_corners[bad_corner], vertices);
  }

  const std::size_t bad_cell = find_first(cells, [&](std::size_t c) {
    const Index size = cell_offsets[c + 1] - cell_offsets[c];
    const bool is_polyhedron = cell_types[c] == CellType::polyhedron;
    if (cell_types[c] > CellType::polyhedron) return true;
    if (is_polyhedron ? size < 4 : size != corners_of(cell_types[c])) return true;
    for (Index i = cell_offsets[c]; i < cell_offsets[c + 1]; ++i) {
      const Index entry = cell_entries[i];
      if (is_polyhedron ? std::min(entry, ~entry) >= polygons : entry >= vertices) return true;
    }
    return false;
  });
  if (bad_cell < cells) {
    const Index size = cell_offsets[bad_cell + 1] - cell_offsets[bad_cell];
    const CellType type = cell_types[bad_cell];
    if (type > CellType::polyhedron) return fmt::format("cell {} is of no known type", bad_cell);
    const std::string_view name = name_of(type);
    if (type == CellType::polyhedron)
      return size < 4
                 ? fmt::format("cell {}, a polyhedron, has {} faces, but needs four", bad_cell,
                               size)
                 : fmt::format("cell {}, a polyhedron, refers to a polygon beyond the {} there are",
                               bad_cell, polygons);
    if (size != corners_of(type))
      return fmt::format("cell {}, a {}, has {} corners in place of {}", bad_cell, name, size,
                         corners_of(type));
    return fmt::format("cell {}, a {}, refers to a vertex beyond the {} there are", bad_cell, name,
                       vertices);
  }
  if (auto wrong = check_attributes_of(vertex_attributes, vertices, "vertex")) return wrong;
  if (auto wrong = check_attributes_of(segment_attributes, segments.size(), "edge")) return wrong;
  if (auto wrong = check_attributes_of(polygon_attributes, polygons, "polygon")) return wrong;
  return check_attributes_of(cell_attributes, cells, "cell");
}

}  // namespace tessera
