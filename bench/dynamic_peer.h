// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

#include "tessera/core/triangle_soup.h"

namespace tessera::bench {

/// A peer's own mesh is made before and turned back after what is timed.
struct PeerResult {
  TriangleSoup mesh;
  double seconds = 0;
};

/// CGAL's isotropic remeshing without constraints, with projection, on one thread.
PeerResult remesh_with_cgal(const TriangleSoup& mesh, double length, int iterations);

/// CGAL's edge collapse with Garland and Heckbert's quadrics, on one thread.
PeerResult simplify_with_cgal(const TriangleSoup& mesh, std::size_t faces);

/// meshoptimizer's simplification, on one thread.
PeerResult simplify_with_meshoptimizer(const TriangleSoup& mesh, std::size_t faces);

}  // namespace tessera::bench
