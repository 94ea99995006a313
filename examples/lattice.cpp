// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// A lattice of truncated octahedra as a closed mesh, coarse and fine, from one meta-mesh, and a
// larger one as a stream:
//   example_lattice OUT.stl
#include <cstdio>
#include <exception>

#include "tessera/io/facet_writer.h"
#include "tessera/lattice/generate.h"
#include "tessera/lattice/meta_mesh.h"
#include "tessera/lattice/stream.h"
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
    file.write(0, exec::download(stream, facets));
    file.finish();
  }

  // A lattice of any size: only some blocks of it exist at a time.
  options.size = {24, 24, 24};
  const exec::Device device = exec::Device::best();
  const lattice::GeneratedBlocks blocks(options, lattice::suitable_block(device, {}));
  const lattice::StreamReport report = lattice::mesh_stream(
      device, blocks, {0.02}, {}, [](std::size_t, std::uint64_t, std::span<const Facet>) {
        // Several threads bring facets here; io::FacetWriter::write() could take them.
      });
  std::printf("%llu struts in %llu blocks: %llu facets\n",
              static_cast<unsigned long long>(report.struts),
              static_cast<unsigned long long>(blocks.blocks()),
              static_cast<unsigned long long>(report.facets[0]));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
