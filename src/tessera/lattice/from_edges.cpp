// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/lattice/from_edges.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "tessera/core/error.h"
#include "tessera/core/find_first.h"
#include "tessera/core/parallel.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/sort.h"

namespace tessera::lattice {
namespace {

constexpr std::uint64_t key_of(const StrutNodes& edge) {
  return std::uint64_t{std::min(edge[0], edge[1])} << 32 | std::max(edge[0], edge[1]);
}
constexpr StrutNodes edge_of(std::uint64_t key) {
  return {static_cast<Index>(key >> 32), static_cast<Index>(key)};
}
constexpr bool is_edge(std::uint64_t key) {
  return edge_of(key)[0] != edge_of(key)[1];
}

/// The corners that the edges of a cell join.
std::span<const StrutNodes> local_edges(tessera::CellType type) {
  static constexpr StrutNodes tetrahedron[] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  static constexpr StrutNodes pyramid[] = {{0, 1}, {1, 2}, {2, 3}, {3, 0},
                                           {0, 4}, {1, 4}, {2, 4}, {3, 4}};
  static constexpr StrutNodes prism[] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5},
                                         {5, 3}, {0, 3}, {1, 4}, {2, 5}};
  static constexpr StrutNodes hexahedron[] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                              {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
  switch (type) {
    case tessera::CellType::tetrahedron:
      return tetrahedron;
    case tessera::CellType::pyramid:
      return pyramid;
    case tessera::CellType::prism:
      return prism;
    case tessera::CellType::hexahedron:
      return hexahedron;
    case tessera::CellType::polyhedron:
      break;
  }
  return {};
}

/// Calls f(edge) for each edge of a cell, for those of polyhedra from each of their polygons.
template <class F>
void visit_edges(const PolyhedralSoup& mesh, std::size_t cell, const F& f) {
  const Index first = mesh.cell_offsets[cell];
  if (mesh.cell_types[cell] != tessera::CellType::polyhedron) {
    for (const StrutNodes& e : local_edges(mesh.cell_types[cell]))
      f({mesh.cell_entries[first + e[0]], mesh.cell_entries[first + e[1]]});
    return;
  }
  for (Index i = first; i < mesh.cell_offsets[cell + 1]; ++i) {
    const Index polygon = std::min(mesh.cell_entries[i], ~mesh.cell_entries[i]);
    const Index begin = mesh.polygon_offsets[polygon];
    const Index end = mesh.polygon_offsets[polygon + 1];
    for (Index k = begin; k < end; ++k)
      f({mesh.polygon_corners[k], mesh.polygon_corners[k + 1 < end ? k + 1 : begin]});
  }
}

}  // namespace

LatticeGraph lattice_from_edges(const Array<Vec3d>& nodes, std::span<const StrutNodes> edges,
                                std::span<const float> radii) {
  if (radii.size() != 1 && radii.size() != nodes.size())
    throw InputError(fmt::format("{} radii for {} nodes", radii.size(), nodes.size()));
  const std::size_t bad = find_first(edges.size(), [&](std::size_t e) {
    return std::max(edges[e][0], edges[e][1]) >= nodes.size();
  });
  if (bad < edges.size())
    throw InputError(fmt::format("edge {} refers to node {}, but there are only {}", bad,
                                 std::max(edges[bad][0], edges[bad][1]), nodes.size()));
  const exec::Stream stream(exec::Device::cpu());
  exec::Buffer<std::uint64_t> keys(stream, edges.size());
  const exec::View<std::uint64_t> sorted = keys.view();
  parallel_for(edges.size(), [&](std::size_t e) { sorted[e] = key_of(edges[e]); });
  exec::sort(stream, keys);
  const exec::View<const std::uint64_t> all = keys.const_view();
  LatticeGraph graph;
  graph.nodes = nodes;
  const auto is_first = [&](std::size_t i) {
    return is_edge(all[i]) && (i == 0 || all[i] != all[i - 1]);
  };
  std::size_t count = 0;
  for (std::size_t i = 0; i < all.size(); ++i) count += is_first(i) ? 1 : 0;
  graph.struts.resize(count);
  graph.radii.resize(count);
  std::size_t at = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_first(i)) continue;
    const StrutNodes edge = edge_of(all[i]);
    graph.struts[at] = edge;
    for (int k = 0; k < 2; ++k) graph.radii[at][k] = radii[radii.size() == 1 ? 0 : edge[k]];
    ++at;
  }
  return graph;
}

Array<StrutNodes> edges_of(std::span<const Triangle> triangles) {
  Array<StrutNodes> edges(3 * triangles.size());
  parallel_for(triangles.size(), [&](std::size_t t) {
    for (int i = 0; i < 3; ++i)
      edges[3 * t + static_cast<std::size_t>(i)] = {triangles[t][i], triangles[t][(i + 1) % 3]};
  });
  return edges;
}

Array<StrutNodes> edges_of(const PolyhedralSoup& mesh) {
  if (const auto wrong = mesh.validate()) throw InputError("not a valid mesh: " + *wrong);
  Array<std::size_t> starts(mesh.cell_count());
  parallel_for_ranges(mesh.cell_count(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      std::size_t count = 0;
      visit_edges(mesh, c, [&](const StrutNodes&) { ++count; });
      starts[c] = count;
    }
  });
  std::size_t all = 0;
  for (std::size_t& start : starts) all += std::exchange(start, all);
  Array<StrutNodes> edges(all);
  parallel_for_ranges(mesh.cell_count(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      std::size_t at = starts[c];
      visit_edges(mesh, c, [&](const StrutNodes& edge) { edges[at++] = edge; });
    }
  });
  return edges;
}

}  // namespace tessera::lattice
