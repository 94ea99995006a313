// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// The usual operations on edges as cavities, and what must hold so that they leave a manifold.
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
  if (mesh.is_border(h) || mesh.edges[h] != 0) return false;
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
  const std::uint8_t marks = mesh.edges[h];
  const bool is_border = mesh.is_border(h);
  const Index middle = filling.add_vertex(position);
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
  filling.move_vertex(stays, position);
}

}  // namespace tessera::surface
