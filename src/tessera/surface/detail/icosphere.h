// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"

namespace tessera::surface::detail {

/// The largest r with r * r <= x.
TESSERA_KERNEL inline Index integer_root(Index x) {
  auto r = static_cast<Index>(std::sqrt(static_cast<double>(x)));
  while (static_cast<unsigned long long>(r) * r > x) --r;
  while (static_cast<unsigned long long>(r + 1) * (r + 1) <= x) ++r;
  return r;
}

/// A geodesic sphere in closed form: each face of an icosahedron is cut into f^2 triangles by f - 1
/// lines parallel to each side, and the points are moved onto the unit sphere. Vertices are
/// numbered: 12 corners, then f - 1 along each of the 30 edges, then those inside the 20 faces.
class Icosphere {
 public:
  explicit Icosphere(Index frequency) : f_(frequency) {
    for (Index i = 0; i < 12; ++i) corners_[i] = corner_position(i);
  }

  TESSERA_KERNEL Vec3d position(Index v) const {
    if (v < 12) return corner(v);
    const Index on_edges = 30 * (f_ - 1);
    Vec3d p{};
    if (v - 12 < on_edges) {
      const Index edge = (v - 12) / (f_ - 1);
      const double along = (v - 12) % (f_ - 1) + 1;
      p = (f_ - along) * corner(edge_end(edge, 0)) + along * corner(edge_end(edge, 1));
    } else {
      const Index inside = (f_ - 1) * (f_ - 2) / 2;
      const Index i = v - 12 - on_edges;
      const Index face = i / inside;
      // Row 2 has one inner point, row 3 two: the triangular number below the remainder.
      const Index rest = i % inside;
      const Index above = (integer_root(8 * rest + 1) - 1) / 2;
      const double row = above + 2;
      const double column = rest - above * (above + 1) / 2 + 1;
      p = (f_ - row) * corner(face_corner(face, 0)) +
          (row - column) * corner(face_corner(face, 1)) + column * corner(face_corner(face, 2));
    }
    return (1 / length(p)) * p;
  }

  TESSERA_KERNEL Triangle triangle(Index f) const {
    const Index face = f / (f_ * f_);
    const Index i = f % (f_ * f_);
    const Index row = integer_root(i);  // row r has 2 r + 1 triangles
    const Index column = (i - row * row) / 2;
    if ((i - row * row) % 2 == 0)
      return {vertex(face, row, column), vertex(face, row + 1, column),
              vertex(face, row + 1, column + 1)};
    return {vertex(face, row, column), vertex(face, row + 1, column + 1),
            vertex(face, row, column + 1)};
  }

 private:
  /// Point of a face: `row` lines away from its corner 0, `column` steps from its side 0-1.
  TESSERA_KERNEL Index vertex(Index face, Index row, Index column) const {
    if (row == 0) return face_corner(face, 0);
    if (row == f_ && column == 0) return face_corner(face, 1);
    if (row == f_ && column == f_) return face_corner(face, 2);
    if (column == 0) return on_side(face, 0, row);
    if (column == row) return on_side(face, 2, f_ - row);
    if (row == f_) return on_side(face, 1, column);
    const Index inside = (f_ - 1) * (f_ - 2) / 2;
    return 12 + 30 * (f_ - 1) + face * inside + (row - 2) * (row - 1) / 2 + column - 1;
  }

  /// Point `along` the side that leaves corner `side`.
  TESSERA_KERNEL Index on_side(Index face, int side, Index along) const {
    const Index a = face_corner(face, side);
    const Index b = face_corner(face, side == 2 ? 0 : side + 1);
    const Index low = a < b ? a : b;
    const Index high = a < b ? b : a;
    Index edge = 0;
    while (edge_end(edge, 0) != low || edge_end(edge, 1) != high) ++edge;
    return 12 + edge * (f_ - 1) + (a < b ? along : f_ - along) - 1;
  }

  TESSERA_KERNEL const Vec3d& corner(Index i) const { return corners_[i]; }

  /// Two poles (0 and 11) and two rings of five.
  static Vec3d corner_position(Index i) {
    constexpr double height = 0.44721359549995793928;  // 1 / sqrt(5)
    if (i == 0) return {0, 0, 1};
    if (i == 11) return {0, 0, -1};
    const bool upper = i < 6;
    constexpr double tenth_of_turn = 0.62831853071795864769;
    const double angle = (upper ? 2 * (i - 1.0) : 2 * (i - 6.0) + 1) * tenth_of_turn;
    return {2 * height * std::cos(angle), 2 * height * std::sin(angle), upper ? height : -height};
  }

  /// Faces 0-4 around the upper pole, 5-9 and 10-14 between the rings, 15-19 around the lower pole.
  TESSERA_KERNEL static Index face_corner(Index face, int k) {
    const Index i = face % 5;
    const Index upper = 1 + i;
    const Index next_upper = 1 + (i + 1) % 5;
    const Index lower = 6 + i;
    const Index next_lower = 6 + (i + 1) % 5;
    switch (face / 5) {
      case 0:
        return k == 0 ? 0 : k == 1 ? upper : next_upper;
      case 1:
        return k == 0 ? upper : k == 1 ? lower : next_upper;
      case 2:
        return k == 0 ? next_upper : k == 1 ? lower : next_lower;
      default:
        return k == 0 ? 11 : k == 1 ? next_lower : lower;
    }
  }

  /// Ends of an edge, the smaller first: pole to upper ring, upper ring, two kinds between the
  /// rings, lower ring, lower ring to pole; five of each.
  TESSERA_KERNEL static Index edge_end(Index edge, int k) {
    const Index i = edge % 5;
    const Index next = (i + 1) % 5;
    const Index low = i < next ? i : next;
    const Index high = i < next ? next : i;
    switch (edge / 5) {
      case 0:
        return k == 0 ? 0 : 1 + i;
      case 1:
        return k == 0 ? 1 + low : 1 + high;
      case 2:
        return k == 0 ? 1 + i : 6 + i;
      case 3:
        return k == 0 ? 1 + next : 6 + i;
      case 4:
        return k == 0 ? 6 + low : 6 + high;
      default:
        return k == 0 ? 6 + i : 11;
    }
  }

  Index f_;
  Vec3d corners_[12];
};

}  // namespace tessera::surface::detail
