// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/vec.h"

namespace tessera::surface {

enum class ElementKind { vertex, edge, face };

/// Names one element of a PatchedMesh: its place in the mesh's own order, patch after patch, which
/// is also its place in every attribute. The kinds are different types, so that a vertex cannot
/// index what belongs to faces.
template <ElementKind Kind>
struct Handle {
  static constexpr ElementKind kind = Kind;

  Index index = no_index;

  constexpr bool is_valid() const { return index != no_index; }
  constexpr bool operator==(const Handle&) const = default;
  constexpr bool operator<(const Handle& other) const { return index < other.index; }
};

using Vertex = Handle<ElementKind::vertex>;
using Edge = Handle<ElementKind::edge>;
using Face = Handle<ElementKind::face>;

}  // namespace tessera::surface
