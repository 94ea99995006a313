// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/lattice_graph.h"
#include "tessera/exec/buffer.h"
#include "tessera/lattice/detail/strut_end.h"

namespace tessera::lattice::detail {

enum class StrutKind : std::uint8_t { shared, capsule, swallowed, pinched };

/// How a strut is treated. An end of one that stands apart is covered if another strut's solid has
/// the whole ball of its node: it needs no cap of its own, only to be closed.
struct Treatment {
  std::uint8_t bits = 0;

  static constexpr std::uint8_t kind_mask = 0x3f;
  static constexpr std::uint8_t covered_bit = 0x40;  ///< of end 0; that of end 1 is the next

  constexpr Treatment() = default;
  constexpr Treatment(StrutKind kind)  // NOLINT: nothing covered
      : bits(static_cast<std::uint8_t>(kind)) {}
  constexpr StrutKind kind() const { return static_cast<StrutKind>(bits & kind_mask); }
  constexpr bool is_covered(Index end) const { return (bits & (covered_bit << end)) != 0; }
  constexpr void cover(Index end) { bits = static_cast<std::uint8_t>(bits | (covered_bit << end)); }
  friend constexpr bool operator==(const Treatment& a, StrutKind kind) { return a.kind() == kind; }
};

/// What triangulation needs of the graph besides the arcs.
struct MetaMeshData {
  exec::Buffer<Vec3d> nodes;
  exec::Buffer<StrutNodes> struts;
  exec::Buffer<StrutEnd> ends;
  exec::Buffer<Treatment> kinds;
  std::uint64_t block = 0;  ///< number of the block that it is of
};

}  // namespace tessera::lattice::detail
