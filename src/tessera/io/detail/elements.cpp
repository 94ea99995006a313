// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/elements.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "tessera/io/detail/select.h"

namespace tessera::io::detail {
namespace {

/// How much of everything the elements before some element take.
struct Room {
  std::uint64_t segments = 0;
  std::uint64_t polygons = 0;
  std::uint64_t polygon_corners = 0;
  std::uint64_t cells = 0;
  std::uint64_t cell_entries = 0;

  void add(const ElementShape& shape) {
    switch (shape.role) {
      case ElementRole::segment:
        ++segments;
        break;
      case ElementRole::polygon:
        ++polygons;
        polygon_corners += shape.size;
        break;
      case ElementRole::cell:
        ++cells;
        cell_entries += shape.size;
        break;
      case ElementRole::none:
        break;
    }
  }

  void add(const Room& other) {
    segments += other.segments;
    polygons += other.polygons;
    polygon_corners += other.polygon_corners;
    cells += other.cells;
    cell_entries += other.cell_entries;
  }
};

}  // namespace

ElementPlaces make_room(const Source& source, const Array<ElementShape>& shapes,
                        PolyhedralSoup& mesh) {
  const Blocks blocks(shapes.size());
  std::vector<Room> rooms(blocks.count + 1);
  blocks.for_each([&](std::size_t b, std::size_t begin, std::size_t end) {
    Room room;
    for (std::size_t i = begin; i < end; ++i) room.add(shapes[i]);
    rooms[b + 1] = room;
  });
  rooms[0] = {mesh.segments.size(), mesh.polygon_count(), mesh.polygon_corners.size(),
              mesh.cell_count(), mesh.cell_entries.size()};
  for (std::size_t b = 0; b < blocks.count; ++b) rooms[b + 1].add(rooms[b]);
  const Room all = rooms.back();
  if (std::max({all.segments, all.polygon_corners, all.cell_entries}) >= no_index)
    source.fail(
        fmt::format("{} cells and {} polygons have more corners than 32-bit indices can name",
                    all.cells, all.polygons));

  mesh.segments.resize(all.segments);
  mesh.polygon_offsets.resize(all.polygons + 1);
  mesh.polygon_corners.resize(all.polygon_corners);
  mesh.cell_types.resize(all.cells);
  mesh.cell_offsets.resize(all.cells + 1);
  mesh.cell_entries.resize(all.cell_entries);
  mesh.polygon_offsets.back() = static_cast<Index>(all.polygon_corners);
  mesh.cell_offsets.back() = static_cast<Index>(all.cell_entries);
  ElementPlaces places{Array<Index>(shapes.size()), Array<Index>(shapes.size())};
  blocks.for_each([&](std::size_t b, std::size_t begin, std::size_t end) {
    Room room = rooms[b];
    for (std::size_t i = begin; i < end; ++i) {
      switch (shapes[i].role) {
        case ElementRole::segment:
          places.numbers[i] = static_cast<Index>(room.segments);
          break;
        case ElementRole::polygon:
          places.numbers[i] = static_cast<Index>(room.polygons);
          places.entries[i] = static_cast<Index>(room.polygon_corners);
          mesh.polygon_offsets[room.polygons] = places.entries[i];
          break;
        case ElementRole::cell:
          places.numbers[i] = static_cast<Index>(room.cells);
          places.entries[i] = static_cast<Index>(room.cell_entries);
          mesh.cell_offsets[room.cells] = places.entries[i];
          mesh.cell_types[room.cells] = shapes[i].cell;
          break;
        case ElementRole::none:
          break;
      }
      room.add(shapes[i]);
    }
  });
  return places;
}

Array<Index> elements_in(const Array<ElementShape>& shapes, ElementRole role) {
  return select(shapes.size(), [&](std::size_t i) { return shapes[i].role == role; });
}

void add_refs(const Array<std::int32_t>& refs, const Array<ElementShape>& shapes,
              PolyhedralSoup& mesh) {
  const Attributes all{{"ref", 1, refs}};
  const auto add = [&](ElementRole role, Attributes& attributes) {
    const Array<Index> elements = elements_in(shapes, role);
    const bool any = std::any_of(elements.begin(), elements.end(),
                                 [&](Index element) { return refs[element] != 0; });
    if (any) attributes.push_back(gather(all, elements)[0]);
  };
  add(ElementRole::segment, mesh.segment_attributes);
  add(ElementRole::polygon, mesh.polygon_attributes);
  add(ElementRole::cell, mesh.cell_attributes);
}

}  // namespace tessera::io::detail
