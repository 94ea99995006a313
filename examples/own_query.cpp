// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// A query of one's own: how even a mesh is. For every vertex, the longest of its edges over the
// shortest; then where that is worst. The same source compiles with g++ (CPU) and nvcc (both).
#include <cstdio>

#include "tessera/surface/generate.h"
#include "tessera/surface/mesh_attribute.h"
#include "tessera/surface/query.h"

using namespace tessera;
using surface::Vertex;

struct Unevenness {
  surface::AttributeView<Vertex, const Vec3f> position;
  surface::AttributeView<Vertex, float> uneven;

  TESSERA_KERNEL void operator()(Vertex v, const surface::Ring<Vertex>& ring) const {
    float shortest = 0;
    float longest = 0;
    for (const Vertex w : ring) {
      const float edge = length(position[w] - position[v]);
      if (longest == 0 || edge < shortest) shortest = edge;
      if (edge > longest) longest = edge;
    }
    uneven[v] = shortest > 0 ? longest / shortest : 0;
  }
};

int main() {
  const exec::Device device = exec::Device::best();
  const TriangleSoup soup = surface::generate(device, surface::Shape::torus, {.faces = 1000000});
  const surface::PatchedMesh mesh(device, soup);
  const auto position = surface::positions_of(mesh, soup);
  surface::VertexAttribute<float> uneven(mesh, "uneven");
  surface::for_each<surface::Op::vv>(mesh, Unevenness{position.view(), uneven.view()});
  const auto worst = surface::maximum(mesh, uneven);
  const double mean = surface::sum(mesh, uneven) / static_cast<double>(mesh.vertices());
  std::printf("on %s: %u patches; mean %.3f, worst %.3f at vertex %u of the input\n",
              device.name().c_str(), mesh.patches(), mean, static_cast<double>(worst.value),
              mesh.input_vertices()[worst.element.index]);
  return mean > 1 && static_cast<double>(worst.value) >= mean ? 0 : 1;
}
