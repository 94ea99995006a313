// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Volume meshes, in the form of tables 2 to 5 of Mueller-Roemer et al.:
//   tessera_volume_bench [--device cuda] [--threads N] --mesh FILE [--levels N]
// Beside each relation, the time of copying as many bytes as it reads and writes once.
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "mesh_bench.h"
#include "ratio_table.h"
#include "run.h"
#include "tessera/core/error.h"
#include "tessera/exec/buffer.h"
#include "tessera/io/polyhedra.h"
#include "tessera/volume/boundary.h"
#include "tessera/volume/build.h"
#include "tessera/volume/smooth.h"
#include "tessera/volume/subdivide.h"

namespace tessera::bench {
namespace {

using exec::Device;
using volume::Complex;

/// Copies so many bytes, of which half are read and half written.
class Copy {
 public:
  Copy(const Device& device, std::size_t bytes)
      : stream_(device), from_(stream_, bytes / 2), to_(stream_, bytes / 2) {}
  void run() { exec::copy_on_device(stream_, to_.view(), from_.const_view()); }

 private:
  exec::Stream stream_;
  exec::Buffer<char> from_;
  exec::Buffer<char> to_;
};

template <class View>
std::size_t bytes_of(const View& relation) {
  return relation.offsets.size() * sizeof(Index) + relation.entries.size() * sizeof(Index);
}

/// Bytes of a level of subdivision, and of all its relations.
void print_memory(Complex& complex, int level) {
  complex.vertex_edges();
  complex.edge_faces();
  complex.face_cells();
  const std::size_t coboundaries = complex.derived_bytes();
  const auto per_cell = [&](std::size_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(complex.cells());
  };
  std::printf("| %d | %u | %u | %u | %u | %zu | %.1f | %.1f |\n", level, complex.vertices(),
              complex.edges(), complex.faces(), complex.cells(), complex.bytes(),
              per_cell(complex.bytes()), per_cell(complex.bytes() + coboundaries));
  complex.purge();
}

}  // namespace

int run(int argc, char** argv) {
  const MeshArguments arguments(argc, argv);
  const Device& device = arguments.device;
  if (arguments.file.empty()) throw InputError("--mesh FILE is needed: a volume mesh");
  const PolyhedralSoup soup = io::read_polyhedra(arguments.file).mesh;
  Complex complex = volume::build_complex(device, soup).complex;
  std::cout << complex.cells() << " cells on " << device.name() << "\n\n"
            << "| level | vertices | edges | faces | cells | bytes | a cell | a cell with "
               "coboundaries |\n|---|---|---|---|---|---|---|---|\n";
  print_memory(complex, 0);
  for (int level = 1; level <= arguments.levels; ++level) {
    Complex fine = volume::subdivide(complex, {level, {}});
    print_memory(fine, level);
  }
  std::cout << '\n';

  std::vector<std::unique_ptr<Copy>> copies;
  const auto add_relation = [&](const std::string& name, std::size_t bytes_read, auto relation) {
    const std::size_t bytes = bytes_read + bytes_of((complex.*relation)());
    copies.push_back(std::make_unique<Copy>(device, bytes));
    Copy& copy = *copies.back();
    add_case(name + "/copy", device, [&copy] { copy.run(); });
    add_case(name + "/tessera", device, [&complex, relation] {
      complex.purge();
      (complex.*relation)();
    });
  };
  const std::size_t edge_bytes = complex.edge_vertices().size() * sizeof(volume::EdgeVertices);
  const std::size_t face_bytes = bytes_of(complex.face_edges());
  const std::size_t cell_bytes = bytes_of(complex.cell_faces());
  const std::size_t all_bytes = edge_bytes + face_bytes + cell_bytes;
  add_relation("vertex coboundary", edge_bytes, &Complex::vertex_edges);
  add_relation("edge coboundary", face_bytes, &Complex::edge_faces);
  add_relation("face coboundary", cell_bytes, &Complex::face_cells);
  add_relation("face vertices", edge_bytes + face_bytes, &Complex::face_vertices);
  add_relation("cell edges", face_bytes + cell_bytes, &Complex::cell_edges);
  add_relation("cell vertices", all_bytes, &Complex::cell_vertices);
  add_relation("vertex faces", edge_bytes + face_bytes, &Complex::vertex_faces);
  add_relation("edge cells", face_bytes + cell_bytes, &Complex::edge_cells);
  add_relation("vertex cells", all_bytes, &Complex::vertex_cells);

  complex.face_cells();
  add_case("boundary faces (face coboundary included)/tessera", device, [&] {
    complex.purge();
    volume::boundary_faces(complex);
  });
  add_case("boundary vertices (coboundaries included)/tessera", device, [&] {
    complex.purge();
    volume::boundary_flags(complex);
  });
  Complex moving = volume::subdivide(complex, {0, {}});
  for (const int passes : {1, 11})
    add_case("smoothing, " + std::to_string(passes) + " passes/tessera", device, [&moving, passes] {
      volume::smooth(moving, {passes, 1, {}, volume::BadCells::ignored});
    });
  add_case("building from corners of cells/tessera", device,
           [&] { volume::build_complex(device, soup); });
  add_case("subdivision, relations included/tessera", device, [&] {
    complex.purge();
    volume::subdivide(complex);
  });
  add_case("subdivision alone/tessera", device, [&] { volume::subdivide(complex); });

  benchmark::Initialize(&argc, argv);
  RatioTable table({"copy", "tessera"});
  benchmark::RunSpecifiedBenchmarks(&table);
  device.synchronize();
  return 0;
}

}  // namespace tessera::bench
