// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// How many vertices are within one, two and three edges of a vertex.
#include <cstdio>

#include "tessera/surface/generate.h"
#include "tessera/surface/k_ring.h"

using namespace tessera;

int main() {
  const exec::Device device = exec::Device::best();
  const TriangleSoup torus = surface::generate(device, surface::Shape::torus, {.faces = 100000});
  const surface::PatchedMesh mesh(device, torus);
  bool right = true;
  for (const int k : {1, 2, 3}) {
    const auto rings = surface::k_ring(mesh, k);
    const double mean = static_cast<double>(rings.elements.size()) / mesh.vertices();
    std::printf("within %d edges: %.2f vertices\n", k, mean);
    right = right && mean == 3 * k * (k + 1);  // every vertex of this torus has six neighbours
  }
  return right ? 0 : 1;
}
