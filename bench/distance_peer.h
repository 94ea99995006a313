// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "tessera/core/triangle_soup.h"

namespace tessera::bench {

/// Another library's closest-point queries, on one thread.
class DistancePeer {
 public:
  DistancePeer() = default;
  virtual ~DistancePeer() = default;
  DistancePeer(const DistancePeer&) = delete;
  DistancePeer& operator=(const DistancePeer&) = delete;

  /// Makes the tree, ready for queries.
  virtual void build() = 0;
  virtual Vec3d closest(const Vec3d& point) = 0;
};

/// CGAL's AABB tree of Simple_cartesian<double>; keeps the triangles.
std::unique_ptr<DistancePeer> cgal_distance_peer(const TriangleSoup& mesh);

}  // namespace tessera::bench
