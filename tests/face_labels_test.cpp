// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/face_labels.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

using Pair = std::pair<Index, Index>;

/// The faces at each edge, each once.
std::map<Pair, std::set<Index>> faces_at(const TriangleSoup& mesh) {
  std::map<Pair, std::set<Index>> edges;
  for (Index f = 0; f < mesh.triangles.size(); ++f)
    for (int k = 0; k < 3; ++k) {
      const Index a = mesh.triangles[f][k];
      const Index b = mesh.triangles[f][(k + 1) % 3];
      if (a != b) edges[std::minmax(a, b)].insert(f);
    }
  return edges;
}

TEST(FaceLabels, ComponentsAsATwinFindsThem) {
  for (const NamedMesh& named : surface_meshes()) {
    SCOPED_TRACE(named.name);
    const TriangleSoup& mesh = named.mesh;
    // Passes the smallest label on until nothing changes.
    std::vector<Index> label(mesh.triangles.size());
    std::iota(label.begin(), label.end(), 0);
    const auto edges = faces_at(mesh);
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [pair, faces] : edges)
        for (const Index f : faces)
          for (const Index g : faces)
            if (label[g] < label[f]) {
              label[f] = label[g];
              changed = true;
            }
    }
    const std::set<Index> roots(label.begin(), label.end());
    std::vector<Index> expected;
    for (const Index root : label)
      expected.push_back(static_cast<Index>(std::distance(roots.begin(), roots.find(root))));
    const Array<Index> found = component_of_faces(test_device(), mesh);
    EXPECT_EQ(std::vector<Index>(found.begin(), found.end()), expected);
  }
}

TEST(FaceLabels, SpecialSides) {
  for (const NamedMesh& named : surface_meshes()) {
    SCOPED_TRACE(named.name);
    const TriangleSoup& mesh = named.mesh;
    const auto edges = faces_at(mesh);
    const Array<std::uint8_t> found = special_sides(test_device(), mesh);
    ASSERT_EQ(found.size(), mesh.triangles.size());
    for (Index f = 0; f < found.size(); ++f) {
      unsigned expected = 0;
      for (int k = 0; k < 3; ++k) {
        const Index a = mesh.triangles[f][k];
        const Index b = mesh.triangles[f][(k + 1) % 3];
        if (a == b) continue;
        const std::size_t count = edges.at(std::minmax(a, b)).size();
        if (count == 1) expected |= 1U << k;
        if (count > 2) expected |= 8U << k;
      }
      EXPECT_EQ(found[f], expected) << "face " << f;
    }
  }
}

TEST(FaceLabels, BadInput) {
  TriangleSoup mesh = tetrahedron();
  mesh.triangles[0][0] = 7;
  EXPECT_THROW(component_of_faces(test_device(), mesh), InputError);
  EXPECT_THROW(special_sides(test_device(), mesh), InputError);
}

}  // namespace
}  // namespace tessera::surface
