// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/surface/dynamic_view.h"

namespace tessera::surface {

/// What an operation starts from: a vertex, an edge (by the half-edge that stands for it) or a
/// face.
enum class Seed { vertex, edge, face };

/// What an operation says when it wants to act.
struct Wish {
  std::uint16_t priority = 0;  ///< the larger goes first; rounds tell its highest four bits apart
  std::uint8_t choice = 0;     ///< for fill(), which must not look around again
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

}  // namespace detail
}  // namespace tessera::surface
