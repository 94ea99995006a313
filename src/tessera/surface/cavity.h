// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Cavities: a set of faces that goes, and what takes its place (Mahmoud's dissertation,
// section 5.1; Loseille and Menier's cavity operator). See update.h for how they are used.
#pragma once

#include <cassert>
#include <cstdint>

#include "tessera/exec/atomic.h"
#include "tessera/exec/kernel.h"
#include "tessera/surface/dynamic_view.h"

namespace tessera::surface {

/// The faces that an operation replaces, joined through edges. An operation that asks for more
/// faces than there is room for is not carried out.
class Cavity {
 public:
  static constexpr int most = 48;

  TESSERA_KERNEL explicit Cavity(const DynamicView& mesh) : mesh_(mesh) {}

  TESSERA_KERNEL void take_face(Index f) {
    if (contains(f)) return;
    if (size_ == most)
      is_too_large_ = true;
    else
      faces_[size_++] = f;
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
    for (int i = 0; i < size_; ++i)
      if (faces_[i] == f) return true;
    return false;
  }

 private:
  const DynamicView& mesh_;
  Index faces_[most];
  Index joined_[2] = {no_index, no_index};
  int size_ = 0;
  bool is_too_large_ = false;
};

/// A half-edge of a cavity's faces beyond which there is none of them.
struct CavitySide {
  Index from;
  Index to;
  Index outer;  ///< the half-edge on the other side; no_index: border
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
        sides_[side_count_++] = {mesh.from(h), mesh.to(h), twin, mesh.edges[h]};
      }
  }
  TESSERA_KERNEL const DynamicView& mesh() const { return mesh_; }
  /// The border of the cavity, in no particular order.
  TESSERA_KERNEL int sides() const { return side_count_; }
  TESSERA_KERNEL const CavitySide& side(int i) const { return sides_[i]; }

  /// A new vertex; as many as the operation said it makes.
  TESSERA_KERNEL Index add_vertex(const Vec3d& position) {
    const Index v = new_vertex_ + static_cast<Index>(vertex_count_++);
    mesh_.positions[v] = position;
    return v;
  }
  /// Three vertices, counter-clockwise. There are at most as many faces as sides.
  TESSERA_KERNEL void add_face(Index a, Index b, Index c) {
    assert(face_count_ < Cavity::most + 2);
    NewFace& face = faces_[face_count_++];
    face.corners = {a, b, c};
    for (int k = 0; k < 3; ++k) {
      face.twins[k] = no_index;
      face.is_outer[k] = false;
    }
  }
  /// A face from each side to a vertex, except from sides at one of two vertices.
  TESSERA_KERNEL void add_fan(Index apex, Index other = no_index) {
    for (int i = 0; i < side_count_; ++i) {
      const CavitySide& s = sides_[i];
      if (s.from == apex || s.to == apex || s.from == other || s.to == other) continue;
      add_face(s.from, s.to, apex);
    }
  }
  /// An old vertex that no face has any more.
  TESSERA_KERNEL void remove_vertex(Index v) { mesh_.vertex_edges[v] = no_index; }

  /// The marks of an old edge of the cavity; 0 if there is none.
  TESSERA_KERNEL std::uint8_t old_marks(Index a, Index b) const {
    for (int i = 0; i < cavity_.size(); ++i)
      for (Index h = 3 * cavity_[i]; h < 3 * cavity_[i] + 3; ++h) {
        const Index from = mesh_.from(h);
        const Index to = mesh_.to(h);
        if ((from == a && to == b) || (from == b && to == a)) return mesh_.edges[h];
      }
    return 0;
  }

  /// Replaces the cavity's faces by the new ones and joins these to what is around. marks(a, b) are
  /// the marks of new edges; those at sides stay.
  template <class Marks>
  TESSERA_KERNEL void commit(const Marks& marks) {
    find_neighbours(marks);
    for (int i = face_count_; i < cavity_.size(); ++i) mesh_.triangles[cavity_[i]][0] = no_index;
    for (int i = 0; i < face_count_; ++i) {
      mesh_.triangles[place(i)] = faces_[i].corners;
      if (i >= cavity_.size()) mesh_.homes[place(i)] = mesh_.homes[cavity_[0]];
      for (int k = 0; k < 3; ++k) {
        const Index h = half_edge(i, k);
        const Index twin = faces_[i].twins[k];
        mesh_.twins[h] = twin;
        mesh_.edges[h] = faces_[i].marks[k];
        if (faces_[i].is_outer[k]) mesh_.twins[twin] = h;
      }
    }
    // Vertices whose edge was one of the cavity's get a new one, the first of their fan last.
    for (int pass = 0; pass < 2; ++pass)
      for (int i = 0; i < face_count_; ++i)
        for (int k = 0; k < 3; ++k)
          if (faces_[i].needs_edge[k] && (pass == 0 || faces_[i].twins[k] == no_index))
            exec::atomic_store(mesh_.vertex_edges[faces_[i].corners[k]], half_edge(i, k));
  }

  /// The places of the new faces, after commit().
  TESSERA_KERNEL int faces() const { return face_count_; }
  TESSERA_KERNEL Index place(int i) const {
    return i < cavity_.size() ? cavity_[i] : new_face_ + static_cast<Index>(i - cavity_.size());
  }

 private:
  struct NewFace {
    Triangle corners;
    Index twins[3];
    std::uint8_t marks[3];
    bool is_outer[3];  ///< the twin is no new half-edge
    bool needs_edge[3];
  };

  TESSERA_KERNEL Index half_edge(int i, int k) const {
    return 3 * place(i) + static_cast<Index>(k);
  }

  template <class Marks>
  TESSERA_KERNEL void find_neighbours(const Marks& marks) {
    for (int i = 0; i < face_count_; ++i)
      for (int k = 0; k < 3; ++k) {
        NewFace& face = faces_[i];
        const Index a = face.corners[k];
        const Index b = face.corners[(k + 1) % 3];
        // Another cavity may be giving a vertex on the border its edge, but only one of its own.
        face.needs_edge[k] =
            a >= new_vertex_ || cavity_.contains(exec::atomic_load(mesh_.vertex_edges[a]) / 3);
        if (!find_side(face, k, a, b) && !find_new(face, k, a, b)) face.marks[k] = marks(a, b);
      }
  }
  TESSERA_KERNEL bool find_side(NewFace& face, int k, Index a, Index b) const {
    for (int s = 0; s < side_count_; ++s) {
      if (sides_[s].from != a || sides_[s].to != b) continue;
      face.twins[k] = sides_[s].outer;
      face.is_outer[k] = sides_[s].outer != no_index;
      face.marks[k] = sides_[s].marks;
      return true;
    }
    return false;
  }
  /// Both faces of an edge have the same marks: those that the first of them asked for.
  TESSERA_KERNEL bool find_new(NewFace& face, int k, Index a, Index b) const {
    for (int j = 0; j < face_count_; ++j)
      for (int m = 0; m < 3; ++m) {
        if (faces_[j].corners[m] != b || faces_[j].corners[(m + 1) % 3] != a) continue;
        face.twins[k] = half_edge(j, m);
        const bool is_known = faces_[j].twins[m] != no_index;
        if (!is_known) return false;
        face.marks[k] = faces_[j].marks[m];
        return true;
      }
    return false;
  }

  const DynamicView& mesh_;
  const Cavity& cavity_;
  Index new_face_;
  Index new_vertex_;
  CavitySide sides_[Cavity::most + 2];
  NewFace faces_[Cavity::most + 2];
  int side_count_ = 0;
  int face_count_ = 0;
  int vertex_count_ = 0;
};

}  // namespace tessera::surface
