// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Lattices in the form of tables 1 and 2 of Zou and Gao: from the lattice to all triangles in the
// host's memory, block after block.
//   tessera_lattice_bench [--device cuda] [--threads N] [--largest STRUTS] [--edges MESH.node]
//     [--disk FOLDER] [--peer]
// --edges adds the edges of a volume mesh, alone and as several copies side by side. --disk
// compares writing STL files with plain writing in blocks of 8 MiB. --peer compares with marching
// cubes.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "mesh_bench.h"
#include "run.h"
#include "tessera/exec/buffer.h"
#include "tessera/io/facet_writer.h"
#include "tessera/io/polyhedra.h"
#include "tessera/lattice/from_edges.h"
#include "tessera/lattice/generate.h"
#include "tessera/lattice/graph_blocks.h"
#include "tessera/lattice/meta_mesh.h"
#include "tessera/lattice/stream.h"

namespace tessera::bench {

void compare_with_marching_cubes(const exec::Device& device);

namespace {

using Clock = std::chrono::steady_clock;
constexpr double chord_error = 0.02;

template <class F>
double seconds(const F& f) {
  const auto start = Clock::now();
  f();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class F>
double median_of_three(const F& f) {
  std::vector<double> times;
  for (int i = 0; i < 3; ++i) times.push_back(f());
  std::sort(times.begin(), times.end());
  return times[1];
}

/// Copies of a lattice side by side.
LatticeGraph repeated(const LatticeGraph& graph, Index copies) {
  double width = 0;
  for (const Vec3d& p : graph.nodes) width = std::max(width, p[0] - graph.nodes[0][0]);
  LatticeGraph all;
  for (Index c = 0; c < copies; ++c) {
    const auto first = static_cast<Index>(all.nodes.size());
    for (const Vec3d& p : graph.nodes) all.nodes.push_back(p + Vec3d{3 * width * c, 0, 0});
    for (const StrutNodes& s : graph.struts) all.struts.push_back({first + s[0], first + s[1]});
    all.radii.insert(all.radii.end(), graph.radii.begin(), graph.radii.end());
  }
  return all;
}

/// A strut for each edge of a volume mesh, of a radius of 0.05 of the mean length.
LatticeGraph graph_of_edges(const std::string& file) {
  const PolyhedralSoup mesh = io::read_polyhedra(file).mesh;
  const Array<StrutNodes> edges = lattice::edges_of(mesh);
  double sum = 0;
  for (const StrutNodes& e : edges) sum += length(mesh.positions[e[1]] - mesh.positions[e[0]]);
  const auto radius = static_cast<float>(0.05 * sum / static_cast<double>(edges.size()));
  return lattice::lattice_from_edges(mesh.positions, edges,
                                     std::vector<float>(mesh.positions.size(), radius));
}

class Bench {
 public:
  explicit Bench(const exec::Device& device) : device_(device) {}

  static void start_table(const std::string& title) {
    std::cout
        << "\n| " << title
        << " | struts | s | million struts a second | triangles a strut | struts of their own "
           "|\n|---|---|---|---|---|---|\n";
  }

  void stream(const std::string& name, const LatticeSource& source) const {
    lattice::StreamReport report;
    const auto once = [&] {
      return seconds([&] {
        report = lattice::mesh_stream(device_, source, {chord_error}, {},
                                      [](std::size_t, std::uint64_t, std::span<const Facet>) {});
      });
    };
    const double time = source.struts() > 50'000'000 ? once() : median_of_three(once);
    const auto struts = static_cast<double>(report.struts);
    std::printf("| %s | %llu | %.3f | %.3f | %.2f | %.2f %% |\n", name.c_str(),
                static_cast<unsigned long long>(report.struts), time, struts / time * 1e-6,
                static_cast<double>(report.facets[0]) / struts,
                100 * static_cast<double>(report.treated.capsules) / struts);
    std::fflush(stdout);
  }

  void stream_cells(double largest) const {
    start_table("generated in blocks");
    using lattice::CellType;
    for (const CellType cell : {CellType::cubic, CellType::kelvin, CellType::octet})
      for (const double wanted : {1.4e5, 1.6e6, 1.7e7, 1e8, 1.02e9}) {
        if (wanted > 1.1 * largest || (cell != CellType::octet && wanted > 2e7)) continue;
        const auto side =
            static_cast<std::uint32_t>(std::cbrt(wanted / (cell == CellType::cubic ? 3 : 24)));
        lattice::GenerateOptions options;
        options.cell = cell;
        options.size = {side, side, side};
        options.radius = 0.04;
        stream(std::string(name_of(cell)),
               lattice::GeneratedBlocks(options, lattice::suitable_block(device_, {})));
      }
  }

  void stream_edges(const std::string& file, double largest) const {
    const LatticeGraph graph = graph_of_edges(file);
    meta_mesh("edges of a tetrahedral mesh", graph);
    start_table("edges of a tetrahedral mesh");
    for (const Index copies : {1U, 11U}) {
      if (static_cast<double>(graph.struts.size()) * copies > 1.1 * largest) continue;
      const lattice::GraphBlocks blocks(repeated(graph, copies),
                                        lattice::suitable_block(device_, {}));
      stream(copies == 1 ? "one" : "11 copies", blocks);
    }
  }

  /// The meta-mesh of a whole lattice in the device's memory, from the graph in the host's.
  void meta_mesh(const std::string& name, const LatticeGraph& graph) const {
    const exec::Stream stream(device_);
    Index arcs = 0;
    const double time = median_of_three([&] {
      return seconds([&] {
        arcs = lattice::build_meta_mesh(stream, graph).arcs();
        stream.synchronize();
      });
    });
    std::printf("\nmeta-mesh alone, %s: %zu struts, %u arcs, %.2f ms\n", name.c_str(),
                graph.struts.size(), arcs, 1e3 * time);
  }

  /// Arcs as they are, in 128 bits, beside the eleven floats of an elliptical arc.
  void transfer() const {
    lattice::GenerateOptions options{lattice::CellType::octet, {40, 40, 40}, 1, 0.04};
    const exec::Stream stream(device_);
    const lattice::MetaMesh mesh = lattice::build_meta_mesh(stream, lattice::generate(options));
    std::cout << "\n| arcs of the octet lattice, " << mesh.arcs()
              << " | MB | to the host ms | to the device ms |\n|---|---|---|---|\n";
    for (const std::size_t words : {4U, 11U}) {
      const std::size_t count = mesh.arcs() * words;
      exec::Buffer<std::uint32_t> there(stream, count);
      exec::HostBuffer<std::uint32_t> here(stream, count);
      std::fill(here.span().begin(), here.span().end(), 0U);
      const auto copy = [&](bool to_host) {
        return 1e3 * median_of_three([&] {
                 return seconds([&] {
                   if (to_host)
                     exec::copy_to_host(stream, here.span(), there.const_view());
                   else
                     exec::copy_to_device(stream, there.view(), here.span());
                   stream.synchronize();
                 });
               });
      };
      copy(false);
      std::printf("| %s | %.0f | %.2f | %.2f |\n", words == 4 ? "128 bits each" : "eleven floats",
                  static_cast<double>(count) * 4e-6, copy(true), copy(false));
    }
  }

  /// Both end when the bytes are on the disk.
  void disk(const std::string& folder, double largest) const {
    const std::string path = std::filesystem::path(folder) / "lattice-bench.stl";
    const auto side = static_cast<std::uint32_t>(std::cbrt(std::min(largest, 6e6) / 24));
    lattice::GenerateOptions options{lattice::CellType::octet, {side, side, side}, 1, 0.04};
    const lattice::GeneratedBlocks source(options, lattice::suitable_block(device_, {}));
    const auto flush = [&path] {
      const int fd = ::open(path.c_str(), O_RDONLY);
      ::fsync(fd);
      ::close(fd);
    };
    std::cout << "\n| STL file, octet lattice | GB | raw s | lattice s | share of the raw speed "
                 "|\n|---|---|---|---|---|\n";
    for (int run = 0; run < 3; ++run) {
      std::filesystem::remove(path);
      const double own = seconds([&] {
        io::FacetWriter writer(path);
        lattice::mesh_stream(device_, source, {chord_error}, {},
                             [&](std::size_t, std::uint64_t first, std::span<const Facet> facets) {
                               writer.write(first, facets);
                             });
        writer.finish();
        flush();
      });
      const std::uintmax_t bytes = std::filesystem::file_size(path);
      std::filesystem::remove(path);
      const double raw = seconds([&] {
        const std::vector<char> block(std::size_t{8} << 20, 'x');
        const int fd = ::open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
        for (std::uintmax_t left = bytes; left > 0;) {
          const ssize_t done =
              ::write(fd, block.data(), std::min<std::uintmax_t>(left, block.size()));
          if (done <= 0) break;
          left -= static_cast<std::uintmax_t>(done);
        }
        ::close(fd);
        flush();
      });
      std::printf("| run %d | %.2f | %.2f | %.2f | %.0f %% |\n", run + 1,
                  static_cast<double>(bytes) * 1e-9, raw, own, 100 * raw / own);
      std::fflush(stdout);
    }
    std::filesystem::remove(path);
  }

 private:
  exec::Device device_;
};

}  // namespace

int run(int argc, char** argv) {
  const MeshArguments arguments(argc, argv);
  std::cout << "lattices on " << arguments.device.name() << ", chord error 2 %\n";
  const Bench bench(arguments.device);
  const auto largest = static_cast<double>(arguments.largest);
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--edges" && i + 1 < argc) bench.stream_edges(argv[i + 1], largest);
    if (flag == "--disk" && i + 1 < argc) bench.disk(argv[i + 1], largest);
    if (flag == "--peer") compare_with_marching_cubes(arguments.device);
  }
  bench.stream_cells(largest);
  if (arguments.device.backend() == exec::Backend::cuda) bench.transfer();
  return 0;
}

}  // namespace tessera::bench
