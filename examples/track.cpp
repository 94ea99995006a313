// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// A sphere in a vortex of one's own: advect() moves it, improve() keeps its triangles well shaped.
#include "tessera/surface/track.h"

#include <cmath>
#include <cstdio>

#include "tessera/exec/device.h"
#include "tessera/io/triangles.h"
#include "tessera/surface/generate.h"

namespace {

using namespace tessera;
using namespace tessera::surface;

/// Around the z axis, the slower the farther away.
struct Vortex {
  TESSERA_KERNEL Vec3d operator()(const Vec3d& p, double /*time*/) const {
    return Vec3d{-p[1], p[0], 0} * (1 / (0.5 + p[0] * p[0] + p[1] * p[1]));
  }
};

}  // namespace

int main() {
  const exec::Device device = exec::Device::best();
  GenerateOptions faces;
  faces.faces = 5000;
  DynamicMesh mesh(device, generate(device, Shape::icosphere, faces));
  ImproveOptions edges;
  edges.shortest = 0.03;
  edges.longest = 0.08;
  constexpr double step = 0.05;
  for (int frame = 0; frame < 40; ++frame) {
    advect(mesh, Vortex{}, frame * step, step);
    improve(mesh, edges);
  }
  io::write_triangles("vortex.ply", mesh.to_soup());
  std::printf("vortex.ply: %u faces\n", mesh.faces());
}
