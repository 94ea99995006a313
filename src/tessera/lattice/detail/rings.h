// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// A strut's share of a node's ball, between the tangent circle and the loop that ends the strut:
// rings of points at regular depths. Where the loop is less deep than a ring, the ring follows it,
// so that neighbouring rings can be joined all around.
#pragma once

#include <numbers>

#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"
#include "tessera/lattice/detail/arc_curve.h"
#include "tessera/lattice/detail/arc_tangent.h"
#include "tessera/lattice/detail/strut_end.h"

namespace tessera::lattice::detail {

/// A point of a polyline, and the angle at which it lies around its strut.
struct LinePoint {
  Vec3f position;
  float angle;
};

/// Angles around a strut, seen so that they grow counter-clockwise; 4 is all around. The same point
/// has the same angle on any polyline of the strut.
struct AxisView {
  Vec3f u;
  Vec3f v;
  Vec3f origin;

  TESSERA_KERNEL AxisView(const Frame& frame, const Vec3d& node)
      : u(cast<float>(frame.u)), v(cast<float>(frame.v)), origin(cast<float>(node)) {}
  TESSERA_KERNEL LinePoint see(const Vec3f& p) const {
    const Vec3f y = p - origin;
    return {p, quarter_turns(dot(y, u), dot(y, v))};
  }
};

/// Points in order around a strut, counter-clockwise seen from the first node's side or from the
/// second's.
struct Polyline {
  const LinePoint* points;
  Index count;
  bool is_reversed;
  TESSERA_KERNEL const LinePoint& operator[](Index i) const {
    return points[is_reversed ? count - 1 - i : i];
  }
};

class Rings {
 public:
  /// `loop` has no points where the strut ends in a cap of its own.
  /// `phase` turns the rings of a cap, so that caps of several struts at a node have no edge in
  /// common. A flat cap is the disc of the tangent circle.
  TESSERA_KERNEL Rings(const StrutEnd& end, const Vec3d& node, Polyline loop,
                       const Spacing& spacing, double phase, bool is_flat)
      : end_(end),
        frame_(frame_around(end.direction)),
        node_(node),
        loop_(loop),
        spacing_(spacing),
        radius_(end.radius * (1 + spacing.outset)),
        tilt_(std::asin(end.sine)),
        phase_(phase),
        is_flat_(is_flat) {
    if (is_cap()) {
      if (is_flat) {
        height_ = 0;
        count_ = 1;
        return;
      }
      const double all = tilt_ + std::numbers::pi / 2;
      count_ = segments_for(all, spacing_.on_ball());
      height_ = all / count_;
      return;
    }
    height_ = spacing_.on_ball() / (1 + slack);
    double deepest = -1;
    for (Index i = 0; i < loop_.count; ++i) {
      const double d = depth(i);
      if (d > deepest) deepest = d;
    }
    margin_ = slack * height_;
    const double levels = std::ceil((deepest - margin_) / height_);
    count_ = levels > 0 ? static_cast<Index>(levels) : 0;
    // A loop that passes close by the pole lies opposite to most of the last ring: another one as
    // deep as it can be, so that facets across the pole are no wider than others.
    const double to_pole = tilt_ + std::numbers::pi / 2 - deepest;
    if (count_ > 0 && to_pole < spacing_.step(1) / 2) {
      ++count_;
      height_ = (deepest - 1.1 * margin_) / (count_ - 1);
    }
  }

  TESSERA_KERNEL bool is_cap() const { return loop_.count == 0; }
  /// How many rings there are, besides the loop; a cap has its pole as the last.
  TESSERA_KERNEL Index count() const { return count_ + (is_cap() ? 1 : 0); }

  /// Calls f(point) for each point of a ring; ring 0 is the tangent circle.
  template <class F>
  TESSERA_KERNEL void visit(Index ring, const F& f) const {
    const double level = ring * height_;
    if (is_cap()) {
      visit_cap(ring, level, f);
      return;
    }
    for (Index i = 0; i < loop_.count; ++i) {
      const Index next = i + 1 < loop_.count ? i + 1 : 0;
      const bool is_deep = depth(i) > level + margin_;
      const Around at = direction(i);
      f(is_deep ? ball_point(at, level) : loop_[i].position);
      const bool is_next_deep = depth(next) > level + margin_;
      if (!is_deep && !is_next_deep) continue;
      // Close to the pole, neighbouring points of the loop may be far apart around the strut.
      const Around to = direction(next);
      double angle = arc_tangent(at.x * to.y - at.y * to.x, at.x * to.x + at.y * to.y);
      if (angle < 0) angle = 0;
      const Index segments = segments_for(angle, spacing_.on_ball() * 1.05);
      for (Index k = 1; k < segments; ++k) {
        const double phi = angle * k / segments;
        const double c = std::cos(phi);
        const double s = std::sin(phi);
        const Around between{at.x * c - at.y * s, at.x * s + at.y * c};
        if ((is_deep && is_next_deep) || depth_between(i, next, between) > level + margin_)
          f(ball_point(between, level));
      }
    }
  }

 private:
  /// A ring needs so much depth beyond it, so that no narrow strips arise; rings are closer by as
  /// much.
  static constexpr double slack = 0.2;

  TESSERA_KERNEL Vec3d local(Index i) const {
    return (cast<double>(loop_[i].position) - node_) * (1 / radius_);
  }
  TESSERA_KERNEL double depth(Index i) const {
    const double along = dot(local(i), frame_.d);
    return along < end_.sine ? tilt_ - std::asin(along > -1 ? along : -1.0) : -1;
  }
  /// Of the loop in a direction between those of two of its points.
  TESSERA_KERNEL double depth_between(Index i, Index next, Around at) const {
    const Vec3d a = local(i);
    const Vec3d b = local(next);
    const auto beside = [&](const Vec3d& y) {
      const Around y_at = around(frame_, y);
      return y_at.x * at.y - y_at.y * at.x;
    };
    const double from = beside(a);
    const double to = beside(b);
    const double share = from - to != 0 ? from / (from - to) : 0;
    const Vec3d y = a + (b - a) * share;
    const double size = length(y);
    const double along = size > 0 ? dot(y, frame_.d) / size : 1;
    return along < end_.sine ? tilt_ - std::asin(along > -1 ? along : -1.0) : -1;
  }
  TESSERA_KERNEL Around direction(Index i) const {
    const Around at = around(frame_, local(i));
    const double size = std::sqrt(at.x * at.x + at.y * at.y);
    return size > 0 ? Around{at.x / size, at.y / size} : Around{1, 0};
  }
  TESSERA_KERNEL Vec3f ball_point(Around at, double level) const {
    const double latitude = tilt_ - level;
    const Vec3d y =
        (frame_.u * at.x + frame_.v * at.y) * std::cos(latitude) + frame_.d * std::sin(latitude);
    return cast<float>(node_ + y * radius_);
  }
  template <class F>
  TESSERA_KERNEL void visit_cap(Index ring, double level, const F& f) const {
    if (ring == count_) {
      f(cast<float>(node_ + frame_.d * (radius_ * (is_flat_ ? end_.sine : -1))));
      return;
    }
    constexpr double around_all = 2 * std::numbers::pi;
    // A triangle between two rings is as wide as the wider of their steps, on the larger ring.
    const double above = ring > 0 ? level - height_ : level;
    const double size = std::fmax(std::cos(tilt_ - level), std::cos(tilt_ - above));
    Index segments = is_flat_ ? 3 : segments_for(around_all * size, spacing_.on_ball());
    // The first one is on the cone too.
    const Index least = ring == 0 ? segments_for(around_all, spacing_.step(1)) : 3;
    if (segments < least) segments = least;
    for (Index k = 0; k < segments; ++k) {
      const double phi = around_all * (k + phase_) / segments;
      f(ball_point({std::cos(phi), std::sin(phi)}, level));
    }
  }

  StrutEnd end_;
  Frame frame_;
  Vec3d node_;
  Polyline loop_;
  Spacing spacing_;
  double radius_;  ///< where points lie
  double tilt_;
  double phase_;
  bool is_flat_;
  double height_;  ///< of the strips between rings, as an angle
  double margin_ = 0;
  Index count_;
};

}  // namespace tessera::lattice::detail
