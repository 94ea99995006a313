// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Cavities: a set of faces that goes, and what takes its place (Mahmoud's dissertation,
// section 5.1; Loseille and Menier's cavity operator). See update.h for how they are used.
#pragma once

#include <cassert>
#include <cstdint>

#include "tessera/exec/atomic.h"
#include "tessera/exec/kernel.h"
#include "tessera/surface/corner_parts.h"
#include "tessera/surface/dynamic_view.h"

namespace tessera::surface {

/// The faces that an operation replaces, joined through edges. An operation that asks for more
/// faces than there is room for is not carried out.
class Cavity {
 public:
  static constexpr int most = 48;  // at most 64: Filling has a bit for each

  TESSERA_KERNEL explicit Cavity(const DynamicView& mesh) : mesh_(mesh) {}

  TESSERA_KERNEL void take_face(Index f) {
    if (contains(f)) return;
    if (size_ == most) {
      is_too_large_ = true;
      return;
    }
    faces_[size_++] = f;
    traces_ |= trace_of(f);
  }
  /// The one or two faces of an edge.
  TESSERA_KERNEL void take_edge(Index h) {
    take_face(h / 3);
    if (!mesh_.is_border(h)) take_face(mesh_.twins[h] / 3);
  }
  /// The faces of a vertex.
  TESSERA_KERNEL void take_star(Index v) {
    mesh_.visit_star(v, [this](Index h) {
      take_face(h / 3);
      return !is_too_large_;
    });
  }
  /// The faces of both ends of an edge.
  TESSERA_KERNEL void take_edge_stars(Index h) {
    take_star(mesh_.from(h));
    take_star(mesh_.to(h));
  }
  /// A face and those that share an edge with it.
  TESSERA_KERNEL void take_face_and_neighbours(Index f) {
    take_face(f);
    for (Index h = 3 * f; h < 3 * f + 3; ++h)
      if (!mesh_.is_border(h)) take_face(mesh_.twins[h] / 3);
  }

  /// Says that there will be a new edge between two vertices on the border of the cavity, which
  /// another cavity between the same two must not make too. Once at most.
  TESSERA_KERNEL void join(Index a, Index b) {
    const Index u = mesh_.origin(a);
    const Index v = mesh_.origin(b);
    joined_[0] = u < v ? u : v;
    joined_[1] = u < v ? v : u;
  }
  TESSERA_KERNEL bool joins() const { return joined_[0] != no_index; }
  TESSERA_KERNEL Index joined(int i) const { return joined_[i]; }

  TESSERA_KERNEL bool is_too_large() const { return is_too_large_; }
  TESSERA_KERNEL int size() const { return size_; }
  TESSERA_KERNEL Index operator[](int i) const { return faces_[i]; }
  TESSERA_KERNEL bool contains(Index f) const {
    if ((traces_ & trace_of(f)) == 0) return false;  // most are not
    for (int i = 0; i < size_; ++i)
      if (faces_[i] == f) return true;
    return false;
  }

 private:
  TESSERA_KERNEL static std::uint64_t trace_of(Index f) { return std::uint64_t{1} << (f % 64); }

  const DynamicView& mesh_;
  Index faces_[most];
  std::uint64_t traces_ = 0;  ///< a bit for every face; some share one
  Index joined_[2] = {no_index, no_index};
  int size_ = 0;
  bool is_too_large_ = false;
};

/// A half-edge of a cavity's faces beyond which there is none of them.
struct CavitySide {
  Index from;
  Index to;
  Index outer;  ///< the half-edge on the other side; no_index: border
  int owner;    ///< which of the cavity's faces has it
  int corner;   ///< which of that face's half-edges it is
  std::uint8_t marks;
};

/// Puts new faces in a cavity's place. They may have old vertices of the cavity and new ones. Old
/// connectivity can be read from the mesh until commit().
class Filling {
 public:
  /// New elements get the places from `new_face` and `new_vertex` on.
  TESSERA_KERNEL Filling(const DynamicView& mesh, const Cavity& cavity, Index new_face,
                         Index new_vertex)
      : mesh_(mesh), cavity_(cavity), new_face_(new_face), new_vertex_(new_vertex) {
    for (int i = 0; i < cavity.size(); ++i)
      for (Index h = 3 * cavity[i]; h < 3 * cavity[i] + 3; ++h) {
        const Index twin = mesh.twins[h];
        if (twin != no_index && cavity.contains(twin / 3)) continue;
        assert(side_count_ < Cavity::most + 2);
        sides_[side_count_++] = {mesh.from(h),      mesh.to(h), twin, i, static_cast<int>(h % 3),
                                 mesh.edge_marks[h]};
      }
    for (int i = 0; i < cavity.size(); ++i)
      for (Index h = 3 * cavity[i]; h < 3 * cavity[i] + 3; ++h) marks_ |= mesh.edge_marks[h];
  }
  TESSERA_KERNEL const DynamicView& mesh() const { return mesh_; }
  /// The border of the cavity, in no particular order.
  TESSERA_KERNEL int sides() const { return side_count_; }
  TESSERA_KERNEL const CavitySide& side(int i) const { return sides_[i]; }

  /// A new vertex; as many as the operation said it makes. Its attributes are 0, and those of the
  /// input's first vertex, until it gets others (CarriedView).
  TESSERA_KERNEL Index add_vertex(const Vec3d& position) {
    const Index v = new_vertex_ + static_cast<Index>(vertex_count_++);
    mesh_.positions[v] = position;
    return v;
  }
  /// A new vertex in an old face, with attributes between those of its corners.
  TESSERA_KERNEL Index add_vertex(const Vec3d& position, const Triangle& t) {
    const Index v = add_vertex(position);
    blend(v, position, t);
    return v;
  }
  /// A new vertex between two old ones, with attributes between theirs.
  TESSERA_KERNEL Index add_vertex(const Vec3d& position, Index a, Index b) {
    const Index v = add_vertex(position);
    blend(v, position, a, b);
    return v;
  }
  /// Three vertices, counter-clockwise. There are at most as many faces as sides.
  TESSERA_KERNEL void add_face(Index a, Index b, Index c) {
    is_inner_fan_ = false;
    push_face(a, b, c);
  }
  /// A face from a side to a vertex, in the place of the one that had the side: what is outside
  /// still has the same half-edge on its other side, and neighbours in memory stay neighbours.
  TESSERA_KERNEL void add_face(int side, Index apex) {
    is_inner_fan_ = false;
    push_face(side, apex);
  }
  /// A face from each side to a vertex, except from sides at one of two vertices. The border of the
  /// cavity passes each vertex once.
  TESSERA_KERNEL void add_fan(Index apex, Index other = no_index) {
    bool is_inside = true;
    const bool is_all = face_count_ == 0;
    for (int i = 0; i < side_count_; ++i) {
      const CavitySide& s = sides_[i];
      if (s.from == apex || s.to == apex || s.from == other || s.to == other)
        is_inside = false;
      else
        push_face(i, apex);
    }
    is_inner_fan_ = is_inside && is_all;
  }
  /// Puts an old vertex elsewhere that has no faces but the cavity's; one at most.
  TESSERA_KERNEL void move_vertex(Index v, const Vec3d& position) {
    mesh_.positions[v] = position;
    moved_ = v;
  }
  /// The same where it goes towards another: its attributes do, too.
  TESSERA_KERNEL void move_vertex(Index v, const Vec3d& position, Index towards) {
    blend(v, position, v, towards);
    move_vertex(v, position);
  }
  /// The same in a face of which it is a corner.
  TESSERA_KERNEL void move_vertex(Index v, const Vec3d& position, const Triangle& t) {
    blend(v, position, t);
    move_vertex(v, position);
  }
  /// Whether half-edge k of new face i has a vertex that is new or was moved, or belonged to
  /// another edge before. After commit().
  TESSERA_KERNEL bool has_changed(int i, int k) const {
    const NewFace& face = faces_[i];
    const auto is_changed = [this](Index v) { return v == moved_ || v >= new_vertex_; };
    return face.kept != k || is_changed(face.corners[k]) || is_changed(face.corners[(k + 1) % 3]);
  }
  /// An old vertex that no face has any more.
  TESSERA_KERNEL void remove_vertex(Index v) { mesh_.vertex_edges[v] = no_index; }

  /// The marks of an old edge of the cavity; 0 if there is none.
  TESSERA_KERNEL std::uint8_t old_marks(Index a, Index b) const {
    if (marks_ == 0) return 0;
    for (int i = 0; i < cavity_.size(); ++i)
      for (Index h = 3 * cavity_[i]; h < 3 * cavity_[i] + 3; ++h) {
        const Index from = mesh_.from(h);
        const Index to = mesh_.to(h);
        if ((from == a && to == b) || (from == b && to == a)) return mesh_.edge_marks[h];
      }
    return 0;
  }

  /// Replaces the cavity's faces by the new ones and joins these to what is around. marks(a, b) are
  /// the marks of new edges; those at sides stay.
  template <class Marks>
  TESSERA_KERNEL void commit(const Marks& marks) {
    find_places();
    if (is_inner_fan_)
      join_fan(marks);
    else
      find_neighbours(marks);
    if (!mesh_.carried.face_origins.empty()) pass_on_origins();
    for (int i = 0; i < cavity_.size(); ++i)
      if ((taken_ >> i & 1) == 0) mesh_.triangles[cavity_[i]][0] = no_index;
    for (int i = 0; i < face_count_; ++i) {
      mesh_.triangles[place(i)] = faces_[i].corners;
      if (place(i) >= new_face_) mesh_.homes[place(i)] = mesh_.homes[cavity_[faces_[i].owner]];
      for (int k = 0; k < 3; ++k) {
        const Index h = half_edge(i, k);
        const Index twin = faces_[i].twins[k];
        mesh_.twins[h] = twin;
        mesh_.edge_marks[h] = faces_[i].marks[k];
        if (faces_[i].is_side[k] && twin != no_index) mesh_.twins[twin] = h;
      }
    }
    // Vertices whose edge was one of the cavity's get a new one, the first of their fan last.
    for (int pass = 0; pass < (is_inner_fan_ ? 1 : 2); ++pass)
      for (int i = 0; i < face_count_; ++i)
        for (int k = 0; k < 3; ++k)
          if (faces_[i].needs_edge[k] && (pass == 0 || faces_[i].twins[k] == no_index))
            exec::atomic_store(mesh_.vertex_edges[faces_[i].corners[k]], half_edge(i, k));
  }

  /// The places of the new faces, after commit().
  TESSERA_KERNEL int faces() const { return face_count_; }
  TESSERA_KERNEL Index place(int i) const { return faces_[i].place; }

 private:
  struct NewFace {
    Triangle corners;
    Index place;
    int owner;  ///< a face of the cavity that had one of its sides; else the first
    int side;   ///< which half-edge is the side that it was made from; -1: it was not
    int kept;   ///< the half-edge that is where it was; -1: none
    Index twins[3];
    std::uint8_t marks[3];
    bool is_joined[3];  ///< twin and marks are known
    bool is_side[3];
    bool needs_edge[3];
  };

  TESSERA_KERNEL void push_face(Index a, Index b, Index c) {
    assert(face_count_ < Cavity::most + 2);
    NewFace& face = faces_[face_count_++];
    face.corners = {a, b, c};
    face.place = no_index;
    face.owner = 0;
    face.side = -1;
    face.kept = -1;
    for (int k = 0; k < 3; ++k) {
      face.twins[k] = no_index;
      face.is_side[k] = false;
      face.is_joined[k] = false;
    }
  }
  TESSERA_KERNEL void push_face(int side, Index apex) {
    const CavitySide& s = sides_[side];
    if (s.corner == 0) push_face(s.from, s.to, apex);
    if (s.corner == 1) push_face(apex, s.from, s.to);
    if (s.corner == 2) push_face(s.to, apex, s.from);
    NewFace& face = faces_[face_count_ - 1];
    join_side(face, s.corner, s);
    face.side = s.corner;
    const std::uint64_t bit = std::uint64_t{1} << s.owner;
    if ((taken_ & bit) == 0) {
      face.place = cavity_[s.owner];
      face.kept = s.corner;
    }
    taken_ |= bit;
  }
  TESSERA_KERNEL Index half_edge(int i, int k) const {
    return 3 * place(i) + static_cast<Index>(k);
  }
  /// Faces without a place get one of the cavity's that is not taken, then new ones.
  TESSERA_KERNEL void find_places() {
    int next = 0;
    Index added = 0;
    for (int i = 0; i < face_count_; ++i) {
      if (faces_[i].place != no_index) continue;
      while (next < cavity_.size() && (taken_ >> next & 1) != 0) ++next;
      if (next < cavity_.size()) {
        faces_[i].place = cavity_[next];
        taken_ |= std::uint64_t{1} << next;
      } else {
        faces_[i].place = new_face_ + added++;
      }
    }
  }

  /// Faces in a place of the cavity have the attributes that are there.
  TESSERA_KERNEL void pass_on_origins() const {
    const exec::View<Index> origins = mesh_.carried.face_origins;
    for (int i = 0; i < face_count_; ++i)
      if (place(i) >= new_face_) origins[place(i)] = origins[cavity_[faces_[i].owner]];
  }
  TESSERA_KERNEL void blend(Index v, const Vec3d& position, const Triangle& t) const {
    if (mesh_.carried.vertex_origins.empty()) return;
    const Vec3d corners[3] = {mesh_.positions[t[0]], mesh_.positions[t[1]], mesh_.positions[t[2]]};
    mesh_.carried.blend(v, t, corner_parts(position, corners), nearest_corner(position, corners));
  }
  TESSERA_KERNEL void blend(Index v, const Vec3d& position, Index a, Index b) const {
    if (mesh_.carried.vertex_origins.empty()) return;
    const Vec3d p = mesh_.positions[a];
    const Vec3d along = mesh_.positions[b] - p;
    const double part = dot(position - p, along) / squared_length(along);
    mesh_.carried.blend(v, a, b, part > 0 ? (part < 1 ? part : 1) : 0);
  }
  TESSERA_KERNEL bool needs_edge(Index v) const {
    // Another cavity may be giving a vertex on the border its edge, but only one of its own.
    return v >= new_vertex_ || cavity_.contains(exec::atomic_load(mesh_.vertex_edges[v]) / 3);
  }
  /// Faces from each side to a vertex inside: the next is the one whose side starts where this one
  /// ends.
  template <class Marks>
  TESSERA_KERNEL void join_fan(const Marks& marks) {
    for (int i = 0; i < face_count_; ++i) {
      NewFace& face = faces_[i];
      const int onward = (face.side + 1) % 3;
      const int back = (face.side + 2) % 3;
      face.needs_edge[face.side] = needs_edge(face.corners[face.side]);
      face.needs_edge[onward] = false;
      face.needs_edge[back] = i == 0;
      const Index to = face.corners[onward];
      face.marks[onward] = marks(to, face.corners[back]);
      for (int j = 0; j < face_count_; ++j) {
        NewFace& next = faces_[j];
        if (next.corners[next.side] != to) continue;
        const int beside = (next.side + 2) % 3;
        face.twins[onward] = half_edge(j, beside);
        next.twins[beside] = half_edge(i, onward);
        next.marks[beside] = face.marks[onward];
        break;
      }
    }
  }
  template <class Marks>
  TESSERA_KERNEL void find_neighbours(const Marks& marks) {
    for (int i = 0; i < face_count_; ++i)
      for (int k = 0; k < 3; ++k) {
        NewFace& face = faces_[i];
        const Index a = face.corners[k];
        const Index b = face.corners[(k + 1) % 3];
        face.needs_edge[k] = needs_edge(a);
        if (face.is_joined[k] || find_side(face, k, a, b)) continue;
        face.marks[k] = marks(a, b);
        find_new(i, k, a, b);
      }
  }
  TESSERA_KERNEL static void join_side(NewFace& face, int k, const CavitySide& side) {
    face.owner = side.owner;
    face.twins[k] = side.outer;
    face.is_side[k] = true;
    face.marks[k] = side.marks;
    face.is_joined[k] = true;
  }
  TESSERA_KERNEL bool find_side(NewFace& face, int k, Index a, Index b) const {
    for (int s = 0; s < side_count_; ++s) {
      if (sides_[s].from != a || sides_[s].to != b) continue;
      join_side(face, k, sides_[s]);
      return true;
    }
    return false;
  }
  /// Both faces of a new edge have the same marks.
  TESSERA_KERNEL void find_new(int i, int k, Index a, Index b) {
    for (int j = i; j < face_count_; ++j)
      for (int m = 0; m < 3; ++m) {
        NewFace& other = faces_[j];
        if (other.corners[m] != b || other.corners[(m + 1) % 3] != a) continue;
        faces_[i].twins[k] = half_edge(j, m);
        other.twins[m] = half_edge(i, k);
        other.marks[m] = faces_[i].marks[k];
        other.is_joined[m] = true;
        return;
      }
  }

  const DynamicView& mesh_;
  const Cavity& cavity_;
  Index new_face_;
  Index new_vertex_;
  CavitySide sides_[Cavity::most + 2];
  NewFace faces_[Cavity::most + 2];
  Index moved_ = no_index;
  std::uint64_t taken_ = 0;  ///< places of the cavity's faces, a bit for each
  std::uint8_t marks_ = 0;   ///< of any edge of the cavity
  /// The faces are a fan around a vertex inside: each has one side, which it knows.
  bool is_inner_fan_ = false;
  int side_count_ = 0;
  int face_count_ = 0;
  int vertex_count_ = 0;
};

}  // namespace tessera::surface
