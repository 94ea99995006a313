// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// The surface around a node. A node is a ball of radius r around o, and every strut there is a cone
// (or cylinder) tangent to it. All lengths are divided by r and taken from o, so the ball is the
// unit ball. A strut along the unit vector d whose cone has the half angle beta touches the ball in
// a circle; with s = sin(beta) and c = cos(beta), its cone is exactly
//   |y|^2 - 1 = L(y)^2,   L(y) = y.d / c - s / c,
// so the union of all is |y|^2 - 1 = max(0, L_1, L_2, ...)^2: each point belongs to the strut whose
// linear function L is largest there, and two struts meet in the plane L_i = L_j. We share out the
// part that lies on the ball, where every L is negative, by the same planes. So the surface around
// a node falls into one piece for each strut, each seen whole from the strut's axis: along every
// line of the cone, continued over the ball towards the pole opposite d, a strut reaches down to
// where another one takes over. Three pieces meet in a junction.
//
// Nodes of regular lattices have junctions of four and more struts. Every L is turned by a tiny
// amount that depends on the strut's direction alone (`turn`), so that such a junction becomes
// several of three that lie nearly in one place, the same for every strut that computes them.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "tessera/core/random.h"
#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"

namespace tessera::lattice::detail {

/// L(y) = y.a - t, in units of the node's radius.
struct EndFunction {
  Vec3d a;
  double t;
  TESSERA_KERNEL double operator()(const Vec3d& y) const { return dot(y, a) - t; }
};

/// Points of triangulations move outwards by at most this much, in units of the node's radius.
inline constexpr double largest_outset = 0.05;

/// A strut as seen from one of its nodes.
struct StrutEnd {
  Vec3d direction;  ///< of unit length, away from the node
  double sine;      ///< of the cone's half angle: positive where the strut gets thinner
  double cosine;
  double secant;  ///< 1 / cosine
  double radius;  ///< of the node
  double length;  ///< between the nodes
  double
      reach;  ///< the largest height (RingFunction) on the strut, a little less for outset points
  EndFunction function;  ///< turned, see above
  Index node;

  TESSERA_KERNEL Vec3d turn() const { return function.a - direction * secant; }
};

/// The end of a strut at its first node (0) or its second (1), whose function and node are not yet
/// set: `along` goes from the one to the other. Of a strut that has a cone.
TESSERA_KERNEL inline StrutEnd plain_end(const Vec3d& along, const Vec2f& radii, int which) {
  const double r = radii[which];
  const double other = radii[1 - which];
  StrutEnd end{};
  end.length = length(along);
  end.direction = along * ((which == 0 ? 1 : -1) / end.length);
  end.sine = (r - other) / end.length;
  end.cosine = std::sqrt(1 - end.sine * end.sine);
  end.secant = 1 / end.cosine;
  end.radius = r;
  end.reach = end.length / other - largest_outset;
  return end;
}

/// Turns are this large, in units of the node's radius: far above the rounding errors of double,
/// far below those of the single precision in which points are stored.
inline constexpr double turn_size = 1e-7;

TESSERA_KERNEL inline Vec3d turn_of(const Vec3d& direction) {
  std::uint64_t bits = 0;
  for (int i = 0; i < 3; ++i)
    bits = Random::mix(bits ^ (std::bit_cast<std::uint64_t>(direction[i] + 0.0) + 1));
  const Random random(bits);
  return Vec3d{random.uniform(0) - 0.5, random.uniform(1) - 0.5, random.uniform(2) - 0.5} *
         turn_size;
}

/// Points of a node that are nearer to each other, in units of its radius, are one: a few times the
/// spacing of single precision there, and never less than a hundred turns.
TESSERA_KERNEL inline double nearness(const StrutEnd& end, const Vec3d& node) {
  double size = 0;
  for (const double x : node.v) size = std::abs(x) > size ? std::abs(x) : size;
  constexpr double spacing = 6e-8;
  constexpr double least = 1e-5;
  const double near = 8 * spacing * size / end.radius;
  return near > least ? near : least;
}

/// Three perpendicular axes, right-handed; the strut goes along the third.
struct Frame {
  Vec3d u;
  Vec3d v;
  Vec3d d;
};

TESSERA_KERNEL inline Frame frame_around(const Vec3d& d) {
  // Duff et al., Building an Orthonormal Basis, Revisited, 2017.
  const double sign = std::copysign(1.0, d[2]);
  const double a = -1 / (sign + d[2]);
  const double b = d[0] * d[1] * a;
  return {
      {1 + sign * d[0] * d[0] * a, sign * b, -sign * d[0]}, {b, sign + d[1] * d[1] * a, -d[1]}, d};
}

/// A direction around a strut: cosine and sine of the angle, possibly scaled.
struct Around {
  double x;
  double y;
};

TESSERA_KERNEL inline Around around(const Frame& frame, const Vec3d& y) {
  return {dot(y, frame.u), dot(y, frame.v)};
}

/// A number that grows with the angle of (x, y), counter-clockwise: 0 to 4, where 1 is a right
/// angle.
template <class T>
TESSERA_KERNEL T quarter_turns(T x, T y) {
  const T size = std::abs(x) + std::abs(y);
  const T quarter = y / (size > 0 ? size : 1);
  // Without branches: points around a strut would take them the wrong way at every quarter.
  const int is_behind = x < 0 ? 1 : 0;
  const int is_last = x >= 0 && y < 0 ? 1 : 0;
  return static_cast<T>(2 * is_behind + 4 * is_last) + static_cast<T>(1 - 2 * is_behind) * quarter;
}

/// The same for the angle from one direction to another.
TESSERA_KERNEL inline double turned(Around from, Around to) {
  return quarter_turns(from.x * to.x + from.y * to.y, from.x * to.y - from.y * to.x);
}

/// Where strut i ends against strut j on its cone. The height of a point is its distance from the
/// tangent circle along the cone, over the cone's radius there: it grows along the strut, and is
/// negative beyond the circle. At the angle phi the strut ends at the height
///   x cos(phi) + y sin(phi) + z.
struct RingFunction {
  double x;
  double y;
  double z;
};

TESSERA_KERNEL inline RingFunction ring_function(const StrutEnd& i, const Frame& frame,
                                                 const EndFunction& j) {
  const Vec3d w = j.a - i.turn();
  const double along = dot(w, i.direction);
  const double slope = 1 - (along - j.t * i.sine) * i.secant;
  const double shift = (along * i.sine - j.t) * i.secant;
  const double scale = 1 / slope;
  return {dot(w, frame.u) * scale, dot(w, frame.v) * scale, shift * scale};
}

/// The point on a cone at a height and an angle, in units of the node's radius.
TESSERA_KERNEL inline Vec3d cone_point(double sine, double cosine, const Frame& frame, Around at,
                                       double height) {
  const double radius = cosine / (1 + sine * height);
  const Vec3d outwards = frame.u * at.x + frame.v * at.y;
  return outwards * radius + frame.d * (sine + cosine * height * radius);
}

/// The point nearest to the node on the line where y.n1 = h1 and y.n2 = h2; `line` is n1 x n2.
TESSERA_KERNEL inline Vec3d foot_of_line(const Vec3d& n1, double h1, const Vec3d& n2, double h2,
                                         const Vec3d& line, double squared) {
  return (cross(n2, line) * h1 + cross(line, n1) * h2) * (1 / squared);
}

/// A point where three pieces meet, or where the border of two leaves the cones for the ball.
struct Junction {
  Vec3d point;
  bool on_ball;
  bool exists;
};

/// Where strut i, going around counter-clockwise seen from its tip, passes from j to k. The same
/// for (j, k, i) and (k, i, j), to the last bit if the three are given in one order; so callers
/// sort them and say whether that was an even permutation.
TESSERA_KERNEL inline Junction junction(const EndFunction& i, const EndFunction& j,
                                        const EndFunction& k, bool even) {
  const Vec3d n1 = j.a - i.a;
  const Vec3d n2 = k.a - i.a;
  Vec3d line = cross(n1, n2);
  const double squared = squared_length(line);
  if (!(squared > 0)) return {{}, false, false};
  const bool are_cylinders = i.t == 0 && j.t == 0 && k.t == 0;
  const Vec3d foot =
      are_cylinders ? Vec3d{} : foot_of_line(n1, j.t - i.t, n2, k.t - i.t, line, squared);
  if (!even) line = -line;
  if (are_cylinders) {
    // The line goes through the node.
    const double rise = dot(line, i.a);
    if (rise <= 0) return {line * (1 / std::sqrt(squared)), true, true};
    const double flat = squared - rise * rise;
    if (!(flat > 0)) return {{}, false, false};
    return {line * (1 / std::sqrt(flat)), false, true};
  }
  line = line * (1 / std::sqrt(squared));

  const double foot_squared = squared_length(foot);
  const double level = i(foot);
  const double rise = dot(line, i.a);
  const double ball = 1 - foot_squared;
  if (ball >= 0) {
    const double t = std::sqrt(ball);
    if (level + rise * t <= 0) return {foot + line * t, true, true};
  }
  const double flat = 1 - rise * rise;
  const double inside = level * level * rise * rise + flat * (ball + level * level);
  if (!(flat > 0) || !(inside >= 0)) return {{}, false, false};
  const double t = (level * rise + std::sqrt(inside)) / flat;
  return {foot + line * t, false, level + rise * t >= 0};
}

/// Where the border of i and j leaves their cones for the ball, going around i counter-clockwise,
/// or where it comes back from the ball.
TESSERA_KERNEL inline Junction crossing(const EndFunction& i, const EndFunction& j, bool leaves) {
  const Vec3d line = cross(i.a, j.a);
  const double squared = squared_length(line);
  if (!(squared > 0)) return {{}, false, false};
  const Vec3d foot = foot_of_line(j.a - i.a, j.t - i.t, -i.a, -i.t, line, squared);
  const double ball = 1 - squared_length(foot);
  if (!(ball > 0)) return {{}, false, false};
  return {foot + line * ((leaves ? 1 : -1) * std::sqrt(ball / squared)), true, true};
}

/// Whether two struts of one node can share it: each gets to its own end before the other one's
/// plane does, and neither comes back behind the other's pole.
TESSERA_KERNEL inline bool can_share_node(const StrutEnd& i, const StrutEnd& j) {
  if (i.radius != j.radius) return false;
  const auto ends_before = [](const StrutEnd& a, const StrutEnd& b) {
    const EndFunction other = b.function;
    const Vec3d w = other.a - a.turn();
    const double along = dot(w, a.direction);
    const double slope = 1 - (along - other.t * a.sine) * a.secant;
    if (!(slope > 0)) return false;
    const double squared_across = squared_length(w) - along * along;
    const double room = a.reach * slope - (along * a.sine - other.t) * a.secant;
    return room > 0 && squared_across < room * room &&
           (1 + a.sine) * a.secant > (dot(a.direction, b.direction) + b.sine) * b.secant;
  };
  return ends_before(i, j) && ends_before(j, i);
}

/// True only if can_share_node is, and soon known: of cylinders that are far enough apart.
TESSERA_KERNEL inline bool surely_share_node(const StrutEnd& i, const StrutEnd& j) {
  const double cosine = dot(i.direction, j.direction);
  const double reach = i.reach < j.reach ? i.reach : j.reach;
  // Turns and rounding are far smaller than these.
  constexpr double least = 1e-3;
  return i.sine == 0 && j.sine == 0 && i.radius == j.radius && reach > least &&
         1 - cosine > least &&
         (1 + cosine) * (1 + least) < reach * reach * (1 - cosine) * (1 - least);
}

}  // namespace tessera::lattice::detail
