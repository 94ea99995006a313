// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Make a mesh, look at it, write it: the program of the README.
#include <cstdio>

#include "tessera/io/triangles.h"
#include "tessera/surface/analysis.h"
#include "tessera/surface/generate.h"

int main(int argc, char** argv) {
  using namespace tessera;
  const exec::Device device = exec::Device::best();  // a GPU if there is one, else all CPU threads
  const TriangleSoup mesh = argc > 1 ? io::read_triangles(argv[1]).mesh
                                     : surface::generate(device, surface::Shape::torus);
  const surface::MeshInfo info = surface::analyze(device, mesh);
  std::printf("%zu vertices, %zu faces, %s, area %g\n", mesh.positions.size(),
              mesh.triangles.size(), info.closed ? "closed" : "open", info.area);
  io::write_triangles("first_program.glb", mesh);
}
