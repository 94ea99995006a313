// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/flags.h"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

/// Whether the faces at the vertex hang together through edges at it.
bool is_one_fan(const TriangleSoup& soup, Index vertex) {
  std::vector<std::set<Index>> parts;  // neighbours that belong together
  for (const Triangle& t : soup.triangles)
    for (int k = 0; k < 3; ++k) {
      if (t[k] != vertex) continue;
      std::set<Index> part{t[(k + 1) % 3], t[(k + 2) % 3]};
      std::erase_if(parts, [&](const std::set<Index>& other) {
        const bool meets =
            std::any_of(part.begin(), part.end(), [&](Index v) { return other.count(v) != 0; });
        if (meets) part.insert(other.begin(), other.end());
        return meets;
      });
      parts.push_back(part);
    }
  return parts.size() <= 1;
}

TEST(Flags, AgreeWithTwin) {
  for (const NamedMesh& named : surface_meshes()) {
    if (named.mesh.triangles.empty()) continue;
    SCOPED_TRACE(named.name);
    const TriangleSoup& soup = named.mesh;
    PatchOptions options;
    options.patch_faces = 32;
    const PatchedMesh mesh(test_device(), soup, options);
    const Array<Flags> edge = attribute_to_host(mesh, edge_flags(mesh));
    const Array<Flags> vertex = attribute_to_host(mesh, vertex_flags(mesh));
    std::vector<Flags> expected(soup.positions.size());
    Index e = 0;
    for (const auto& [pair, at] : faces_at_edges(soup)) {
      const bool is_loop = pair.first == pair.second;
      EXPECT_EQ(edge[e].is_boundary(), at.size() == 1 && !is_loop);
      EXPECT_EQ(edge[e].is_non_manifold(), at.size() > 2 && !is_loop);
      expected[pair.first].bits |= edge[e].bits;
      expected[pair.second].bits |= edge[e].bits;
      ++e;
    }
    for (Index v = 0; v < soup.positions.size(); ++v) {
      if (!is_one_fan(soup, v)) expected[v].bits |= Flags::non_manifold;
      EXPECT_EQ(vertex[v], expected[v]) << "vertex " << v;
    }
  }
}

}  // namespace
}  // namespace tessera::surface
