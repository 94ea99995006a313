// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/ear_clipping.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera::io::detail {
namespace {

/// Twice the signed area of a triangle.
template <class Point>
double area(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

}  // namespace

/// Corners in the plane, counter-clockwise; false where there is no plane.
bool EarClipper::project(std::span<const Index> corners, const Array<Vec3d>& positions) {
  const Vec3d origin = positions[corners[0]];  // nearby, so that large coordinates lose nothing
  Vec3d normal{};
  Vec3d last = positions[corners.back()] - origin;
  for (const Index corner : corners) {
    const Vec3d current = positions[corner] - origin;
    normal += cross(last, current);
    last = current;
  }
  int axis = 0;
  for (int i = 1; i < 3; ++i)
    if (std::abs(normal[i]) > std::abs(normal[axis])) axis = i;
  if (!(std::abs(normal[axis]) > 0) || !std::isfinite(normal[axis])) return false;
  int x = (axis + 1) % 3;
  int y = (axis + 2) % 3;
  if (normal[axis] < 0) std::swap(x, y);
  points_.resize(corners.size());
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec3d p = positions[corners[i]] - origin;
    points_[i] = {p[x], p[y]};
  }
  return true;
}

double EarClipper::turn(std::uint32_t corner) const {
  return area(points_[previous_[corner]], points_[corner], points_[next_[corner]]);
}

std::size_t EarClipper::column(double x) const {
  return static_cast<std::size_t>(
      std::clamp((x - low_.x) * columns_per_unit_, 0.0, static_cast<double>(columns_ - 1)));
}

std::size_t EarClipper::row(double y) const {
  return static_cast<std::size_t>(
      std::clamp((y - low_.y) * rows_per_unit_, 0.0, static_cast<double>(rows_ - 1)));
}

/// Sorts the reflex corners into cells, about two to each.
void EarClipper::build_grid() {
  Point high = low_ = points_[0];
  std::size_t count = 0;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const Point& p = points_[i];
    low_ = {std::min(low_.x, p.x), std::min(low_.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    count += reflex_[i] != 0 ? 1 : 0;
  }
  const double width = high.x - low_.x;
  const double height = high.y - low_.y;
  const double cells = static_cast<double>(count) / 2;
  columns_ = rows_ = 1;
  columns_per_unit_ = rows_per_unit_ = 0;
  if (cells > 8 && width > 0 && height > 0) {
    const double across = std::clamp(std::sqrt(cells * width / height), 1.0, cells);
    columns_ = static_cast<std::size_t>(across);
    rows_ = static_cast<std::size_t>(std::max(1.0, cells / across));
    columns_per_unit_ = static_cast<double>(columns_) / width;
    rows_per_unit_ = static_cast<double>(rows_) / height;
  }
  cell_start_.assign(columns_ * rows_ + 1, 0);
  cell_corners_.resize(count);
  auto for_each_reflex = [&](auto&& f) {
    for (std::uint32_t i = 0; i < points_.size(); ++i)
      if (reflex_[i] != 0) f(i, row(points_[i].y) * columns_ + column(points_[i].x));
  };
  for_each_reflex([&](std::uint32_t, std::size_t cell) { ++cell_start_[cell]; });
  std::partial_sum(cell_start_.begin(), cell_start_.end(), cell_start_.begin());
  for_each_reflex(
      [&](std::uint32_t corner, std::size_t cell) { cell_corners_[--cell_start_[cell]] = corner; });
}

/// Whether no reflex corner lies in the triangle at this corner or on its border. A corner at the
/// very place of one of the three is no obstacle: the seam that joins a hole to its outline runs
/// through every such place twice.
bool EarClipper::is_empty(std::uint32_t corner) {
  const Point& a = points_[previous_[corner]];
  const Point& b = points_[corner];
  const Point& c = points_[next_[corner]];
  const std::size_t first_column = column(std::min({a.x, b.x, c.x}));
  const std::size_t last_column = column(std::max({a.x, b.x, c.x}));
  const std::size_t last_row = row(std::max({a.y, b.y, c.y}));
  for (std::size_t r = row(std::min({a.y, b.y, c.y})); r <= last_row; ++r) {
    const std::uint32_t first = cell_start_[r * columns_ + first_column];
    const std::uint32_t last = cell_start_[r * columns_ + last_column + 1];
    trials_left_ -= std::min<std::uint64_t>(trials_left_, last - first + 1);
    for (std::uint32_t i = first; i < last; ++i) {
      if (reflex_[cell_corners_[i]] == 0) continue;
      const Point& p = points_[cell_corners_[i]];
      if (area(a, b, p) >= 0 && area(b, c, p) >= 0 && area(c, a, p) >= 0 &&
          !(p == a || p == b || p == c))
        return false;
    }
  }
  return true;
}

bool EarClipper::is_ear(std::uint32_t corner, Trial trial) {
  switch (trial) {
    case Trial::empty:
      return turn(corner) > 0 && is_empty(corner);
    case Trial::flat:
      return turn(corner) == 0;
    case Trial::convex:
      return turn(corner) > 0;
    case Trial::none:
      break;
  }
  return true;
}

void EarClipper::clip(std::span<const Index> corners, const Array<Vec3d>& positions,
                      Triangle* out) {
  const std::size_t n = corners.size();
  if (n == 3 || !project(corners, positions)) {
    for (std::size_t i = 2; i < n; ++i) *out++ = {corners[0], corners[i - 1], corners[i]};
    return;
  }
  next_.resize(n);
  previous_.resize(n);
  reflex_.resize(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    next_[i] = i + 1 < n ? i + 1 : 0;
    previous_[i] = static_cast<std::uint32_t>(i > 0 ? i - 1 : n - 1);
  }
  for (std::uint32_t i = 0; i < n; ++i) reflex_[i] = turn(i) > 0 ? 0 : 1;
  build_grid();

  trials_left_ = 1'000'000 + 256 * static_cast<std::uint64_t>(n);
  std::size_t misses = 0;
  std::uint32_t corner = 0;
  Trial trial = Trial::empty;
  for (std::size_t left = n; left > 3;) {
    const bool hurry = trials_left_ == 0;
    if (hurry) trial = std::max(trial, Trial::convex);
    if (!is_ear(corner, trial)) {
      corner = next_[corner];
      trials_left_ -= std::min<std::uint64_t>(trials_left_, 1);
      if (++misses >= left) {
        // Not a simple polygon, or one whose rest is flat: ask for less, once.
        if (trial != Trial::none) trial = static_cast<Trial>(static_cast<int>(trial) + 1);
        misses = 0;
      }
      continue;
    }
    const std::uint32_t before = previous_[corner];
    const std::uint32_t after = next_[corner];
    *out++ = {corners[before], corners[corner], corners[after]};
    next_[before] = after;
    previous_[after] = before;
    reflex_[corner] = 0;
    for (const std::uint32_t neighbour : {before, after})
      if (turn(neighbour) > 0) reflex_[neighbour] = 0;
    --left;
    corner = next_[after];  // not `after` itself: that would make fans of thin triangles
    if (!hurry) {
      trial = Trial::empty;
      misses = 0;
    }
  }
  *out = {corners[previous_[corner]], corners[corner], corners[next_[corner]]};
}

}  // namespace tessera::io::detail
