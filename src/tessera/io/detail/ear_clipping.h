// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tessera/core/array.h"
#include "tessera/core/vec.h"

namespace tessera::io::detail {

/// Triangulates one polygon after another, each in the plane of its area vector; keeps its memory
/// between polygons. One thread at a time.
class EarClipper {
 public:
  /// Writes corners.size() - 2 triangles; needs at least three corners.
  ///
  /// An ear is cut off where no other corner lies in it. Only reflex corners can, so only those
  /// are tried, through a grid of cells. The number of trials is bounded by a multiple of the
  /// number of corners; a polygon that spends it (of more than a thousand corners, most of them on
  /// long, thin spikes) has the rest cut at convex corners without trials, so that its triangles
  /// may overlap.
  void clip(std::span<const Index> corners, const Array<Vec3d>& positions, Triangle* out);

 private:
  struct Point {
    double x;
    double y;
    bool operator==(const Point&) const = default;
  };
  /// What is asked of a corner before it is cut off, most to least.
  enum class Trial { empty, flat, convex, none };

  bool project(std::span<const Index> corners, const Array<Vec3d>& positions);
  void build_grid();
  bool is_ear(std::uint32_t corner, Trial trial);
  bool is_empty(std::uint32_t corner);
  double turn(std::uint32_t corner) const;
  std::size_t column(double x) const;
  std::size_t row(double y) const;

  std::vector<Point> points_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> previous_;
  std::vector<char> reflex_;  ///< whether a corner may lie in the ear of another
  std::vector<std::uint32_t> cell_start_;
  std::vector<std::uint32_t> cell_corners_;
  Point low_{};
  double columns_per_unit_ = 0;
  double rows_per_unit_ = 0;
  std::size_t columns_ = 1;
  std::size_t rows_ = 1;
  std::uint64_t trials_left_ = 0;
};

}  // namespace tessera::io::detail
