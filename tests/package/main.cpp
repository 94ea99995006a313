// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Uses every folder of the installed library once: a sphere, through a file, keeps its volume.
#include <cstdio>

#include <tessera/exec/exec.h>
#include <tessera/io/triangles.h>
#include <tessera/surface/analysis.h>
#include <tessera/surface/generate.h>
#include <tessera/surface/normals.h>
#include <tessera/surface/query.h>

struct CountNeighbors {
  tessera::exec::View<tessera::Index> counts;
  TESSERA_KERNEL void operator()(
      tessera::surface::Vertex v,
      const tessera::surface::Ring<tessera::surface::Vertex>& ring) const {
    counts[v.index] = ring.size();
  }
};

int main(int, char** argv) {
  using namespace tessera;
  const auto device = exec::Device::best();
  const auto sphere = surface::generate(device, surface::Shape::icosphere, {.faces = 20000});
  io::write_triangles(argv[1], sphere);
  const auto info = surface::analyze(device, io::read_triangles(argv[1]).mesh);
  exec::Buffer<int> numbers(exec::Device::cpu(), 1000);
  exec::fill(exec::Device::cpu(), numbers.view(), 1);
  const surface::PatchedMesh mesh(exec::Device::cpu(), sphere);
  exec::Buffer<Index> counts(mesh.stream(), mesh.vertices());
  surface::for_each<surface::Op::vv>(mesh, CountNeighbors{counts.view()});
  const auto ends = exec::reduce(mesh.stream(), counts.view(), std::uint64_t{0}, exec::Plus{});
  const auto normals = surface::vertex_normals(mesh, surface::positions_of(mesh, sphere));
  std::printf("volume %.3f, %zu normals\n", info.volume.value(), std::size_t{normals.size()});
  const bool right_edges = ends == 2 * info.edges;
  return info.closed && info.volume > 4.18 && info.volume < 4.19 && right_edges ? 0 : 1;
}
