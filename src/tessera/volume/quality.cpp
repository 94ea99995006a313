// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/volume/quality.h"

#include <cmath>
#include <limits>

#include "tessera/exec/buffer.h"
#include "tessera/exec/for_each.h"
#include "tessera/volume/detail/cell_type.h"

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

struct MeasureCell {
  View<const Vec3d> positions;
  View<const EdgeVertices> edge_vertices;
  TernaryView face_edges;
  TernaryView cell_faces;
  RelationView<Index> face_vertices;
  RelationView<Index> cell_edges;
  RelationView<Index> cell_vertices;
  View<CellType> types;
  View<double> volumes;
  View<float> scaled_jacobians;
  View<float> aspect_ratios;

  TESSERA_KERNEL void operator()(Index c) const {
    const CellType type = detail::cell_type(face_edges, cell_faces, cell_vertices.size(c), c);
    types[c] = type;
    double six_volumes = 0;
    double worst = std::numeric_limits<double>::infinity();
    const Vec3d origin = positions[cell_vertices.entries[cell_vertices.begin(c)]];
    for (const SignedIndex face : cell_faces.row(c)) {
      const View<const Index> loop = face_vertices.row(face.index());
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
    scaled_jacobians[c] =
        static_cast<float>(worst > 2 ? 0 : worst * jacobian_scale(type));  // no such corner: 0
    aspect_ratios[c] = aspect(c);
  }

 private:
  /// The volume spanned by the unit edges at a corner, which lie in a face to `before` and `after`
  /// as it goes round seen from outside; infinity unless a third edge, and no more, meets them.
  TESSERA_KERNEL double corner(Index c, Index at, Index before, Index after) const {
    Index third = no_index;
    for (const Index e : cell_edges.row(c)) {
      const EdgeVertices ends = edge_vertices[e];
      if (ends[0] != at && ends[1] != at) continue;
      const Index other = ends[0] == at ? ends[1] : ends[0];
      if (other == before || other == after) continue;
      if (third != no_index) return std::numeric_limits<double>::infinity();
      third = other;
    }
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
    for (const Index e : cell_edges.row(c)) {
      const double l = length(positions[edge_vertices[e][0]] - positions[edge_vertices[e][1]]);
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
  exec::for_each(stream, cells,
                 MeasureCell{complex.positions(), complex.edge_vertices(), complex.face_edges(),
                             complex.cell_faces(), complex.face_vertices(), complex.cell_edges(),
                             complex.cell_vertices(), types.view(), volumes.view(),
                             scaled_jacobians.view(), aspect_ratios.view()});
  return {exec::download(stream, types), exec::download(stream, volumes),
          exec::download(stream, scaled_jacobians), exec::download(stream, aspect_ratios)};
}

}  // namespace tessera::volume
