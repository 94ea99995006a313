// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Every operation of operators.h at random places, for tests.
#pragma once

#include <cstdint>

#include "tessera/core/random.h"
#include "tessera/surface/operators.h"
#include "tessera/surface/update.h"

namespace tessera::surface {

/// Each operation wherever it is possible and a coin says so, which falls anew for each seed.
struct RandomChoice {
  std::uint64_t seed;
  std::uint32_t percent;
  TESSERA_KERNEL bool operator()(Index i, Wish& wish) const {
    const std::uint64_t bits = Random(seed).bits(i);
    wish.priority = static_cast<std::uint16_t>(bits);
    return (bits >> 32) % 100 < percent;
  }
};

struct RandomFlips {
  static constexpr Seed seed = Seed::edge;
  static constexpr Index new_faces = 0;
  static constexpr Index new_vertices = 0;
  RandomChoice choice;
  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index h, Wish& wish) const {
    return choice(h, wish) && can_flip(mesh, h);
  }
  TESSERA_KERNEL void take(const DynamicView& mesh, Index h, Cavity& cavity) const {
    take_flip(mesh, h, cavity);
  }
  TESSERA_KERNEL void fill(Index h, int, Filling& filling) const { fill_flip(h, filling); }
};

struct RandomSplits {
  static constexpr Seed seed = Seed::edge;
  static constexpr Index new_faces = 2;
  static constexpr Index new_vertices = 1;
  RandomChoice choice;
  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index h, Wish& wish) const {
    return choice(h, wish) && can_split(mesh, h);
  }
  TESSERA_KERNEL void take(const DynamicView&, Index h, Cavity& cavity) const {
    cavity.take_edge(h);
  }
  TESSERA_KERNEL void fill(Index h, int, Filling& filling) const {
    const DynamicView& mesh = filling.mesh();
    fill_split(h, (mesh.positions[mesh.from(h)] + mesh.positions[mesh.to(h)]) * 0.5, filling);
  }
};

struct RandomCollapses {
  static constexpr Seed seed = Seed::edge;
  static constexpr Index new_faces = 0;
  static constexpr Index new_vertices = 0;
  RandomChoice choice;
  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index h, Wish& wish) const {
    return choice(h, wish) && can_collapse(mesh, h);
  }
  TESSERA_KERNEL void take(const DynamicView& mesh, Index h, Cavity& cavity) const {
    take_collapse(mesh, h, cavity);
  }
  TESSERA_KERNEL void fill(Index h, int, Filling& filling) const {
    const DynamicView& mesh = filling.mesh();
    const bool can_move = !mesh.is_fixed(mesh.to(h)) && !mesh.is_on_border(mesh.to(h));
    const Vec3d end = mesh.positions[mesh.to(h)];
    fill_collapse(h, can_move ? (mesh.positions[mesh.from(h)] + end) * 0.5 : end, filling);
  }
};

TESSERA_KERNEL inline Vec3d middle_of(const DynamicView& mesh, Index f) {
  const Triangle t = mesh.triangles[f];
  return (mesh.positions[t[0]] + mesh.positions[t[1]] + mesh.positions[t[2]]) * (1. / 3);
}

/// A new vertex in the middle of faces.
struct RandomFaceSplits {
  static constexpr Seed seed = Seed::face;
  static constexpr Index new_faces = 2;
  static constexpr Index new_vertices = 1;
  RandomChoice choice;
  TESSERA_KERNEL bool wants(const DynamicView&, Index f, Wish& wish) const {
    return choice(f, wish);
  }
  TESSERA_KERNEL void take(const DynamicView&, Index f, Cavity& cavity) const {
    cavity.take_face(f);
  }
  TESSERA_KERNEL void fill(Index f, int, Filling& filling) const {
    const DynamicView& mesh = filling.mesh();
    fill_face_split(f, middle_of(mesh, f), filling);
  }
};

struct RandomFaceCollapses {
  static constexpr Seed seed = Seed::face;
  static constexpr Index new_faces = 0;
  static constexpr Index new_vertices = 0;
  RandomChoice choice;
  TESSERA_KERNEL bool wants(const DynamicView&, Index f, Wish& wish) const {
    return choice(f, wish);
  }
  TESSERA_KERNEL bool can(const DynamicView& mesh, Index f, Wish&) const {
    return can_collapse_face(mesh, f);
  }
  TESSERA_KERNEL void take(const DynamicView& mesh, Index f, Cavity& cavity) const {
    take_face_collapse(mesh, f, cavity);
  }
  TESSERA_KERNEL void fill(Index f, int, Filling& filling) const {
    fill_face_collapse(f, middle_of(filling.mesh(), f), filling);
  }
};

/// Between the first half-edge of a vertex and the one that is `choice` later.
struct RandomVertexSplits {
  static constexpr Seed seed = Seed::vertex;
  static constexpr Index new_faces = 2;
  static constexpr Index new_vertices = 1;
  RandomChoice choice;
  TESSERA_KERNEL static Index last_of(const DynamicView& mesh, Index v, int steps) {
    Index h = mesh.vertex_edges[v];
    for (int i = 0; i < steps; ++i) h = mesh.twins[DynamicView::previous(h)];
    return h;
  }
  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index v, Wish& wish) const {
    if (!choice(v, wish) || mesh.is_on_border(v) || mesh.valence(v) > 20) return false;
    wish.choice = static_cast<std::uint8_t>(1 + wish.priority % (mesh.valence(v) - 1));
    return can_split_vertex(mesh, mesh.vertex_edges[v], last_of(mesh, v, wish.choice));
  }
  TESSERA_KERNEL void take(const DynamicView&, Index v, Cavity& cavity) const {
    cavity.take_star(v);
  }
  TESSERA_KERNEL void fill(Index v, int steps, Filling& filling) const {
    const DynamicView& mesh = filling.mesh();
    fill_vertex_split(mesh.vertex_edges[v], last_of(mesh, v, steps), mesh.positions[v], filling);
  }
};

/// Takes vertices out where that leaves the best triangles.
struct RandomRemovals {
  static constexpr Seed seed = Seed::edge;
  static constexpr Index new_faces = 0;
  static constexpr Index new_vertices = 0;
  RandomChoice choice;
  TESSERA_KERNEL bool wants(const DynamicView&, Index h, Wish& wish) const {
    return choice(h, wish);
  }
  TESSERA_KERNEL bool can(const DynamicView& mesh, Index h, Wish& wish) const {
    wish.choice = exit_of_vertex(mesh, mesh.from(h)) == h ? 0 : 1;
    if (wish.choice == 0) return true;
    return !mesh.is_border(h) && exit_of_vertex(mesh, mesh.to(h)) == mesh.twins[h];
  }
  TESSERA_KERNEL void take(const DynamicView& mesh, Index h, Cavity& cavity) const {
    take_collapse(mesh, h, cavity);
  }
  TESSERA_KERNEL void fill(Index h, int direction, Filling& filling) const {
    const DynamicView& mesh = filling.mesh();
    const Index drawn = drawn_half_edge(mesh, h, direction);
    fill_collapse(drawn, mesh.positions[mesh.to(drawn)], filling);
  }
};

/// A face and its three neighbours become six around a new vertex.
struct RandomRingSplits {
  static constexpr Seed seed = Seed::face;
  static constexpr Index new_faces = 2;
  static constexpr Index new_vertices = 1;
  RandomChoice choice;
  TESSERA_KERNEL bool wants(const DynamicView&, Index f, Wish& wish) const {
    return choice(f, wish);
  }
  TESSERA_KERNEL bool can(const DynamicView& mesh, Index f, Wish&) const {
    Index beyond[3];
    for (int k = 0; k < 3; ++k) {
      const Index h = 3 * f + static_cast<Index>(k);
      if (mesh.is_border(h) || mesh.edge_marks[h] != 0) return false;
      // Each corner loses two edges and gets one.
      if (!mesh.has_more_edges(mesh.from(h), mesh.is_on_border(mesh.from(h)) ? 4 : 3)) return false;
      beyond[k] = mesh.opposite(mesh.twins[h]);
    }
    return beyond[0] != beyond[1] && beyond[1] != beyond[2] && beyond[2] != beyond[0];
  }
  TESSERA_KERNEL void take(const DynamicView&, Index f, Cavity& cavity) const {
    cavity.take_face_and_neighbours(f);
  }
  TESSERA_KERNEL void fill(Index f, int, Filling& filling) const {
    const DynamicView& mesh = filling.mesh();
    filling.add_fan(filling.add_vertex(middle_of(mesh, f), mesh.triangles[f]));
    filling.commit([](Index, Index) { return std::uint8_t{0}; });
  }
};

/// Takes a vertex of three faces out, which leaves one.
struct RemoveThreeValent {
  static constexpr Seed seed = Seed::vertex;
  static constexpr Index new_faces = 0;
  static constexpr Index new_vertices = 0;
  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index v, Wish&) const {
    if (mesh.is_on_border(v) || mesh.is_fixed(v) || mesh.valence(v) != 3) return false;
    // Not if its neighbours have a face already.
    const Index h = mesh.vertex_edges[v];
    return mesh.valence(mesh.to(h)) > 3 && mesh.valence(mesh.opposite(h)) > 3;
  }
  TESSERA_KERNEL void take(const DynamicView&, Index v, Cavity& cavity) const {
    cavity.take_star(v);
  }
  TESSERA_KERNEL void fill(Index v, int, Filling& filling) const {
    filling.add_fan(filling.side(0).from);
    filling.remove_vertex(v);
    filling.commit([](Index, Index) { return std::uint8_t{0}; });
  }
};

/// The operations by number, each where a coin says so, and how many vertices one adds.
constexpr int random_operations = 8;

inline UpdateReport apply_random(DynamicMesh& mesh, int number, const RandomChoice& choice,
                                 const UpdateOptions& options, int& added) {
  constexpr int adds[random_operations] = {0, 1, -1, 1, -2, 1, -1, 1};
  added = adds[number];
  switch (number) {
    case 0:
      return update(mesh, RandomFlips{choice}, options);
    case 1:
      return update(mesh, RandomSplits{choice}, options);
    case 2:
      return update(mesh, RandomCollapses{choice}, options);
    case 3:
      return update(mesh, RandomFaceSplits{choice}, options);
    case 4:
      return update(mesh, RandomFaceCollapses{choice}, options);
    case 5:
      return update(mesh, RandomVertexSplits{choice}, options);
    case 6:
      return update(mesh, RandomRemovals{choice}, options);
    default:
      return update(mesh, RandomRingSplits{choice}, options);
  }
}

}  // namespace tessera::surface
