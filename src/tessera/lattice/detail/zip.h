// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/facet.h"
#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"
#include "tessera/lattice/detail/rings.h"

namespace tessera::lattice::detail {

/// Walks once around a polyline and says at which angle its next point lies, from a start on: never
/// less than before, and 4 more when it comes back to its first point.
class Walk {
 public:
  TESSERA_KERNEL Walk(const Polyline& line, float start, Index at)
      : start_(start), left_(line.count), half_(line.count / 2) {
    const LinePoint* const first = line.points;
    const LinePoint* const last = line.points + (line.count - 1);
    step_ = line.is_reversed ? -1 : 1;
    end_ = line.is_reversed ? first - 1 : last + 1;
    begin_ = line.is_reversed ? last : first;
    at_ = &line[at];
    look_ahead();
  }

  TESSERA_KERNEL bool is_done() const { return left_ == 0; }
  TESSERA_KERNEL const Vec3f& point() const { return at_->position; }
  TESSERA_KERNEL const Vec3f& next() const { return next_->position; }
  TESSERA_KERNEL float next_angle() const { return next_angle_; }
  TESSERA_KERNEL void advance() {
    at_ = next_;
    --left_;
    look_ahead();
  }

  TESSERA_KERNEL static float angle_from(float angle, float start) {
    return angle < start ? angle - start + 4 : angle - start;
  }

 private:
  TESSERA_KERNEL void look_ahead() {
    next_ = at_ + step_;
    if (next_ == end_) next_ = begin_;
    float angle = angle_from(next_->angle, start_);
    // Rounding may put a point a little before the one it follows.
    const bool has_come_around = left_ <= half_ && angle < 2 && next_angle_ > 2;
    if (has_come_around) angle += 4;
    const bool is_before_start = left_ > half_ && angle > 2 + next_angle_;
    if (angle > next_angle_ && !is_before_start) next_angle_ = angle;
  }

  const LinePoint* at_;
  const LinePoint* next_;
  const LinePoint* begin_;
  const LinePoint* end_;
  int step_;
  float start_;
  Index left_;
  Index half_;
  float next_angle_ = 0;
};

/// Puts the triangles of a closed strip one after the other, without those that have two equal
/// corners and without neighbours that are each other's reverse: where several junctions lie nearly
/// in one place, single precision may make a polyline go to a point and straight back. The surface
/// stays closed without both.
class StripWriter {
 public:
  TESSERA_KERNEL explicit StripWriter(Facet* to) : to_(to) {}
  TESSERA_KERNEL void put(const Facet& facet) {
    if (facet[0] == facet[1] || facet[1] == facet[2] || facet[2] == facet[0]) return;
    if (count_ > 0 && is_reverse(to_[count_ - 1], facet))
      --count_;
    else
      to_[count_++] = facet;
  }
  /// The last triangle is a neighbour of the first. Returns how many there are.
  TESSERA_KERNEL Index finish() {
    while (count_ > 1 && is_reverse(to_[0], to_[count_ - 1])) {
      count_ -= 2;
      to_[0] = to_[count_];
    }
    return count_;
  }

 private:
  TESSERA_KERNEL static bool is_reverse(const Facet& a, const Facet& b) {
    return a[0] == b[1] && a[1] == b[0] && a[2] == b[2];
  }
  Facet* to_;
  Index count_ = 0;
};

/// Triangles between two closed polylines around a strut, `lower` nearer to its first node: both
/// are walked once around, always onwards on the one whose next point comes first. So no triangle
/// is wider than the widest step of the two, and the strip is closed wherever the points lie.
/// Returns how many there are: at most as many as both have points.
TESSERA_KERNEL inline Index zip(const Polyline& lower, const Polyline& upper, Facet* to) {
  StripWriter strip(to);
  const float start = lower[0].angle;
  // The first point of `upper` at or after the first one of `lower`.
  Index first = 0;
  float nearest = 8;
  for (Index i = 0; i < upper.count; ++i) {
    const float after = Walk::angle_from(upper[i].angle, start);
    if (after < nearest) {
      nearest = after;
      first = i;
    }
  }
  Walk a(lower, start, 0);
  Walk b(upper, start, first == 0 ? upper.count - 1 : first - 1);
  while (!a.is_done() || !b.is_done()) {
    bool takes_a = b.is_done() || (!a.is_done() && a.next_angle() <= b.next_angle());
    // Where the polylines have points in common, they are walked together: angles cannot tell the
    // order of points that lie nearly in one place.
    if (!a.is_done() && !b.is_done()) {
      if (b.next() == a.point())
        takes_a = false;
      else if (a.next() == b.point())
        takes_a = true;
    }
    if (takes_a) {
      strip.put({a.point(), a.next(), b.point()});
      a.advance();
    } else {
      strip.put({b.next(), b.point(), a.point()});
      b.advance();
    }
  }
  return strip.finish();
}

}  // namespace tessera::lattice::detail
