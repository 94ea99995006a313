// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/detail/connectivity.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

// Large enough that many threads flatten the same paths at once.
TEST(Connectivity, EveryFaceOfAComponentHasItsSmallestFaceAsLabel) {
  TriangleSoup mesh = generated(Shape::noisy_sphere, 300000);
  const auto first = static_cast<Index>(mesh.triangles.size());
  append(mesh, generated(Shape::torus, 200000));
  const exec::Device device = test_device();
  const auto triangles = exec::upload(device, mesh.triangles);
  const detail::EdgeTable edges =
      detail::build_edges(device, triangles.const_view(), mesh.positions.size());
  for (int repetition = 0; repetition < 5; ++repetition) {
    const Array<Index> labels = exec::download(
        device, detail::face_components(device, static_cast<Index>(mesh.triangles.size()), edges));
    EXPECT_EQ(std::count(labels.begin(), labels.begin() + first, 0), first);
    EXPECT_EQ(std::count(labels.begin() + first, labels.end(), first),
              static_cast<std::ptrdiff_t>(labels.size() - first));
  }
}

}  // namespace
}  // namespace tessera::surface
