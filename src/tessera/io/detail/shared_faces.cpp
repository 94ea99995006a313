// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/shared_faces.h"

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "tessera/core/parallel.h"
#include "tessera/io/detail/select.h"

namespace tessera::io::detail {
namespace {

/// The corners of a polygon in an order that does not depend on where it starts and which way it
/// goes: from the smallest corner towards the smaller one of its neighbours.
struct Cycle {
  const Index* corners;
  Index size;
  Index start;
  bool backwards;

  Cycle(const PolyhedralSoup& mesh, Index polygon)
      : corners(mesh.polygon_corners.data() + mesh.polygon_offsets[polygon]),
        size(mesh.polygon_offsets[polygon + 1] - mesh.polygon_offsets[polygon]),
        start(static_cast<Index>(std::min_element(corners, corners + size) - corners)),
        backwards(corners[(start + size - 1) % size] < corners[(start + 1) % size]) {}

  Index operator[](Index i) const {
    return corners[(backwards ? start + size - i : start + i) % size];
  }
};

int compare(const Cycle& a, const Cycle& b) {
  if (a.size != b.size) return a.size < b.size ? -1 : 1;
  for (Index i = 0; i < a.size; ++i)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

/// Polygons by their smallest corner; the order within a list is as it happens.
struct ByCorner {
  Array<Index> starts;
  Array<Index> polygons;

  explicit ByCorner(const PolyhedralSoup& mesh) : starts(mesh.positions.size() + 1, 0) {
    const std::size_t count = mesh.polygon_count();
    polygons.resize(count);
    const auto for_all = [&](const auto& f) {
      parallel_for_ranges(count, 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p)
          f(static_cast<Index>(p),
            *std::min_element(mesh.polygon_corners.data() + mesh.polygon_offsets[p],
                              mesh.polygon_corners.data() + mesh.polygon_offsets[p + 1]));
      });
    };
    for_all([&](Index, Index corner) {
      std::atomic_ref(starts[corner + 1]).fetch_add(1, std::memory_order_relaxed);
    });
    for (std::size_t v = 1; v < starts.size(); ++v) starts[v] += starts[v - 1];
    Array<Index> next(starts);
    for_all([&](Index polygon, Index corner) {
      polygons[std::atomic_ref(next[corner]).fetch_add(1, std::memory_order_relaxed)] = polygon;
    });
  }
};

}  // namespace

void join_shared_faces(PolyhedralSoup& mesh, Index first_face) {
  const std::size_t count = mesh.polygon_count();
  Array<Index> same(count);  // the first equal polygon, as ~number where it goes the other way
  ByCorner lists(mesh);
  parallel_for_ranges(mesh.positions.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      Index* first = lists.polygons.data() + lists.starts[v];
      Index* last = lists.polygons.data() + lists.starts[v + 1];
      std::sort(first, last, [&](Index a, Index b) {
        const int order = compare(Cycle(mesh, a), Cycle(mesh, b));
        return order != 0 ? order < 0 : a < b;
      });
      for (Index* at = first; at < last;) {
        const Cycle leader(mesh, *at);
        const Index number = *at;
        for (; at < last; ++at) {
          const Cycle cycle(mesh, *at);
          if (compare(leader, cycle) != 0) break;
          same[*at] = cycle.backwards == leader.backwards ? number : ~number;
        }
      }
    }
  });

  const Array<Index> kept =
      select(count, [&](std::size_t p) { return p < first_face || same[p] == p; });
  Array<Index> number(count);
  Array<Index> offsets(kept.size() + 1);
  offsets[0] = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    number[kept[i]] = static_cast<Index>(i);
    offsets[i + 1] = offsets[i] + mesh.polygon_offsets[kept[i] + 1] - mesh.polygon_offsets[kept[i]];
  }
  Array<Index> corners(offsets.back());
  parallel_for_ranges(kept.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      std::copy_n(mesh.polygon_corners.data() + mesh.polygon_offsets[kept[i]],
                  offsets[i + 1] - offsets[i], corners.data() + offsets[i]);
  });
  parallel_for_ranges(mesh.cell_count(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      if (mesh.cell_types[c] != CellType::polyhedron) continue;
      for (Index i = mesh.cell_offsets[c]; i < mesh.cell_offsets[c + 1]; ++i) {
        const Index polygon = same[mesh.cell_entries[i]];
        mesh.cell_entries[i] = polygon < count ? number[polygon] : ~number[~polygon];
      }
    }
  });
  mesh.polygon_offsets = std::move(offsets);
  mesh.polygon_corners = std::move(corners);
}

}  // namespace tessera::io::detail
