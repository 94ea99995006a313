// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include "tessera/core/triangle_soup.h"

namespace tessera::bench {

/// A mesh library of one thread. Every query goes over all elements and stores every result.
class QueryPeer {
 public:
  virtual ~QueryPeer() = default;
  /// By the name of the operation: "VV", "VE", ...
  virtual void query(std::string_view operation) = 0;
  /// Normals of all vertices, by the library's own function.
  virtual void vertex_normals() = 0;
};

std::unique_ptr<QueryPeer> openmesh_peer(const TriangleSoup& mesh);
std::unique_ptr<QueryPeer> cgal_peer(const TriangleSoup& mesh);

}  // namespace tessera::bench
