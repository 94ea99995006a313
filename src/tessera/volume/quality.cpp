// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/volume/quality.h"

#include <cmath>
#include <limits>

#include "tessera/exec/buffer.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/reduce.h"
#include "tessera/volume/detail/cell_type.h"
#include "tessera/volume/detail/place_in.h"

namespace tessera::volume {
namespace {

using exec::Buffer;
using exec::View;

/// Makes the cell of its type whose edges are all equal have 1.
TESSERA_KERNEL double jacobian_scale(CellType type) {
  constexpr double sqrt2 = 1.4142135623730951;
  constexpr double two_by_sqrt3 = 1.1547005383792515;
  return type == CellType::tetrahedron || type == CellType::pyramid ? sqrt2
         : type == CellType::prism                                  ? two_by_sqrt3
                                                                    : 1;
}

/// Whether looking through all edges of a cell at each of its corners would take long: such a cell
/// gets a list of its vertices' neighbours first.
TESSERA_KERNEL bool is_large(const RelationView<Index>& cell_edges, Index c) {
  return cell_edges.size(c) > 48;
}

struct CountLarge {
  RelationView<Index> cell_edges;
  TESSERA_KERNEL Index operator()(Index c) const { return is_large(cell_edges, c) ? 1 : 0; }
};

/// Those that a vertex has within a cell: how many, and the sum of their numbers, which tells the
/// third where two are known.
struct Neighbours {
  Index count = 0;
  Index sum = 0;
};

struct MeasureCell {
  View<const Vec3d> positions;
  detail::CellView cells;
  View<Neighbours> neighbours;  ///< for each entry of cell_vertices, or empty
  View<CellType> types;
  View<double> volumes;
  View<float> scaled_jacobians;
  View<float> aspect_ratios;

  TESSERA_KERNEL void operator()(Index c) const {
    const CellType type = cells.type(c);
    types[c] = type;
    if (is_large(cells.cell_edges, c)) add_neighbours(c);
    double six_volumes = 0;
    double worst = std::numeric_limits<double>::infinity();
    const Vec3d origin = positions[cells.cell_vertices.entries[cells.cell_vertices.begin(c)]];
    for (const SignedIndex face : cells.cell_faces.row(c)) {
      const View<const Index> loop = cells.face_vertices.row(face.index());
      const std::size_t n = loop.size();
      Vec3d middle{};
      for (const Index v : loop) middle += positions[v] - origin;
      middle *= 1.0 / static_cast<double>(n);
      double part = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const Index before = loop[i == 0 ? n - 1 : i - 1];
        const Index here = loop[i];
        const Index after = loop[i + 1 == n ? 0 : i + 1];
        part += dot(middle, cross(positions[here] - origin, positions[after] - origin));
        const double jacobian =
            face.is_reversed() ? corner(c, here, after, before) : corner(c, here, before, after);
        if (jacobian < worst) worst = jacobian;
      }
      six_volumes += face.is_reversed() ? -part : part;
    }
    volumes[c] = six_volumes / 6;
    scaled_jacobians[c] = worst > 2 ? std::numeric_limits<float>::quiet_NaN()  // no such corner
                                    : static_cast<float>(worst * jacobian_scale(type));
    aspect_ratios[c] = aspect(c);
  }

 private:
  TESSERA_KERNEL void add_neighbours(Index c) const {
    for (Index o = cells.cell_vertices.begin(c); o < cells.cell_vertices.end(c); ++o)
      neighbours[o] = {};
    for (const Index e : cells.cell_edges.row(c)) {
      const EdgeVertices ends = cells.edge_vertices[e];
      for (int k = 0; k < 2; ++k) {
        Neighbours& here = neighbours[detail::place_in(cells.cell_vertices, c, ends[k])];
        ++here.count;
        here.sum += ends[1 - k];
      }
    }
  }

  /// The end of the third edge at a corner; no_index unless there are three.
  TESSERA_KERNEL Index third_neighbour(Index c, Index at, Index before, Index after) const {
    if (is_large(cells.cell_edges, c)) {
      const Neighbours here = neighbours[detail::place_in(cells.cell_vertices, c, at)];
      return here.count == 3 ? here.sum - before - after : no_index;
    }
    Index third = no_index;
    for (const Index e : cells.cell_edges.row(c)) {
      const EdgeVertices ends = cells.edge_vertices[e];
      if (ends[0] != at && ends[1] != at) continue;
      const Index other = ends[0] == at ? ends[1] : ends[0];
      if (other == before || other == after) continue;
      if (third != no_index) return no_index;
      third = other;
    }
    return third;
  }

  /// The volume spanned by the unit edges at a corner, which lie in a face to `before` and `after`
  /// as it goes round seen from outside; infinity unless a third edge, and no more, meets them.
  TESSERA_KERNEL double corner(Index c, Index at, Index before, Index after) const {
    const Index third = third_neighbour(c, at, before, after);
    if (third == no_index) return std::numeric_limits<double>::infinity();
    const Vec3d a = positions[before] - positions[at];
    const Vec3d b = positions[after] - positions[at];
    const Vec3d d = positions[third] - positions[at];
    const double lengths = length(a) * length(b) * length(d);
    return lengths > 0 ? dot(cross(a, b), d) / lengths : 0;
  }

  TESSERA_KERNEL float aspect(Index c) const {
    double shortest = std::numeric_limits<double>::infinity();
    double longest = 0;
    for (const Index e : cells.cell_edges.row(c)) {
      const EdgeVertices ends = cells.edge_vertices[e];
      const double l = length(positions[ends[0]] - positions[ends[1]]);
      shortest = l < shortest ? l : shortest;
      longest = l > longest ? l : longest;
    }
    return shortest > 0 ? static_cast<float>(longest / shortest)
                        : std::numeric_limits<float>::infinity();
  }
};

}  // namespace

CellQualities cell_qualities(const Complex& complex) {
  const exec::Stream& stream = complex.stream();
  const Index cells = complex.cells();
  Buffer<CellType> types(stream, cells);
  Buffer<double> volumes(stream, cells);
  Buffer<float> scaled_jacobians(stream, cells);
  Buffer<float> aspect_ratios(stream, cells);
  const detail::CellView view = detail::cell_view(complex);
  const bool has_large =
      exec::reduce(stream, cells, Index{0}, CountLarge{view.cell_edges}, exec::Maximum{}) > 0;
  Buffer<Neighbours> neighbours(stream, has_large ? view.cell_vertices.entries.size() : 0);
  exec::for_each(stream, cells,
                 MeasureCell{complex.positions(), view, neighbours.view(), types.view(),
                             volumes.view(), scaled_jacobians.view(), aspect_ratios.view()});
  return {exec::download(stream, types), exec::download(stream, volumes),
          exec::download(stream, scaled_jacobians), exec::download(stream, aspect_ratios)};
}

}  // namespace tessera::volume
