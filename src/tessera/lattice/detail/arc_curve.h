// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Points on an arc, close enough to each other for a chord error. Both struts of an arc compute the
// same points: always as the one with the smaller number sees it.
#pragma once

#include <numbers>

#include "tessera/exec/kernel.h"
#include "tessera/lattice/detail/arc_loop.h"
#include "tessera/lattice/detail/arc_tangent.h"
#include "tessera/lattice/detail/strut_end.h"

namespace tessera::lattice::detail {

/// Where points lie and how far apart. They lie outside, by the chord error (in units of the node's
/// radius, and at most largest_outset) in the direction from the node, so that what is between them
/// may come further inside: fewer triangles, and the volume is nearly right. Of a narrow groove the
/// bottom rises by as much, its sides by little.
struct Spacing {
  double error;   ///< in units of the radius, as all lengths here
  double outset;  ///< how far points move outwards

  /// For a chord error between 0 and 1.
  static Spacing of_chord_error(double error) { return {error, std::fmin(error, largest_outset)}; }

  TESSERA_KERNEL Vec3d place(const Vec3d& y, double radius = 1) const {
    const double size = length(y);
    return size > 0 ? y * (1 + outset * radius / size) : y;  // damaged files may have zeros
  }
  /// Between points around a strut whose distance from the node has at least this reciprocal. They
  /// lie that much of the outset outside; half of it counts, because others in a triangle with two
  /// of them may lie on the strut.
  TESSERA_KERNEL double step(double reciprocal) const {
    const double cosine = (1 - error) / (1 + outset * reciprocal / 2);
    return 2 * std::sqrt(2 * (1 - cosine));  // a little less than the arc cosine
  }
  /// Between points on a ball, in both directions: the diagonal counts.
  TESSERA_KERNEL double on_ball() const { return step(1) / std::numbers::sqrt2; }
  /// Along a border on the ball that lies at most `depth` beyond the tangent circle.
  TESSERA_KERNEL double along_border(double depth) const {
    const double width = step(1);
    return depth >= on_ball() ? on_ball() : std::sqrt(width * width - depth * depth);
  }
};

/// Regular lattices have angles that are whole multiples of a step: rounding must not decide there.
inline constexpr double angle_tolerance = 1e-6;

TESSERA_KERNEL inline Index segments_for(double angle, double step) {
  constexpr double most = 1 << 20;  // of damaged arcs
  const double n = std::ceil(angle / step - angle_tolerance);
  return !(n > 1) ? 1 : n < most ? static_cast<Index>(n) : static_cast<Index>(most);
}

/// The angle of a piece from its ends: what is_long says decides where rounding could.
TESSERA_KERNEL inline double piece_angle(double x, double y, bool is_long) {
  constexpr double pi = std::numbers::pi;
  double angle = arc_tangent(y, x);
  if (is_long) return angle < pi / 2 ? angle + 2 * pi : angle;
  if (angle < -pi / 2) angle += 2 * pi;
  return angle < 0 ? 0 : angle;
}

/// How far beyond the tangent circle a point of the ball lies, as an angle.
TESSERA_KERNEL inline double depth_on_ball(const StrutEnd& end, const Vec3d& y) {
  const auto asine = [](double s) { return std::asin(std::fmin(1.0, std::fmax(-1.0, s))); };
  return asine(end.sine) - asine(dot(y, end.direction));
}

/// A part of an ellipse: middle + x cos + y sin, from the angle 0 on.
struct Ellipse {
  Vec3d middle;
  Vec3d x;
  Vec3d y;
  TESSERA_KERNEL Vec3d at(Around angle) const { return middle + x * angle.x + y * angle.y; }
};

/// Calls f(k, cosine and sine) for k = 1 .. segments - 1 of an angle in equal parts.
template <class F>
TESSERA_KERNEL void visit_angles(Around start, double angle, Index segments, const F& f) {
  const double step = angle / segments;
  const double c = std::cos(step);
  const double s = std::sin(step);
  Around at = start;
  for (Index k = 1; k < segments; ++k) {
    at = {at.x * c - at.y * s, at.x * s + at.y * c};
    f(k, at);
  }
}

/// Two struts, the one with the smaller number first, and the ends of their arc as that one goes
/// around.
struct ArcEnds {
  const StrutEnd& first;
  const StrutEnd& second;
  Vec3d from;
  Vec3d to;
  bool is_long;

  TESSERA_KERNEL bool is_between_cylinders() const { return first.sine == 0 && second.sine == 0; }
  /// The reciprocal of how far from the node the arc can get between two cylinders: to where the
  /// angle between them is halved.
  TESSERA_KERNEL double cylinder_reciprocal() const {
    const double squared = (1 - dot(first.direction, second.direction)) / 2;
    return std::sqrt(squared > 0 ? squared : 0);
  }
};

/// An arc where the border of two struts lies on the ball: of a circle.
class BallArc {
 public:
  TESSERA_KERNEL explicit BallArc(const ArcEnds& ends) : ends_(ends) {
    const EndFunction f = ends.first.function;
    const EndFunction g = ends.second.function;
    const Vec3d normal = f.a - g.a;
    const double squared = squared_length(normal);
    curve_.middle = normal * ((f.t - g.t) / squared);
    curve_.x = ends.from - curve_.middle;
    curve_.y = cross(normal * (1 / std::sqrt(squared)), curve_.x);
  }
  TESSERA_KERNEL double angle() const {
    const Vec3d last = ends_.to - curve_.middle;
    return piece_angle(dot(curve_.x, last), dot(curve_.y, last), ends_.is_long);
  }
  TESSERA_KERNEL Index segments(double angle, const Spacing& spacing) const {
    const Vec3d half = curve_.at({std::cos(angle / 2), std::sin(angle / 2)});
    double depth = 0;
    for (const Vec3d* p : {&ends_.from, &half, &ends_.to})
      depth = std::fmax(depth,
                        std::fmax(depth_on_ball(ends_.first, *p), depth_on_ball(ends_.second, *p)));
    return segments_for(angle, spacing.along_border(depth));
  }
  template <class F>
  TESSERA_KERNEL void visit(double angle, Index segments, const F& f) const {
    visit_angles({1, 0}, angle, segments, [&](Index k, Around at) { f(k, curve_.at(at)); });
  }

 private:
  const ArcEnds& ends_;
  Ellipse curve_;
};

/// An arc between two cylinders: of the ellipse around the first, in the plane of both.
class CylinderArc {
 public:
  TESSERA_KERNEL explicit CylinderArc(const ArcEnds& ends) : ends_(ends) {
    tangent_ = cross(ends.first.direction, ends.from);
  }
  TESSERA_KERNEL double angle() const {
    const Vec3d d = ends_.first.direction;
    const double cosine = dot(ends_.from, ends_.to) - dot(ends_.from, d) * dot(ends_.to, d);
    return piece_angle(cosine, dot(tangent_, ends_.to), ends_.is_long);
  }
  TESSERA_KERNEL Index segments(double angle, const Spacing& spacing) const {
    return segments_for(angle, spacing.step(ends_.cylinder_reciprocal()));
  }
  template <class F>
  TESSERA_KERNEL void visit(double angle, Index segments, const F& f) const {
    const Vec3d d = ends_.first.direction;
    const Vec3d normal = ends_.first.function.a - ends_.second.function.a;
    const Ellipse curve{{}, ends_.from, tangent_ - d * (dot(normal, tangent_) / dot(normal, d))};
    visit_angles({1, 0}, angle, segments, [&](Index k, Around at) { f(k, curve.at(at)); });
  }

 private:
  const ArcEnds& ends_;
  Vec3d tangent_;
};

/// An arc between two cones, by its height at each angle around the first.
class ConeArc {
 public:
  TESSERA_KERNEL explicit ConeArc(const ArcEnds& ends)
      : ends_(ends),
        frame_(frame_around(ends.first.direction)),
        ring_(ring_function(ends.first, frame_, ends.second.function)),
        start_(around(frame_, ends.from)) {
    const double scale = 1 / std::sqrt(start_.x * start_.x + start_.y * start_.y);
    start_ = {start_.x * scale, start_.y * scale};
  }
  TESSERA_KERNEL double angle() const {
    const Around last = around(frame_, ends_.to);
    return piece_angle(start_.x * last.x + start_.y * last.y, start_.x * last.y - start_.y * last.x,
                       ends_.is_long);
  }
  TESSERA_KERNEL Index segments(double angle, const Spacing& spacing) const {
    const double step = spacing.step(0);  // cones may get any farther
    const Index segments = segments_for(angle, step);
    const bool is_even = ends_.first.sine == ends_.second.sine && ring_.z == 0;
    return is_even ? segments : refined(segments, angle, step);
  }
  template <class F>
  TESSERA_KERNEL void visit(double angle, Index segments, const F& f) const {
    visit_angles(start_, angle, segments, [&](Index k, Around at) {
      const double height = ring_.x * at.x + ring_.y * at.y + ring_.z;
      f(k, cone_point(ends_.first.sine, ends_.first.cosine, frame_, at, height));
    });
  }

 private:
  /// Points that are evenly spaced around the first strut are not so around the second if they have
  /// different cones.
  TESSERA_KERNEL Index refined(Index segments, double angle, double step) const {
    const Frame other = frame_around(ends_.second.direction);
    const double least = std::cos(step * (1 + 1e-3));
    const Index most = 4 * segments + 4;
    for (; segments < most; ++segments) {
      bool is_fine = true;
      Around last = around(other, ends_.from);
      const auto check = [&](const Vec3d& p) {
        const Around here = around(other, p);
        const double scale =
            std::sqrt((last.x * last.x + last.y * last.y) * (here.x * here.x + here.y * here.y));
        if (last.x * here.x + last.y * here.y < least * scale) is_fine = false;
        last = here;
      };
      visit(angle, segments, [&](Index, const Vec3d& p) { check(p); });
      check(ends_.to);
      if (is_fine) break;
    }
    return segments;
  }

  const ArcEnds& ends_;
  Frame frame_;
  RingFunction ring_;
  Around start_;
};

/// Calls f(arc) with the arc as what it is.
template <class F>
TESSERA_KERNEL void with_curve(const ArcEnds& ends, bool on_ball, const F& f) {
  if (on_ball)
    f(BallArc(ends));
  else if (ends.is_between_cylinders())
    f(CylinderArc(ends));
  else
    f(ConeArc(ends));
}

}  // namespace tessera::lattice::detail
