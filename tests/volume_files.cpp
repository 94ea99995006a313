// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Writes volume meshes for volume_interop.py to read with other programs: tessera_volume_files
// FOLDER
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "volume_soups.h"

namespace {

using namespace tessera;
using namespace tessera::io;
using namespace tessera::io::testing;

PolyhedralSoup tetrahedra_alone(Index n) {
  PolyhedralSoup all = with_refs(mixed_mesh(n));
  PolyhedralSoup mesh;
  mesh.positions = all.positions;
  for (Index c = 0; c < all.cell_count() && all.cell_types[c] == CellType::tetrahedron; ++c) {
    const Index* v = all.cell_entries.data() + all.cell_offsets[c];
    add_cell(mesh, CellType::tetrahedron, {v[0], v[1], v[2], v[3]});
  }
  return mesh;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  std::ofstream expected(folder / "expected");
  const auto write = [&](const char* name, const PolyhedralSoup& mesh, Encoding encoding,
                         double volume) {
    WriteOptions options;
    options.encoding = encoding;
    write_polyhedra(folder / name, mesh, options);
    std::int64_t refs = 0;
    if (const Attribute* found = find(mesh.cell_attributes, "ref")) {
      const auto& values = std::get<Array<std::int32_t>>(found->values);
      refs = std::accumulate(values.begin(), values.end(), std::int64_t{0});
    }
    const bool has_polyhedra =
        !mesh.cell_types.empty() && mesh.cell_types[0] == CellType::polyhedron;
    expected << name << ' ' << mesh.positions.size() << ' ' << mesh.cell_count() << ' '
             << (has_polyhedra ? 0 : mesh.polygon_count()) << ' ' << volume << ' ' << refs << '\n';
  };
  constexpr Index n = 400;
  const PolyhedralSoup mixed = with_refs(mixed_mesh(n));
  // Some elements are in a physical group, all of them or none.
  PolyhedralSoup all_refs = mixed;
  all_refs.segment_attributes = {{"ref", 1, Array<std::int32_t>(mixed.segments.size(), 1)}};
  for (Attributes* attributes : {&all_refs.polygon_attributes, &all_refs.cell_attributes})
    for (std::int32_t& ref : std::get<Array<std::int32_t>>((*attributes)[0].values)) ref += 3;
  write("some-text.msh", mixed, Encoding::text, n);
  write("some-binary.msh", mixed, Encoding::binary, n);
  write("all-text.msh", all_refs, Encoding::text, n);
  write("all-binary.msh", all_refs, Encoding::binary, n);
  write("none-text.msh", mixed_mesh(n), Encoding::text, n);
  write("none-binary.msh", mixed_mesh(n), Encoding::binary, n);
  write("text.vtu", mixed, Encoding::text, n);
  write("raw.vtu", mixed, Encoding::binary, n);
  // Of MEDIT's cells gmsh knows tetrahedra and hexahedra.
  PolyhedralSoup cubes;
  cubes.positions = mixed.positions;
  for (Index i = 0; i < n; ++i) add_cell(cubes, CellType::hexahedron, cube_corners(i));
  write("gmsh-cubes.mesh", cubes, Encoding::text, n);
  write("mixed.mesh", mixed, Encoding::text, n);
  write("polyhedra.vtu", polyhedral_mesh(n), Encoding::text, n);
  write("cells.node", tetrahedra_alone(n), Encoding::text, n / 4.0);
}
