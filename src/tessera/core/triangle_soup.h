// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "tessera/core/array.h"
#include "tessera/core/attribute.h"
#include "tessera/core/vec.h"

namespace tessera {

/// How precise the coordinates were where they came from, and so how a writer stores them.
enum class Precision { float32, float64 };

/// Indexed triangles as plain data: what files hold and what every surface algorithm starts from.
/// Nothing is promised about the quality: vertices may be unreferenced, faces degenerate,
/// duplicate, non-manifold or inconsistently oriented. Indices are in range and coordinates
/// finite; validate() checks just that. Ridges may be few, or none: most are found by their angle.
///
/// Coordinates are double so that a georeferenced scan keeps its millimetres; kernels that want
/// float subtract a local origin first.
struct TriangleSoup {
  Array<Vec3d> positions;
  Array<Triangle> triangles;
  Attributes vertex_attributes;
  Attributes face_attributes;
  /// Edges that somebody has marked: they stay edges, or become chains of them, however flat the
  /// surface is there.
  Array<VertexPair> ridges;
  Precision precision = Precision::float64;

  /// Nothing if all is well, else one sentence naming the first element that is wrong.
  std::optional<std::string> validate() const;
};

}  // namespace tessera
