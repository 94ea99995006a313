// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// The usual operations as cavities, and what must hold so that they leave a manifold.
#pragma once

#include <cstdint>

#include "tessera/exec/kernel.h"
#include "tessera/surface/cavity.h"
#include "tessera/surface/dynamic_view.h"

namespace tessera::surface {

/// The neighbours of a vertex.
class Ring {
 public:
  TESSERA_KERNEL Ring(const DynamicView& mesh, Index v) {
    mesh.visit_star(v, [&](Index h) {
      if (mesh.is_border(h)) add(mesh.to(h));
      add(mesh.opposite(h));
      return !is_too_large_;
    });
  }
  /// A vertex that has more has too many faces for a cavity.
  TESSERA_KERNEL bool is_too_large() const { return is_too_large_; }
  TESSERA_KERNEL bool contains(Index v) const {
    for (int i = 0; i < size_; ++i)
      if (vertices_[i] == v) return true;
    return false;
  }

 private:
  TESSERA_KERNEL void add(Index v) {
    is_too_large_ = size_ == Cavity::most + 1;
    if (!is_too_large_) vertices_[size_++] = v;
  }
  Index vertices_[Cavity::most + 1];
  int size_ = 0;
  bool is_too_large_ = false;
};

/// Whether a new edge between two vertices is surely the only one, also when those that were cut
/// apart are one again.
TESSERA_KERNEL inline bool can_join(const DynamicView& mesh, Index a, Index b) {
  if (mesh.is_cut(a) && mesh.is_cut(b)) return false;
  const Index whole = mesh.is_cut(a) ? b : a;  // has all of its edges around it
  const Index other = mesh.origin(mesh.is_cut(a) ? a : b);
  if (mesh.origin(whole) == other) return false;
  bool found = false;
  mesh.visit_star(whole, [&](Index h) {
    found = mesh.origin(mesh.to(h)) == other || mesh.origin(mesh.opposite(h)) == other;
    return !found;
  });
  return !found;
}

/// Whether the edge can become the other diagonal of its two faces.
TESSERA_KERNEL inline bool can_flip(const DynamicView& mesh, Index h) {
  if (mesh.is_border(h) || mesh.edge_marks[h] != 0) return false;
  return can_join(mesh, mesh.opposite(h), mesh.opposite(mesh.twins[h]));
}

TESSERA_KERNEL inline void take_flip(const DynamicView& mesh, Index h, Cavity& cavity) {
  cavity.take_edge(h);
  cavity.join(mesh.opposite(h), mesh.opposite(mesh.twins[h]));
}

TESSERA_KERNEL inline void fill_flip(Index h, Filling& filling) {
  filling.add_fan(filling.mesh().opposite(h));
  filling.commit([](Index, Index) { return std::uint8_t{0}; });
}

/// Whether a vertex can be put on the edge: not between two faces with the same three vertices.
TESSERA_KERNEL inline bool can_split(const DynamicView& mesh, Index h) {
  return !mesh.is_frozen(h) && (mesh.is_border(h) || mesh.origin(mesh.opposite(h)) !=
                                                         mesh.origin(mesh.opposite(mesh.twins[h])));
}

/// Puts a new vertex on an edge. Returns it.
TESSERA_KERNEL inline Index fill_split(Index h, const Vec3d& position, Filling& filling) {
  const DynamicView& mesh = filling.mesh();
  const Index a = mesh.from(h);
  const Index b = mesh.to(h);
  const std::uint8_t marks = mesh.edge_marks[h];
  const bool is_border = mesh.is_border(h);
  const Index middle = filling.add_vertex(position, a, b);
  for (int i = 0; i < filling.sides(); ++i) {
    const CavitySide& s = filling.side(i);
    if (is_border && s.from == a && s.to == b) continue;
    filling.add_face(i, middle);
  }
  filling.commit([&](Index from, Index to) {
    const Index end = from == middle ? to : from;
    return end == a || end == b ? marks : std::uint8_t{0};
  });
  return middle;
}

/// Whether the start of a half-edge can be drawn into its end so that a manifold of the same kind
/// is left (the link condition of Dey et al. 1999, with the border as one more vertex), and no
/// crease, fixed vertex or frozen edge is lost.
TESSERA_KERNEL inline bool can_collapse(const DynamicView& mesh, Index h) {
  const Index gone = mesh.from(h);
  const Index stays = mesh.to(h);
  if (mesh.is_fixed(gone) || mesh.is_frozen(h)) return false;
  const bool is_border = mesh.is_border(h);
  if (mesh.is_on_border(gone) && !is_border) return false;
  // A vertex on a crease may only move along it.
  Index creases = 0;
  bool is_free = true;
  mesh.visit_star(gone, [&](Index e) {
    creases += mesh.is_crease(e) ? 1 : 0;
    is_free = !mesh.is_frozen(e) && !mesh.is_frozen(DynamicView::previous(e));
    return is_free;
  });
  if (!is_free || (creases > 0 && (is_border || !mesh.is_crease(h)))) return false;
  // The other two edges of each of its faces become one: not two creases, nor one and the border.
  const Index sides[2] = {h, mesh.twins[h]};
  for (const Index side : sides)
    if (side != no_index && mesh.is_line(DynamicView::next(side)) &&
        mesh.is_line(DynamicView::previous(side)))
      return false;

  // The third vertices of the edge's faces are all that the two have in common, and have others.
  const Index thirds[2] = {mesh.opposite(h), is_border ? no_index : mesh.opposite(mesh.twins[h])};
  for (const Index third : thirds)
    if (third != no_index && !mesh.has_more_edges(third, mesh.is_on_border(third) ? 2 : 3))
      return false;
  const Ring neighbours(mesh, stays);
  if (neighbours.is_too_large()) return false;
  Index common = 0;
  bool can_join_all = true;
  const auto count = [&](Index v) {
    if (v == stays) return;
    if (neighbours.contains(v))
      ++common;
    else if ((mesh.is_cut(v) || mesh.is_cut(stays)) && !can_join(mesh, v, stays))
      can_join_all = false;
  };
  mesh.visit_star(gone, [&](Index e) {
    count(mesh.to(e));
    const Index back = DynamicView::previous(e);
    if (mesh.is_border(back)) count(mesh.from(back));
    return common <= 2;
  });
  return can_join_all && common == (is_border ? 1U : 2U);
}

/// Whether a face goes when its half-edge, or the one on the other side, is drawn together.
TESSERA_KERNEL inline bool goes_in_collapse(const DynamicView& mesh, Index h, Index face) {
  return face == h / 3 || (!mesh.is_border(h) && face == mesh.twins[h] / 3);
}

/// The half-edge that is drawn together where a collapse of an edge has a choice: 0, its start goes
/// to its end, or 1, the other way.
TESSERA_KERNEL inline Index drawn_half_edge(const DynamicView& mesh, Index h, int choice) {
  return choice == 0 ? h : mesh.twins[h];
}

TESSERA_KERNEL inline void take_collapse(const DynamicView& mesh, Index h, Cavity& cavity) {
  cavity.take_edge_stars(h);
  // Others may be drawn into a vertex that becomes one with this: one after the other.
  for (const Index v : {mesh.from(h), mesh.to(h)})
    if (mesh.is_cut(v)) cavity.join(v, v);
}

/// Draws the start of a half-edge into its end, which moves to a position.
TESSERA_KERNEL inline void fill_collapse(Index h, const Vec3d& position, Filling& filling) {
  const DynamicView& mesh = filling.mesh();
  const Index gone = mesh.from(h);
  const Index stays = mesh.to(h);
  filling.add_fan(stays, gone);
  filling.commit([&](Index a, Index b) {
    const Index other = a == stays ? b : a;
    return static_cast<std::uint8_t>(filling.old_marks(other, stays) |
                                     filling.old_marks(other, gone));
  });
  filling.remove_vertex(gone);
  filling.move_vertex(stays, position, gone);
}

/// Puts a new vertex into a face. Returns it.
TESSERA_KERNEL inline Index fill_face_split(Index f, const Vec3d& position, Filling& filling) {
  const DynamicView& mesh = filling.mesh();
  const Triangle t = mesh.triangles[f];
  const Index middle = filling.add_vertex(position, t);
  filling.add_fan(middle);
  filling.commit([](Index, Index) { return std::uint8_t{0}; });
  return middle;
}

/// Whether a face can be drawn together to one vertex so that a manifold of the same kind is left,
/// as by two collapses of edges. Only where no border, crease, fixed or frozen element is at it.
TESSERA_KERNEL inline bool can_collapse_face(const DynamicView& mesh, Index f) {
  const Triangle t = mesh.triangles[f];
  Index beyond[3];  // the third vertices of its neighbours
  for (int k = 0; k < 3; ++k) {
    if (mesh.is_fixed(t[k]) || mesh.is_on_border(t[k])) return false;
    bool is_plain = true;
    mesh.visit_star(t[k], [&](Index h) {
      is_plain = mesh.edge_marks[h] == 0 && !mesh.is_cut(mesh.to(h));
      return is_plain;
    });
    if (!is_plain) return false;
    beyond[k] = mesh.opposite(mesh.twins[3 * f + static_cast<Index>(k)]);
  }
  for (int k = 0; k < 3; ++k) {
    const int next = (k + 1) % 3;
    if (beyond[k] == beyond[next] || !mesh.has_more_edges(beyond[k], 3)) return false;
    // Two corners have the third and the vertex beyond in common, and no other.
    const Ring ring(mesh, t[k]);
    if (ring.is_too_large()) return false;
    Index common = 0;
    mesh.visit_star(t[next], [&](Index h) {
      common += ring.contains(mesh.to(h)) ? 1 : 0;
      return common <= 2;
    });
    if (common != 2) return false;
  }
  return true;
}

TESSERA_KERNEL inline void take_face_collapse(const DynamicView& mesh, Index f, Cavity& cavity) {
  for (int k = 0; k < 3; ++k) cavity.take_star(mesh.triangles[f][k]);
}

/// Draws all corners of a face into its first, which moves to a position.
TESSERA_KERNEL inline void fill_face_collapse(Index f, const Vec3d& position, Filling& filling) {
  const DynamicView& mesh = filling.mesh();
  const Triangle t = mesh.triangles[f];
  filling.add_fan(t[0]);
  filling.commit([](Index, Index) { return std::uint8_t{0}; });
  filling.remove_vertex(t[1]);
  filling.remove_vertex(t[2]);
  filling.move_vertex(t[0], position, t);
}

/// Whether a vertex can become two with an edge between them: one has the faces from a half-edge
/// that leaves it on, counter-clockwise, to another one, the other those that are left. Not on a
/// border or crease, and not if it is fixed.
TESSERA_KERNEL inline bool can_split_vertex(const DynamicView& mesh, Index first, Index last) {
  const Index v = mesh.from(first);
  if (first == last || v != mesh.from(last) || mesh.is_on_border(v) || mesh.is_fixed(v) ||
      !mesh.has_more_edges(v, 2))
    return false;
  bool is_plain = true;
  mesh.visit_star(v, [&](Index h) {
    is_plain = mesh.edge_marks[h] == 0;
    return is_plain;
  });
  return is_plain;
}

/// Splits a vertex: the faces from a half-edge on to another one get a new vertex, which is
/// returned; the cavity is the star. Two faces are added.
TESSERA_KERNEL inline Index fill_vertex_split(Index first, Index last, const Vec3d& position,
                                              Filling& filling) {
  const DynamicView& mesh = filling.mesh();
  const Index v = mesh.from(first);
  const Index ends[2] = {mesh.to(first), mesh.to(last)};
  const Index added = filling.add_vertex(position);
  mesh.carried.copy_vertex(added, v);
  // Sides go around the vertex as its half-edges do.
  for (int i = 0; i < filling.sides(); ++i) {
    bool is_between = false;
    for (Index h = first; h != last && !is_between; h = mesh.twins[DynamicView::previous(h)])
      is_between = mesh.to(h) == filling.side(i).from;
    filling.add_face(i, is_between ? added : v);
  }
  filling.add_face(v, ends[0], added);
  filling.add_face(added, ends[1], v);
  filling.commit([](Index, Index) { return std::uint8_t{0}; });
  return added;
}

/// Where a vertex can go that is to be taken out: the half-edge that leaves it along which it can
/// be drawn together and which leaves the best triangles, none of them turned over; no_index: there
/// is none. (On a border only the half-edge along it that leaves the vertex is looked at.)
TESSERA_KERNEL inline Index exit_of_vertex(const DynamicView& mesh, Index v) {
  Index best = no_index;
  double best_shape = 0;
  const Vec3d from = mesh.positions[v];
  mesh.visit_star(v, [&](Index h) {
    const Vec3d to = mesh.positions[mesh.to(h)];
    double worst = 1;
    mesh.visit_star(v, [&](Index e) {
      if (goes_in_collapse(mesh, h, e / 3)) return true;
      const Vec3d a = mesh.positions[mesh.to(e)];
      const Vec3d b = mesh.positions[mesh.opposite(e)];
      const Vec3d area = cross(a - to, b - to);
      const double sum = squared_length(a - to) + squared_length(b - to) + squared_length(b - a);
      const bool is_kept = dot(area, cross(a - from, b - from)) > 0;
      const double shape = is_kept ? squared_length(area) / (sum * sum) : 0;
      worst = shape < worst ? shape : worst;
      return worst > best_shape;
    });
    if (worst > best_shape && can_collapse(mesh, h)) {
      best = h;
      best_shape = worst;
    }
    return true;
  });
  return best;
}

}  // namespace tessera::surface
