// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/detail/edges.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

using HalfEdgesOfEdge = std::map<std::pair<Index, Index>, std::vector<Index>>;

HalfEdgesOfEdge brute_force_edges(const TriangleSoup& mesh) {
  HalfEdgesOfEdge edges;
  for (Index h = 0; h < 3 * mesh.triangles.size(); ++h) {
    const Triangle& t = mesh.triangles[h / 3];
    const Index a = t[static_cast<int>(h % 3)];
    const Index b = t[static_cast<int>((h % 3 + 1) % 3)];
    if (a != b) edges[{std::min(a, b), std::max(a, b)}].push_back(h);
  }
  return edges;
}

TEST(Edges, AgreeWithMap) {
  for (const NamedMesh& named : surface_meshes()) {
    SCOPED_TRACE(named.name);
    const TriangleSoup& mesh = named.mesh;
    const exec::Device device = test_device();
    const auto triangles = exec::upload(device, mesh.triangles);
    const detail::EdgeTable table =
        detail::build_edges(device, triangles.const_view(), mesh.positions.size());
    const auto vertices = exec::download(device, table.vertices);
    const auto offsets = exec::download(device, table.offsets);
    const auto half_edges = exec::download(device, table.half_edges);
    const auto edge_of = exec::download(device, table.edge_of);

    const HalfEdgesOfEdge expected = brute_force_edges(mesh);
    ASSERT_EQ(table.size(), expected.size());
    ASSERT_EQ(offsets.size(), expected.size() + 1);
    std::vector<Index> expected_edge_of(3 * mesh.triangles.size(), no_index);
    Index e = 0;
    for (const auto& [ends, halves] : expected) {
      EXPECT_EQ(vertices[e], (detail::VertexPair{ends.first, ends.second}));
      const std::vector<Index> found(half_edges.begin() + offsets[e],
                                     half_edges.begin() + offsets[e + 1]);
      EXPECT_EQ(found, halves);
      for (const Index h : halves) expected_edge_of[h] = e;
      ++e;
    }
    EXPECT_TRUE(std::equal(edge_of.begin(), edge_of.end(), expected_edge_of.begin(),
                           expected_edge_of.end()));
  }
}

TEST(Edges, LargestVertexNumbers) {
  // Keys of 64 bits, all used; no vertex of those numbers needs to exist for the edges.
  const Index last = no_index - 1;
  Array<Triangle> faces;
  faces.push_back({0, last, last - 1});
  faces.push_back({last, 0, last});
  const exec::Device device = test_device();
  const auto triangles = exec::upload(device, faces);
  const auto table = detail::build_edges(device, triangles.const_view(), no_index);
  const auto vertices = exec::download(device, table.vertices);
  ASSERT_EQ(table.size(), 3u);
  EXPECT_EQ(vertices[0], (detail::VertexPair{0, last - 1}));
  EXPECT_EQ(vertices[1], (detail::VertexPair{0, last}));
  EXPECT_EQ(vertices[2], (detail::VertexPair{last - 1, last}));
  EXPECT_EQ(exec::download(device, table.edge_of), (Array<Index>{1, 2, 0, 1, 1, no_index}));
}

}  // namespace
}  // namespace tessera::surface
