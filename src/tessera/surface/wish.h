// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/surface/cavity.h"
#include "tessera/surface/dynamic_view.h"

namespace tessera::surface {

/// What an operation starts from: a vertex, an edge (by the half-edge that stands for it) or a
/// face.
enum class Seed { vertex, edge, face };

/// What an operation says when it wants to act.
struct Wish {
  std::uint16_t priority = 0;  ///< the larger goes first; rounds tell its highest four bits apart
  /// For fill(), which must not look around again; set by can() where there is one.
  std::uint8_t choice = 0;
};

namespace detail {

/// Whether there is an element that the operation can start from.
template <class Op>
TESSERA_KERNEL bool is_seed(const DynamicView& mesh, Index i) {
  if constexpr (Op::seed == Seed::vertex)
    return mesh.is_vertex(i);
  else if constexpr (Op::seed == Seed::edge)
    return mesh.is_edge(i);
  else
    return mesh.is_face(i);
}

/// Whether an operation tells apart where it is wanted and where it is possible.
template <class Op>
inline constexpr bool has_can = requires(const Op& op, const DynamicView& mesh, Wish& wish) {
  op.can(mesh, Index{}, wish);
};

/// Whether only its ends can change what is wanted at an edge, as the operation says. Otherwise
/// stars of the vertices of its faces may.
template <class Op>
inline constexpr bool wants_depend_on_ends_alone = requires {
  requires Op::depends_on_ends_alone;
  requires Op::seed == Seed::edge;
};

template <class Op>
TESSERA_KERNEL bool can_act(const DynamicView& mesh, const Op& op, Index i, Wish& wish) {
  if constexpr (has_can<Op>)
    return op.can(mesh, i, wish);
  else
    return true;
}

/// Calls f(seed, may_want) for elements at which an operation may be wanted now that a cavity is
/// filled, or else may be possible where it was not.
template <class Op, class F>
TESSERA_KERNEL void visit_changed(const DynamicView& mesh, const Filling& filling, const F& f) {
  for (int i = 0; i < filling.faces(); ++i) {
    const Index face = filling.place(i);
    if constexpr (Op::seed == Seed::face) f(face, true);
    if constexpr (Op::seed == Seed::edge)
      for (int k = 0; k < 3; ++k) {
        const Index h = 3 * face + static_cast<Index>(k);
        f(mesh.is_edge(h) ? h : mesh.twins[h],
          !wants_depend_on_ends_alone<Op> || filling.has_changed(i, k));
      }
  }
}

}  // namespace detail
}  // namespace tessera::surface
