// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Lattices in the form of table 1 of Zou and Gao: meta-mesh, then triangles in the host's memory.
//   tessera_lattice_bench [--device cuda] [--threads N] [--largest STRUTS]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <vector>

#include "mesh_bench.h"
#include "run.h"
#include "tessera/exec/buffer.h"
#include "tessera/lattice/generate.h"
#include "tessera/lattice/meta_mesh.h"
#include "tessera/lattice/triangulate.h"

namespace tessera::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Times {
  double meta_mesh = 0;
  double triangles = 0;
  std::uint64_t facets = 0;
};

/// All triangles, block after block, through one block of host memory.
Times measure(const exec::Stream& stream, const LatticeGraph& graph, double chord_error) {
  Times times;
  auto start = Clock::now();
  const lattice::MetaMesh mesh = lattice::build_meta_mesh(stream, graph);
  stream.synchronize();
  times.meta_mesh = seconds_since(start);
  start = Clock::now();
  const Index block = stream.backend() == exec::Backend::cuda ? 1 << 18 : 1 << 15;
  exec::HostBuffer<Facet> host;
  for (Index first = 0; first < mesh.struts(); first += block) {
    const Index count = std::min(block, mesh.struts() - first);
    const exec::Buffer<Facet> facets = lattice::triangulate(mesh, chord_error, first, count);
    if (host.size() < facets.size())
      host = exec::HostBuffer<Facet>(stream, facets.size() + facets.size() / 4);
    exec::copy_to_host(stream, host.span().first(facets.size()), facets.const_view());
    stream.synchronize();
    times.facets += facets.size();
  }
  times.triangles = seconds_since(start);
  return times;
}

}  // namespace

int run(int argc, char** argv) {
  const MeshArguments arguments(argc, argv);
  const exec::Stream stream(arguments.device);
  std::cout
      << "lattices on " << arguments.device.name() << ", chord error 2 %\n\n"
      << "| cell | struts | meta-mesh s | triangles s | million struts a second | triangles a "
         "strut |\n|---|---|---|---|---|---|\n";
  for (const lattice::CellType cell :
       {lattice::CellType::cubic, lattice::CellType::octet, lattice::CellType::kelvin})
    for (const double wanted : {1.4e5, 1.6e6, 1.7e7}) {
      if (wanted > 1.1 * static_cast<double>(arguments.largest)) continue;
      const double struts_a_cell = cell == lattice::CellType::cubic ? 3 : 24;
      const auto side = static_cast<std::uint32_t>(std::cbrt(wanted / struts_a_cell));
      lattice::GenerateOptions options;
      options.cell = cell;
      options.size = {side, side, side};
      options.radius = 0.04;
      const LatticeGraph graph = lattice::generate(options);
      std::vector<Times> runs;
      for (int i = 0; i < 3; ++i) runs.push_back(measure(stream, graph, 0.02));
      std::sort(runs.begin(), runs.end(), [](const Times& a, const Times& b) {
        return a.meta_mesh + a.triangles < b.meta_mesh + b.triangles;
      });
      const Times& median = runs[1];
      const auto struts = static_cast<double>(graph.struts.size());
      std::printf("| %s | %zu | %.4f | %.4f | %.3f | %.2f |\n",
                  std::string(lattice::name_of(cell)).c_str(), graph.struts.size(),
                  median.meta_mesh, median.triangles,
                  struts / (median.meta_mesh + median.triangles) * 1e-6,
                  static_cast<double>(median.facets) / struts);
      std::fflush(stdout);
    }
  return 0;
}

}  // namespace tessera::bench
