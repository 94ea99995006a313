// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/pieces.h"

#include <algorithm>

#include <fmt/format.h>

namespace tessera::io::detail {
namespace {

using Pieces = std::vector<PolyhedralSoup>;

/// One of the four kinds of attributes.
struct Kind {
  const char* name;
  Attributes PolyhedralSoup::*attributes;
  std::size_t (*count)(const PolyhedralSoup&);
};

const Kind kinds[] = {
    {"vertex", &PolyhedralSoup::vertex_attributes,
     [](const PolyhedralSoup& m) { return m.positions.size(); }},
    {"edge", &PolyhedralSoup::segment_attributes,
     [](const PolyhedralSoup& m) { return m.segments.size(); }},
    {"polygon", &PolyhedralSoup::polygon_attributes,
     [](const PolyhedralSoup& m) { return m.polygon_count(); }},
    {"cell", &PolyhedralSoup::cell_attributes,
     [](const PolyhedralSoup& m) { return m.cell_count(); }},
};

template <class T>
Attribute joined_as(const std::vector<const Attribute*>& parts) {
  Array<T> all;
  for (const Attribute* part : parts)
    std::visit(
        [&](const auto& values) {
          for (const auto value : values) all.push_back(static_cast<T>(value));
        },
        part->values);
  return {parts[0]->name, parts[0]->components, std::move(all)};
}

Attribute joined(const std::vector<const Attribute*>& parts) {
  const bool same_type = std::all_of(parts.begin(), parts.end(), [&](const Attribute* part) {
    return part->values.index() == parts[0]->values.index();
  });
  if (!same_type) return joined_as<double>(parts);
  return std::visit([&]<class T>(const Array<T>&) -> Attribute { return joined_as<T>(parts); },
                    parts[0]->values);
}

void join_attributes(const Pieces& pieces, const Kind& kind, PolyhedralSoup& to,
                     std::vector<std::string>& notes) {
  std::vector<std::string> names;
  for (const PolyhedralSoup& piece : pieces)
    for (const Attribute& attribute : piece.*kind.attributes)
      if (std::find(names.begin(), names.end(), attribute.name) == names.end())
        names.push_back(attribute.name);
  for (const std::string& name : names) {
    std::vector<const Attribute*> parts;
    bool in_all = true;
    for (const PolyhedralSoup& piece : pieces) {
      if (kind.count(piece) == 0) continue;  // nothing to say anything about
      const Attribute* part = find(piece.*kind.attributes, name);
      in_all =
          in_all && part != nullptr && (parts.empty() || part->components == parts[0]->components);
      if (!in_all) break;
      parts.push_back(part);
    }
    if (in_all && !parts.empty())
      (to.*kind.attributes).push_back(joined(parts));
    else
      notes.push_back(fmt::format("{} attribute \"{}\" is not in all pieces and was not read",
                                  kind.name, name));
  }
}

void append(const PolyhedralSoup& piece, PolyhedralSoup& to) {
  const auto first_vertex = static_cast<Index>(to.positions.size());
  const auto first_polygon = static_cast<Index>(to.polygon_count());
  const auto first_corner = static_cast<Index>(to.polygon_corners.size());
  const auto first_entry = static_cast<Index>(to.cell_entries.size());
  to.positions.insert(to.positions.end(), piece.positions.begin(), piece.positions.end());
  for (const Segment& s : piece.segments)
    to.segments.push_back({s[0] + first_vertex, s[1] + first_vertex});
  for (const Index corner : piece.polygon_corners)
    to.polygon_corners.push_back(corner + first_vertex);
  for (std::size_t p = 1; p < piece.polygon_offsets.size(); ++p)
    to.polygon_offsets.push_back(piece.polygon_offsets[p] + first_corner);
  for (std::size_t c = 0; c < piece.cell_count(); ++c) {
    to.cell_types.push_back(piece.cell_types[c]);
    to.cell_offsets.push_back(piece.cell_offsets[c + 1] + first_entry);
    const bool is_polyhedron = piece.cell_types[c] == CellType::polyhedron;
    for (Index i = piece.cell_offsets[c]; i < piece.cell_offsets[c + 1]; ++i) {
      const Index entry = piece.cell_entries[i];
      const bool is_turned = is_polyhedron && ~entry < entry;
      to.cell_entries.push_back(is_turned       ? entry - first_polygon  // ~(number + first)
                                : is_polyhedron ? entry + first_polygon
                                                : entry + first_vertex);
    }
  }
  if (piece.precision == Precision::float64) to.precision = Precision::float64;
}

}  // namespace

PolyhedralSoup join_pieces(const Source& source, const Pieces& pieces,
                           std::vector<std::string>& notes) {
  std::uint64_t vertices = 0;
  std::uint64_t entries = 0;
  for (const PolyhedralSoup& piece : pieces) {
    vertices += piece.positions.size();
    entries +=
        std::max({piece.segments.size(), piece.polygon_corners.size(), piece.cell_entries.size()});
  }
  if (std::max(vertices, entries) >= no_index)
    source.fail("all pieces together have more than 32-bit indices can name");
  PolyhedralSoup mesh;
  mesh.precision = Precision::float32;
  for (const PolyhedralSoup& piece : pieces) append(piece, mesh);
  for (const Kind& kind : kinds) join_attributes(pieces, kind, mesh, notes);
  return mesh;
}

}  // namespace tessera::io::detail
