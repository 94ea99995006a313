// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/curved.h"

#include <atomic>

#include <fmt/format.h>

#include "tessera/core/parallel.h"
#include "tessera/io/detail/select.h"

namespace tessera::io::detail {
namespace {

/// Calls f(vertex number) for all of them, in parallel; those of polyhedra are the ones of
/// polygons.
template <class F>
void for_each_corner(PolyhedralSoup& mesh, const F& f) {
  parallel_for_ranges(mesh.segments.size(), 16384, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s)
      for (Index& vertex : mesh.segments[s].v) f(vertex);
  });
  parallel_for_ranges(mesh.polygon_corners.size(), 65536, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) f(mesh.polygon_corners[i]);
  });
  parallel_for_ranges(mesh.cell_count(), 16384, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      if (mesh.cell_types[c] == CellType::polyhedron) continue;
      for (Index i = mesh.cell_offsets[c]; i < mesh.cell_offsets[c + 1]; ++i)
        f(mesh.cell_entries[i]);
    }
  });
}

}  // namespace

void drop_nodes_between_corners(std::uint64_t curved, ReadPolyhedraResult& result) {
  if (curved == 0) return;
  PolyhedralSoup& mesh = result.mesh;
  Array<std::uint8_t> used(mesh.positions.size(), 0);
  for_each_corner(mesh, [&](const Index& vertex) {
    std::atomic_ref(used[vertex]).store(1, std::memory_order_relaxed);
  });
  const Array<Index> kept = select(used.size(), [&](std::size_t v) { return used[v] != 0; });
  const std::size_t dropped = used.size() - kept.size();
  std::string note = fmt::format("{} elements of higher order were read by their corners", curved);
  if (dropped > 0) {
    note += fmt::format(", {} nodes that no element has any more were left out", dropped);
    Array<Index> numbers(used.size());
    Array<Vec3d> positions(kept.size());
    parallel_for_ranges(kept.size(), 16384, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        numbers[kept[i]] = static_cast<Index>(i);
        positions[i] = mesh.positions[kept[i]];
      }
    });
    for_each_corner(mesh, [&](Index& vertex) { vertex = numbers[vertex]; });
    mesh.positions = std::move(positions);
    mesh.vertex_attributes = gather(mesh.vertex_attributes, kept);
  }
  result.notes.push_back(std::move(note));
}

}  // namespace tessera::io::detail
