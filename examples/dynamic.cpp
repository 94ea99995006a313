// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// An operation of one's own on a mesh that changes: flips edges that are longer than the one that
// would replace them, all over the mesh at once.
#include <iostream>

#include "tessera/surface/analysis.h"
#include "tessera/surface/dynamic_mesh.h"
#include "tessera/surface/generate.h"
#include "tessera/surface/operators.h"
#include "tessera/surface/update.h"

using namespace tessera;
using namespace tessera::surface;

struct FlipLonger {
  static constexpr Seed seed = Seed::edge;
  static constexpr Index new_faces = 0;
  static constexpr Index new_vertices = 0;
  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index h, Wish&) const {
    if (mesh.is_border(h)) return false;
    const auto squared = [&mesh](Index a, Index b) {
      return squared_length(mesh.positions[a] - mesh.positions[b]);
    };
    return squared(mesh.from(h), mesh.to(h)) >
           1.1 * squared(mesh.opposite(h), mesh.opposite(mesh.twins[h]));
  }
  TESSERA_KERNEL bool can(const DynamicView& mesh, Index h, Wish&) const {
    return can_flip(mesh, h);
  }
  TESSERA_KERNEL void take(const DynamicView& mesh, Index h, Cavity& cavity) const {
    take_flip(mesh, h, cavity);
  }
  TESSERA_KERNEL void fill(Index h, int, Filling& filling) const { fill_flip(h, filling); }
};

int main() {
  const exec::Device device = exec::Device::best();
  GenerateOptions options;
  options.faces = 20000;
  DynamicMesh mesh(device, generate(device, Shape::noisy_sphere, options));
  const UpdateReport done = update(mesh, FlipLonger{});
  std::cout << done.done << " flips in " << done.rounds << " rounds\n";
  if (const auto wrong = mesh.validate()) {
    std::cout << *wrong << '\n';
    return 1;
  }
  const MeshInfo info = analyze(device, mesh.to_soup());
  std::cout << "smallest angle " << info.min_angle << " degrees\n";
  return 0;
}
