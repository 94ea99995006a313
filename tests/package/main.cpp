// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Uses every folder of the installed library once: a sphere, through a file, keeps its volume.
#include <cstdio>

#include <tessera/exec/exec.h>
#include <tessera/io/triangles.h>
#include <tessera/surface/analysis.h>
#include <tessera/surface/generate.h>

int main(int, char** argv) {
  using namespace tessera;
  const auto device = exec::Device::best();
  const auto sphere = surface::generate(device, surface::Shape::icosphere, {.faces = 20000});
  io::write_triangles(argv[1], sphere);
  const auto info = surface::analyze(device, io::read_triangles(argv[1]).mesh);
  exec::Buffer<int> numbers(exec::Device::cpu(), 1000);
  exec::fill(exec::Device::cpu(), numbers.view(), 1);
  std::printf("volume %.3f\n", info.volume.value());
  return info.closed && info.volume > 4.18 && info.volume < 4.19 ? 0 : 1;
}
