// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// A lattice of truncated octahedra as a closed mesh, coarse and fine, from one meta-mesh:
//   example_lattice OUT.stl
#include <cstdio>
#include <exception>

#include "tessera/io/facet_writer.h"
#include "tessera/lattice/generate.h"
#include "tessera/lattice/meta_mesh.h"
#include "tessera/lattice/triangulate.h"

int main(int argc, char** argv) try {
  using namespace tessera;
  lattice::GenerateOptions options;
  options.cell = lattice::CellType::kelvin;
  options.size = {4, 4, 4};
  options.radius = 0.04;
  options.top_radius = 0.02;
  const LatticeGraph graph = lattice::generate(options);

  const exec::Stream stream(exec::Device::best());
  const lattice::MetaMesh mesh = lattice::build_meta_mesh(stream, graph);
  std::printf("%u struts, %u arcs\n", mesh.struts(), mesh.arcs());
  for (const double chord_error : {0.1, 0.02}) {
    const exec::Buffer<Facet> facets = lattice::triangulate(mesh, chord_error, 0, mesh.struts());
    std::printf("%zu facets within %g of the radius\n", facets.size(), chord_error);
    if (argc < 2 || chord_error > 0.02) continue;
    io::FacetWriter file(argv[1]);
    file.append(exec::download(stream, facets));
    file.finish();
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
