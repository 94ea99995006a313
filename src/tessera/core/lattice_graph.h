// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tessera/core/array.h"
#include "tessera/core/vec.h"

namespace tessera {

/// The two nodes that a strut joins.
using StrutNodes = Vec<Index, 2>;

/// A lattice as plain data: nodes in space, and struts between two of them with a radius at each
/// end. The solid it describes is the union of the struts, each the convex hull of two balls.
/// Nothing is promised about the quality: struts may have no length, occur twice, lie within one
/// another or end with several radii at one node; nodes may have no strut. Indices are in range,
/// coordinates finite, radii finite and not negative; validate() checks just that.
struct LatticeGraph {
  /// The ends of struts are numbered with 30 bits.
  static constexpr std::size_t max_struts = std::size_t{1} << 29;

  Array<Vec3d> nodes;
  Array<StrutNodes> struts;
  Array<Vec2f> radii;  ///< of each strut, at its first and at its second node

  /// Nothing if all is well, else one sentence naming the first element that is wrong.
  std::optional<std::string> validate() const;
};

}  // namespace tessera
