// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/exec/kernel.h"
#include "tessera/surface/mesh_attribute.h"
#include "tessera/surface/patched_mesh.h"

namespace tessera::surface {

/// What is special about a vertex or an edge.
class Flags {
 public:
  /// An edge of one face, unless it leads from a vertex to itself; a vertex with such an edge.
  static constexpr std::uint8_t boundary = 1;
  /// An edge of more than two faces; a vertex with such an edge, or whose faces are not one fan.
  static constexpr std::uint8_t non_manifold = 2;

  TESSERA_KERNEL constexpr bool is_boundary() const { return (bits & boundary) != 0; }
  TESSERA_KERNEL constexpr bool is_non_manifold() const { return (bits & non_manifold) != 0; }
  constexpr bool operator==(const Flags&) const = default;

  std::uint8_t bits = 0;
};

/// What is special about each edge, and each vertex. Throw DeviceError if the device has too little
/// memory, and nothing else.
EdgeAttribute<Flags> edge_flags(const PatchedMesh& mesh);
VertexAttribute<Flags> vertex_flags(const PatchedMesh& mesh);

}  // namespace tessera::surface
