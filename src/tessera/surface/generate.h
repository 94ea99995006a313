// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/progress.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"

namespace tessera::surface {

enum class Shape {
  icosphere,     ///< unit sphere: an icosahedron, each face cut into f^2; 20 f^2 faces, f >= 1
  torus,         ///< radii 1 and 0.4, axis z; 2 m n faces, m around the axis, n around the tube
  plane,         ///< the unit square in z = 0, open; 2 m n faces
  cylinder,      ///< radius 1, height 2, axis z, closed by caps; 2 m n faces, m around the axis
  noisy_sphere,  ///< the icosphere with a random radius at each vertex
  soup           ///< random triangles, non-manifold edges, isolated vertices; any number of faces
};

struct GenerateOptions {
  /// Wanted. Of an icosphere the possible number nearest to it is made (at a tie the smaller one).
  /// A torus, plane or cylinder gets the m that makes its triangles best shaped, then the n that
  /// comes nearest: for many faces that is off by at most m. A soup has exactly that many.
  std::uint64_t faces = 100000;
  std::uint64_t seed = 1;  ///< of the random shapes; the others do not use it
  double noise = 0.05;     ///< noisy sphere: radii are uniform in [1 - noise, 1 + noise)
  /// Soup: the wanted share of edges with more than two faces, 0 to 1. They come in clumps of five
  /// vertices with all ten triangles between them, each of whose ten edges has three faces. The
  /// remaining faces are single triangles over a common pool of vertices, where they meet by
  /// chance. A tenth of the vertices is isolated. Orientations and all numbers are shuffled.
  double non_manifold_share = 0.3;
  ProgressCallback progress{};
};

/// Makes a mesh for tests and benchmarks. Closed shapes face outwards. Numbers depend on the
/// options alone, up to the last bits of sines that differ between a CPU and a GPU. Throws
/// InputError where the mesh would have no faces or more elements than TriangleSoup can name, or an
/// option is out of its range; Cancelled if the callback says so.
TriangleSoup generate(const exec::Stream& stream, Shape shape, const GenerateOptions& options = {});

}  // namespace tessera::surface
