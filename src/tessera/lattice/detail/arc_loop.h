// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// The loop of arcs that ends a strut at a node, and the border that two struts share. See
// strut_end.h for the geometry.
#pragma once

#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"
#include "tessera/lattice/detail/strut_end.h"

namespace tessera::lattice::detail {

/// The ends of struts sorted by their nodes, so that what is computed together lies together. An
/// end's place in that order is its slot. First of each node are those that share it, in the order
/// of their numbers.
struct NodesView {
  exec::View<const StrutEnd> ends;     ///< for each slot
  exec::View<const Index> offsets;     ///< of nodes among the slots
  exec::View<const Index> node_share;  ///< how many ends share each node
  exec::View<const Index> numbers;     ///< of the ends: e is the end e % 2 of strut e / 2

  /// The slots of the other ends that share the node with one that does.
  struct Others {
    Index first;
    Index self;
    Index count;
    TESSERA_KERNEL Index operator[](Index i) const {
      return first + i + (first + i >= self ? 1 : 0);
    }
  };
  TESSERA_KERNEL Others others(Index slot) const {
    const Index node = ends[slot].node;
    return {offsets[node], slot, node_share[node] - 1};
  }
  /// Of the ends that share the node.
  TESSERA_KERNEL exec::View<const StrutEnd> sharing(Index node) const {
    return ends.subview(offsets[node], node_share[node]);
  }
  TESSERA_KERNEL bool are_cylinders(Index node) const {
    for (const StrutEnd& end : sharing(node))
      if (end.sine != 0) return false;
    return true;
  }
  TESSERA_KERNEL bool shares(Index slot) const {
    const Index node = ends[slot].node;
    return slot - offsets[node] < node_share[node];
  }
};

TESSERA_KERNEL inline Junction junction_of(const NodesView& nodes, Index i, Index j, Index k) {
  bool even = true;
  const auto order = [&even](Index& a, Index& b) {
    if (a < b) return;
    const Index t = a;
    a = b;
    b = t;
    even = !even;
  };
  order(i, j);
  order(j, k);
  order(i, j);
  return junction(nodes.ends[i].function, nodes.ends[j].function, nodes.ends[k].function, even);
}

/// The ring functions of a strut's neighbours: computed once where there is room for them.
class Ring {
 public:
  TESSERA_KERNEL Ring(const NodesView& nodes, Index slot)
      : nodes_(nodes),
        end_(nodes.ends[slot]),
        frame_(frame_around(end_.direction)),
        others_(nodes.others(slot)) {
    for (Index i = 0; i < others_.count && i < kept; ++i) {
      const RingFunction f = compute(i);
      x_[i] = f.x;
      y_[i] = f.y;
      z_[i] = f.z;
    }
  }
  TESSERA_KERNEL Index size() const { return others_.count; }
  TESSERA_KERNEL Index end_of(Index i) const { return others_[i]; }
  TESSERA_KERNEL const Frame& frame() const { return frame_; }
  TESSERA_KERNEL const StrutEnd& end() const { return end_; }
  TESSERA_KERNEL RingFunction operator[](Index i) const {
    if (i < kept) return {x_[i], y_[i], z_[i]};
    return compute(i);
  }

 private:
  static constexpr Index kept = 32;
  TESSERA_KERNEL RingFunction compute(Index i) const {
    return ring_function(end_, frame_, nodes_.ends[others_[i]].function);
  }
  const NodesView& nodes_;
  const StrutEnd& end_;
  Frame frame_;
  NodesView::Others others_;
  double x_[kept];
  double y_[kept];
  double z_[kept];
};

inline constexpr Index no_loop = no_index;

/// A point as seen from another one.
struct HullPoint {
  Index number;
  double x;
  double y;
};

/// The one further to the right. Without branches: they would go the wrong way too often.
TESSERA_KERNEL inline HullPoint rightmost(const HullPoint& a, const HullPoint& b) {
  const bool takes_b = a.x * b.y - a.y * b.x < 0;
  return {takes_b ? b.number : a.number, takes_b ? b.x : a.x, takes_b ? b.y : a.y};
}

/// Cylinders: heights are x cos + y sin, and the largest of them is the support function of the
/// points (x, y). So the neighbours are the corners of their convex hull, in order (Jarvis 1973).
template <class Out>
TESSERA_KERNEL Index trace_cylinder(const Ring& ring, const Out& out) {
  const Index size = ring.size();
  Index first = 0;
  for (Index i = 1; i < size; ++i)
    if (ring[i].x > ring[first].x) first = i;
  Index count = 0;
  Index at = first;
  do {
    if (count == size) return no_loop;
    out(count++, ring.end_of(at));
    if (size == 1) return count;
    const RingFunction a = ring[at];
    const auto see = [&](Index i) { return HullPoint{i, ring[i].x - a.x, ring[i].y - a.y}; };
    HullPoint best = see(at == 0 ? 1 : 0);
    for (Index i = 0; i < size; ++i) best = rightmost(best, see(i));
    at = best.number;
  } while (at != first);
  return count;
}

/// The latitude at which a strut ends against a neighbour on the ball: the larger, the earlier.
TESSERA_KERNEL inline double latitude_on_ball(const StrutEnd& i, const Frame& frame,
                                              const EndFunction& j, Around at) {
  const Vec3d w = j.a - i.turn();
  const double x = i.secant - dot(w, frame.d);
  const double y = dot(w, frame.u) * at.x + dot(w, frame.v) * at.y;
  const double h = (i.sine * i.secant - j.t) / std::sqrt(x * x + y * y);
  return std::atan2(y, x) + std::asin(std::fmin(1.0, std::fmax(-1.0, h)));
}

/// Which neighbour a strut ends against at an angle.
TESSERA_KERNEL inline Index neighbour_at(const NodesView& nodes, const Ring& ring, Around at) {
  Index best = 0;
  double highest = -1;
  for (Index i = 0; i < ring.size(); ++i) {
    const RingFunction f = ring[i];
    const double height = f.x * at.x + f.y * at.y + f.z;
    if (height >= 0 && height > highest) {
      highest = height;
      best = i;
    }
  }
  if (highest >= 0) return best;
  double latitude = -4;
  for (Index i = 0; i < ring.size(); ++i) {
    const double here =
        latitude_on_ball(ring.end(), ring.frame(), nodes.ends[ring.end_of(i)].function, at);
    if (here > latitude) {
      latitude = here;
      best = i;
    }
  }
  return best;
}

/// Where a strut passes from neighbour j to k; x and y both zero if nowhere.
TESSERA_KERNEL inline Around passes(const NodesView& nodes, const Ring& ring, Index e, Index j,
                                    Index k) {
  const RingFunction a = ring[j];
  const RingFunction b = ring[k];
  const double px = b.x - a.x;
  const double py = b.y - a.y;
  const double c = b.z - a.z;
  const double squared = px * px + py * py;
  if (squared > c * c) {
    const double root = std::sqrt(squared - c * c);
    const Around at{(root * py - c * px) / squared, (-root * px - c * py) / squared};
    if (a.x * at.x + a.y * at.y + a.z > 0) return at;
  }
  const Junction point = junction_of(nodes, e, ring.end_of(j), ring.end_of(k));
  if (!point.exists) return {0, 0};
  return around(ring.frame(), point.point);
}

/// Cones: from one neighbour to the one that takes over first.
template <class Out>
TESSERA_KERNEL Index trace_cone(const NodesView& nodes, const Ring& ring, Index e, const Out& out) {
  if (ring.size() == 1) {
    out(0, ring.end_of(0));
    return 1;
  }
  Around at{1, 0};
  Index j = neighbour_at(nodes, ring, at);
  Index first_from = no_index;
  Index first_to = no_index;
  for (Index count = 0; count <= 2 * ring.size(); ++count) {
    Index next = no_index;
    double nearest = 5;
    Around next_at{0, 0};
    for (Index k = 0; k < ring.size(); ++k) {
      if (k == j) continue;
      const Around here = passes(nodes, ring, e, j, k);
      if (here.x == 0 && here.y == 0) continue;
      const double angle = turned(at, here);
      if (angle < nearest) {
        nearest = angle;
        next = k;
        next_at = here;
      }
    }
    if (next == no_index) return no_loop;
    if (j == first_from && next == first_to) return count;
    if (count == 2 * ring.size()) break;
    if (count == 0) {
      first_from = j;
      first_to = next;
    }
    out(count, ring.end_of(next));
    j = next;
    at = next_at;
  }
  return no_loop;
}

/// How many neighbours a loop can have: sine waves without shift reach the top once, others (and
/// their ends on the ball) may come back.
TESSERA_KERNEL inline Index most_neighbours(const NodesView& nodes, Index slot) {
  const Index others = nodes.node_share[nodes.ends[slot].node] - 1;
  return others < 2 ? others : 2 * others;
}

/// The slots of the neighbours that end a strut at its node, counter-clockwise seen from the
/// strut's tip; no_loop where they make none. A neighbour may occur more than once.
template <class Out>
TESSERA_KERNEL Index trace_loop(const NodesView& nodes, Index e, const Out& out) {
  const Ring ring(nodes, e);
  if (ring.size() == 0) return 0;
  return nodes.are_cylinders(nodes.ends[e].node) ? trace_cylinder(ring, out)
                                                 : trace_cone(nodes, ring, e, out);
}

/// A part of the border of two struts that lies on their cones, or on the ball.
struct Piece {
  Vec3d start;
  bool on_ball;
  bool is_long;  ///< more than half around
};

/// The border of two struts from a junction to the next, as seen by the first of them.
struct Border {
  Piece pieces[3];
  int count;
  Vec3d end;
};

/// Whether a piece goes more than half around.
TESSERA_KERNEL inline bool is_long(const Frame& frame, const Vec3d& axis, const Vec3d& from,
                                   const Vec3d& to, bool on_ball) {
  if (on_ball) return dot(cross(from, to), axis) < 0;
  const Around a = around(frame, from);
  const Around b = around(frame, to);
  return a.x * b.y - a.y * b.x < 0;
}

/// Whether a crossing lies nearer to a than to b.
TESSERA_KERNEL inline bool is_nearer(const EndFunction& f, const EndFunction& g, bool is_leaving,
                                     const Junction& a, const Junction& b) {
  const Vec3d c = crossing(f, g, is_leaving).point;
  return squared_length(c - a.point) < squared_length(c - b.point);
}

/// An end of a border: where it was found, which decides how the border goes on from there, and the
/// place that it has in common with others nearby.
struct BorderEnd {
  Junction junction;
  Vec3d place;
};

/// Pieces no longer than `shortest` are left out.
TESSERA_KERNEL inline Border make_border(const StrutEnd& first, const StrutEnd& second,
                                         const BorderEnd& start, const BorderEnd& finish,
                                         double shortest) {
  const Junction& from = start.junction;
  const Junction& to = finish.junction;
  Border border{};
  border.end = finish.place;
  const EndFunction f = first.function;
  const EndFunction g = second.function;
  const Frame frame = frame_around(first.direction);
  const auto add = [&border](const Vec3d& point, bool on_ball) {
    border.pieces[border.count++] = {point, on_ball, false};
  };
  add(from.point, from.on_ball);
  const Vec3d axis = f.a - g.a;
  const auto cross_ball = [&](bool is_leaving) {
    Junction c = crossing(f, g, is_leaving);
    for (const Vec3d* place : {&start.place, &finish.place})
      if (squared_length(c.point - *place) <= shortest * shortest) c.exists = false;
    return c;
  };
  const Junction enters = cross_ball(false);
  const Junction leaves = cross_ball(true);
  const auto is_between = [&](const Junction& c) {
    if (!c.exists) return false;
    const Around at = around(frame, from.point);
    return turned(at, around(frame, c.point)) < turned(at, around(frame, to.point));
  };
  if (from.on_ball && to.on_ball) {
    if (is_between(enters) && is_between(leaves)) {
      add(enters.point, false);
      add(leaves.point, true);
    }
  } else if (from.on_ball) {
    if (enters.exists)
      add(enters.point, false);
    else
      border.pieces[0].on_ball = is_nearer(f, g, false, to, from);
  } else if (to.on_ball) {
    if (leaves.exists)
      add(leaves.point, true);
    else
      border.pieces[0].on_ball = is_nearer(f, g, true, from, to);
  } else if (is_between(leaves) && is_between(enters)) {
    add(leaves.point, true);
    add(enters.point, false);
  }
  for (int p = 0; p < border.count; ++p) {
    const Vec3d& end = p + 1 < border.count ? border.pieces[p + 1].start : to.point;
    border.pieces[p].is_long =
        is_long(frame, axis, border.pieces[p].start, end, border.pieces[p].on_ball);
  }
  border.pieces[0].start = start.place;
  return border;
}

/// The border of the only two struts of a node, which has no junction.
TESSERA_KERNEL inline Border make_closed_border(const StrutEnd& first, const StrutEnd& second) {
  const EndFunction f = first.function;
  const EndFunction g = second.function;
  const Frame frame = frame_around(first.direction);
  const Vec3d axis = f.a - g.a;
  Border border{};
  const Junction enters = crossing(f, g, false);
  const Junction leaves = crossing(f, g, true);
  if (enters.exists && leaves.exists) {
    border.count = 2;
    border.pieces[0] = {enters.point, false,
                        is_long(frame, axis, enters.point, leaves.point, false)};
    border.pieces[1] = {leaves.point, true, is_long(frame, axis, leaves.point, enters.point, true)};
    border.end = enters.point;
    return border;
  }
  const RingFunction ring = ring_function(first, frame, g);
  border.count = 1;
  if (ring.x + ring.z >= 0) {
    border.pieces[0] = {cone_point(first.sine, first.cosine, frame, {1, 0}, ring.x + ring.z), false,
                        true};
  } else {
    const double squared = squared_length(axis);
    const Vec3d middle = axis * ((f.t - g.t) / squared);
    const Frame circle = frame_around(axis * (1 / std::sqrt(squared)));
    border.pieces[0] = {middle + circle.u * std::sqrt(std::fmax(0.0, 1 - squared_length(middle))),
                        true, true};
  }
  border.end = border.pieces[0].start;
  return border;
}

}  // namespace tessera::lattice::detail
