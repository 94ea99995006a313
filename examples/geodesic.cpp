// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// How far it is from one vertex to all others along the surface, written for a viewer.
#include "tessera/surface/geodesic.h"

#include <cstdio>
#include <vector>

#include "tessera/io/triangles.h"
#include "tessera/surface/generate.h"

int main(int argc, char** argv) {
  using namespace tessera;
  const exec::Device device = exec::Device::best();
  TriangleSoup soup = argc > 1 ? io::read_triangles(argv[1]).mesh
                               : surface::generate(device, surface::Shape::torus);

  const surface::PatchedMesh mesh(device, soup);
  const auto positions = surface::positions_of(mesh, soup, soup.positions.front());
  const std::vector<Index> sources{0};
  const surface::GeodesicResult result = surface::geodesic_distance(mesh, positions, sources);
  std::printf("%u of %u vertices reached, at most %g away: vertex %u\n", result.reached,
              mesh.vertices(), static_cast<double>(result.max_distance), result.farthest_vertex);

  soup.vertex_attributes.push_back(
      {"distance", 1, surface::attribute_to_host(mesh, result.distance)});
  io::write_triangles("geodesic.ply", soup);
}
