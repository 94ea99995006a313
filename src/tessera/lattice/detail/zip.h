// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "tessera/core/facet.h"
#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"
#include "tessera/lattice/detail/rings.h"
#include "tessera/lattice/detail/strut_end.h"

namespace tessera::lattice::detail {

/// Angles around a strut, seen so that they grow counter-clockwise; 4 is all around.
struct AxisView {
  Frame frame;
  Vec3d origin;
  TESSERA_KERNEL float angle(const Vec3f& p) const {
    const Around at = around(frame, cast<double>(p) - origin);
    return quarter_turns(static_cast<float>(at.x), static_cast<float>(at.y));
  }
};

/// Walks once around a polyline and says at which angle its next point lies, from a start on: never
/// less than before, and 4 more when it comes back to its first point. The same point has the same
/// angle on any polyline.
class Walk {
 public:
  TESSERA_KERNEL Walk(const Polyline& line, const AxisView& axis, float start, Index at)
      : line_(line), axis_(axis), start_(start), at_(at), left_(line.count) {}

  TESSERA_KERNEL bool is_done() const { return left_ == 0; }
  TESSERA_KERNEL const Vec3f& point() const { return line_[at_]; }
  TESSERA_KERNEL const Vec3f& next() const { return line_[next_index()]; }
  TESSERA_KERNEL float next_angle() const { return next_angle_; }
  TESSERA_KERNEL void advance() {
    at_ = next_index();
    --left_;
    look_ahead();
  }
  TESSERA_KERNEL void look_ahead() {
    float angle = angle_from(axis_.angle(next()), start_);
    // Rounding may put a point a little before the one it follows.
    const bool has_come_around = left_ <= line_.count / 2 && angle < 2 && next_angle_ > 2;
    if (has_come_around) angle += 4;
    const bool is_before_start = left_ > line_.count / 2 && angle > 2 + next_angle_;
    if (angle > next_angle_ && !is_before_start) next_angle_ = angle;
  }

  TESSERA_KERNEL static float angle_from(float angle, float start) {
    return angle < start ? angle - start + 4 : angle - start;
  }

 private:
  TESSERA_KERNEL Index next_index() const { return at_ + 1 < line_.count ? at_ + 1 : 0; }
  Polyline line_;
  const AxisView& axis_;
  float start_;
  Index at_;
  Index left_;
  float next_angle_ = 0;
};

/// Passes triangles on, without those that have two equal corners and without neighbours that are
/// each other's reverse: where several junctions lie nearly in one place, single precision may
/// make a polyline go to a point and straight back. The surface stays closed without both.
template <class Emit>
class Cleaner {
 public:
  TESSERA_KERNEL explicit Cleaner(const Emit& emit) : emit_(emit) {}
  TESSERA_KERNEL void put(const Facet& facet) {
    if (facet[0] == facet[1] || facet[1] == facet[2] || facet[2] == facet[0]) return;
    if (has_last_ && is_reverse(last_, facet)) {
      has_last_ = false;
      return;
    }
    pass_last();
    last_ = facet;
    has_last_ = true;
  }
  /// The strip is closed: its last triangle is a neighbour of its first.
  TESSERA_KERNEL void finish() {
    if (has_first_ && has_last_ && is_reverse(first_, last_)) return;
    if (has_first_) emit_(first_);
    if (has_last_) emit_(last_);
  }

 private:
  TESSERA_KERNEL void pass_last() {
    if (!has_last_) return;
    if (has_first_) {
      emit_(last_);
    } else {
      first_ = last_;
      has_first_ = true;
    }
    has_last_ = false;
  }
  TESSERA_KERNEL static bool is_reverse(const Facet& a, const Facet& b) {
    return a[0] == b[1] && a[1] == b[0] && a[2] == b[2];
  }
  const Emit& emit_;
  Facet first_{};
  Facet last_{};
  bool has_first_ = false;
  bool has_last_ = false;
};

/// Triangles between two closed polylines around a strut, `lower` nearer to its first node: both
/// are walked once around, always onwards on the one whose next point comes first. So no triangle
/// is wider than the widest step of the two, and the strip is closed wherever the points lie.
template <class Emit>
TESSERA_KERNEL void zip(const Polyline& lower, const Polyline& upper, const AxisView& axis,
                        const Emit& emit) {
  Cleaner<Emit> cleaner(emit);
  const float start = axis.angle(lower[0]);
  // The first point of `upper` at or after the first one of `lower`.
  Index first = 0;
  float nearest = 8;
  for (Index i = 0; i < upper.count; ++i) {
    const float after = Walk::angle_from(axis.angle(upper[i]), start);
    if (after < nearest) {
      nearest = after;
      first = i;
    }
  }
  Walk a(lower, axis, start, 0);
  Walk b(upper, axis, start, first == 0 ? upper.count - 1 : first - 1);
  a.look_ahead();
  b.look_ahead();
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
      cleaner.put({a.point(), a.next(), b.point()});
      a.advance();
    } else {
      cleaner.put({b.next(), b.point(), a.point()});
      b.advance();
    }
  }
  cleaner.finish();
}

}  // namespace tessera::lattice::detail
