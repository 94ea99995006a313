// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/k_ring.h"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "cancel.h"
#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

using Table = std::vector<std::vector<Index>>;

/// Breadth-first search from every vertex, in numbers of the input.
Table searched(const TriangleSoup& soup, int k) {
  std::vector<std::set<Index>> neighbours(soup.positions.size());
  for (const Triangle& t : soup.triangles)
    for (const Index a : t.v)
      for (const Index b : t.v)
        if (a != b) neighbours[a].insert(b);
  Table rings(soup.positions.size());
  for (Index v = 0; v < rings.size(); ++v) {
    std::set<Index> seen{v};
    std::vector<Index> last{v};
    for (int step = 0; step < k && !last.empty(); ++step) {
      std::vector<Index> next;
      for (const Index w : last)
        for (const Index u : neighbours[w])
          if (seen.insert(u).second) next.push_back(u);
      last = next;
    }
    seen.erase(v);
    rings[v].assign(seen.begin(), seen.end());
  }
  return rings;
}

void expect_as_searched(const PatchedMesh& mesh, const TriangleSoup& soup, int k) {
  const auto rings = k_ring(mesh, k);
  const auto offsets = exec::download(mesh.stream(), rings.offsets);
  const auto elements = exec::download(mesh.stream(), rings.elements);
  const Array<Index>& input = mesh.input_vertices();
  ASSERT_EQ(offsets.size(), mesh.vertices() + 1);
  Table found(mesh.vertices());
  for (Index v = 0; v < mesh.vertices(); ++v) {
    const auto begin = elements.begin() + offsets[v];
    const auto end = elements.begin() + offsets[v + 1];
    EXPECT_TRUE(std::is_sorted(begin, end));
    for (auto w = begin; w != end; ++w) found[input[v]].push_back(input[w->index]);
    std::sort(found[input[v]].begin(), found[input[v]].end());
  }
  EXPECT_EQ(found, searched(soup, k));
}

TEST(KRing, AgreesWithASearchFromEveryVertex) {
  for (const NamedMesh& named : surface_meshes()) {
    if (named.mesh.triangles.empty()) continue;
    SCOPED_TRACE(named.name);
    for (const int size : {16, 512}) {
      PatchOptions options;
      options.patch_faces = size;
      const PatchedMesh mesh(test_device(), named.mesh, options);
      for (const int k : {1, 2, 3}) expect_as_searched(mesh, named.mesh, k);
    }
  }
}

TEST(KRing, StopsWhereNothingIsLeft) {
  const TriangleSoup soup = generated(Shape::torus, 200);
  expect_as_searched(PatchedMesh(test_device(), soup), soup, 1000000000);
}

TEST(KRing, InSeveralBatches) {
  // About 28 million candidates for the third ring.
  const TriangleSoup soup = generated(Shape::torus, 500000);
  const PatchedMesh mesh(test_device(), soup);
  const auto rings = k_ring(mesh, 3);
  const auto offsets = exec::download(mesh.stream(), rings.offsets);
  const auto elements = exec::download(mesh.stream(), rings.elements);
  ASSERT_EQ(elements.size(), std::size_t{36} * mesh.vertices());
  for (Index v = 0; v < mesh.vertices(); ++v) {
    ASSERT_EQ(offsets[v], 36 * v);
    for (Index i = offsets[v]; i < offsets[v + 1]; ++i) {
      ASSERT_NE(elements[i].index, v);
      if (i > offsets[v]) {
        ASSERT_LT(elements[i - 1], elements[i]);
      }
    }
  }
}

TEST(KRing, Cancelled) {
  const PatchedMesh mesh(test_device(), generated(Shape::torus, 1000));
  for (int yes = 0; yes < 3; ++yes) {
    EXPECT_THROW(k_ring(mesh, 4, cancel_after(yes)), Cancelled);
  }
  EXPECT_NO_THROW(k_ring(mesh, 1, cancel_after(5)));
}

TEST(KRing, NeedsAtLeastOneEdge) {
  const PatchedMesh mesh(test_device(), tetrahedron());
  EXPECT_THROW(k_ring(mesh, 0), InputError);
  EXPECT_THROW(k_ring(mesh, -1), InputError);
}

}  // namespace
}  // namespace tessera::surface
