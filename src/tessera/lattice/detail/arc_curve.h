// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Points on an arc, close enough to each other for a chord error. Both struts of an arc compute the
// same points: always as the one with the smaller number sees it.
#pragma once

#include <numbers>

#include "tessera/exec/kernel.h"
#include "tessera/lattice/detail/arc_loop.h"
#include "tessera/lattice/detail/strut_end.h"

namespace tessera::lattice::detail {

/// How far points may be apart. A triangle between points within an angle `step` around a cone, or
/// within a circle of that width on a ball, stays within the chord error.
struct Spacing {
  double step;  ///< around a cone

  /// For a chord error in units of the radius, between 0 and 1.
  static Spacing of_chord_error(double error) { return {2 * std::acos(1 - error)}; }

  /// On a ball, in both directions: the diagonal counts.
  TESSERA_KERNEL double on_ball() const { return step / std::numbers::sqrt2; }
  /// Along a border on the ball that lies at most `depth` beyond the tangent circle.
  TESSERA_KERNEL double along_border(double depth) const {
    return depth >= on_ball() ? on_ball() : std::sqrt(step * step - depth * depth);
  }
};

/// Regular lattices have angles that are whole multiples of a step: rounding must not decide there.
inline constexpr double angle_tolerance = 1e-6;

TESSERA_KERNEL inline Index segments_for(double angle, double step) {
  const double n = std::ceil(angle / step - angle_tolerance);
  return n < 1 ? 1 : static_cast<Index>(n);
}

/// The angle of a piece from its ends: what is_long says decides where rounding could.
TESSERA_KERNEL inline double piece_angle(double x, double y, bool is_long) {
  constexpr double pi = std::numbers::pi;
  double angle = std::atan2(y, x);
  if (is_long) return angle < pi / 2 ? angle + 2 * pi : angle;
  if (angle < -pi / 2) angle += 2 * pi;
  return angle < 0 ? 0 : angle;
}

/// How far beyond the tangent circle a point of the ball lies, as an angle.
TESSERA_KERNEL inline double depth_on_ball(const StrutEnd& end, const Vec3d& y) {
  const auto asine = [](double s) { return std::asin(std::fmin(1.0, std::fmax(-1.0, s))); };
  return asine(end.sine) - asine(dot(y, end.direction));
}

class ArcCurve {
 public:
  /// `first` is the strut with the smaller number, `from` and `to` the ends as it goes around.
  TESSERA_KERNEL ArcCurve(const StrutEnd& first, const StrutEnd& second, const Vec3d& from,
                          bool on_ball)
      : on_ball_(on_ball) {
    if (on_ball) {
      const EndFunction f = first.function;
      const EndFunction g = second.function;
      const Vec3d axis = f.a - g.a;
      const double squared = squared_length(axis);
      middle_ = axis * ((f.t - g.t) / squared);
      x_ = from - middle_;
      y_ = cross(axis * (1 / std::sqrt(squared)), x_);
    } else {
      frame_ = frame_around(first.direction);
      ring_ = ring_function(first, frame_, second.function);
      sine_ = first.sine;
      cosine_ = first.cosine;
      start_ = around(frame_, from);
      const double scale = 1 / std::sqrt(start_.x * start_.x + start_.y * start_.y);
      start_ = {start_.x * scale, start_.y * scale};
    }
  }

  /// The angle from the start to the arc's other end.
  TESSERA_KERNEL double angle_to(const Vec3d& to, bool is_long) const {
    if (on_ball_) {
      const Vec3d last = to - middle_;
      return piece_angle(dot(x_, last), dot(y_, last), is_long);
    }
    const Around last = around(frame_, to);
    return piece_angle(start_.x * last.x + start_.y * last.y, start_.x * last.y - start_.y * last.x,
                       is_long);
  }

  /// How many segments an arc of that angle needs for both of its struts.
  TESSERA_KERNEL Index segments(const StrutEnd& first, const StrutEnd& second, double angle,
                                const Vec3d& from, const Vec3d& to, const Spacing& spacing) const {
    if (on_ball_) {
      const Vec3d half = point({std::cos(angle / 2), std::sin(angle / 2)});
      double depth = 0;
      for (const Vec3d* p : {&from, &half, &to})
        depth = std::fmax(depth, std::fmax(depth_on_ball(first, *p), depth_on_ball(second, *p)));
      return segments_for(angle, spacing.along_border(depth));
    }
    const Index segments = segments_for(angle, spacing.step);
    const bool is_even = first.sine == second.sine && ring_.z == 0;
    return is_even ? segments : refined(segments, second, angle, from, to, spacing);
  }

  /// Calls f(k, point) for the points within, k = 1 .. segments - 1.
  template <class F>
  TESSERA_KERNEL void visit(double angle, Index segments, const F& f) const {
    const double step = angle / segments;
    const double c = std::cos(step);
    const double s = std::sin(step);
    Around at = on_ball_ ? Around{1, 0} : start_;
    for (Index k = 1; k < segments; ++k) {
      at = {at.x * c - at.y * s, at.x * s + at.y * c};
      f(k, point(at));
    }
  }

 private:
  TESSERA_KERNEL Vec3d point(Around at) const {
    if (on_ball_) return middle_ + x_ * at.x + y_ * at.y;
    const double height = ring_.x * at.x + ring_.y * at.y + ring_.z;
    return cone_point(sine_, cosine_, frame_, at, height);
  }

  /// Points that are evenly spaced around the first strut are not so around the second if they have
  /// different cones.
  TESSERA_KERNEL Index refined(Index segments, const StrutEnd& second, double angle,
                               const Vec3d& from, const Vec3d& to, const Spacing& spacing) const {
    const Frame other = frame_around(second.direction);
    const double least = std::cos(spacing.step * (1 + 1e-3));
    const Index most = 4 * segments + 4;
    for (; segments < most; ++segments) {
      bool is_fine = true;
      Around last = around(other, from);
      const auto check = [&](const Vec3d& p) {
        const Around here = around(other, p);
        const double scale =
            std::sqrt((last.x * last.x + last.y * last.y) * (here.x * here.x + here.y * here.y));
        if (last.x * here.x + last.y * here.y < least * scale) is_fine = false;
        last = here;
      };
      visit(angle, segments, [&](Index, const Vec3d& p) { check(p); });
      check(to);
      if (is_fine) break;
    }
    return segments;
  }

  bool on_ball_;
  Frame frame_{};
  RingFunction ring_{};
  double sine_ = 0;
  double cosine_ = 1;
  Around start_{1, 0};
  Vec3d middle_{};
  Vec3d x_{};
  Vec3d y_{};
};

}  // namespace tessera::lattice::detail
