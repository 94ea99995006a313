// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Writes a seed corpus, one folder a format: small meshes by our own writers in all encodings, and
// hand-written files with what our writers never produce.
//   tessera_fuzz_seeds FOLDER
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tessera/io/lattice.h"
#include "tessera/io/lattice_file.h"
#include "tessera/io/polyhedra.h"
#include "tessera/io/triangles.h"
#include "tessera/lattice/generate.h"
#include "tessera/lattice/graph_blocks.h"
#include "tessera/lattice/stream.h"
#include "tessera/surface/generate.h"

namespace {

using namespace tessera;

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

TriangleSoup small_mesh(surface::Shape shape) {
  TriangleSoup mesh = surface::generate(exec::Device::cpu(1), shape, {.faces = 20});
  Array<float> heat(mesh.positions.size());
  for (std::size_t i = 0; i < heat.size(); ++i) heat[i] = 0.5f * static_cast<float>(i);
  mesh.vertex_attributes.push_back({"heat", 1, heat});
  mesh.vertex_attributes.push_back({"color", 3, Array<std::uint8_t>(3 * heat.size(), 200)});
  mesh.face_attributes.push_back({"ref", 1, Array<std::int32_t>(mesh.triangles.size(), 3)});
  return mesh;
}

void write_meshes(const std::filesystem::path& root) {
  for (const io::FormatInfo& format : io::formats()) {
    if (!format.readable) continue;
    const auto folder = root / std::string(format.extension.substr(1));
    std::filesystem::create_directories(folder);
    int number = 0;
    for (const auto shape :
         {surface::Shape::icosphere, surface::Shape::plane, surface::Shape::soup})
      for (const auto encoding :
           {io::Encoding::binary, io::Encoding::text, io::Encoding::binary_big_endian}) {
        io::WriteOptions options;
        options.format = format.format;
        options.encoding = encoding;
        options.precision = number % 2 == 0 ? Precision::float32 : Precision::float64;
        if (format.format == io::Format::stl && encoding == io::Encoding::binary_big_endian)
          continue;  // there is no such STL
        io::write_triangles(folder / ("mesh-" + std::to_string(number++)), small_mesh(shape),
                            options);
      }
  }
}

void write_lattices(const std::filesystem::path& root) {
  const auto folder = root / "3mf-beams";
  std::filesystem::create_directories(folder);
  for (const auto cell : {lattice::CellType::cubic, lattice::CellType::bcc})
    io::write_lattice(folder / (std::string(lattice::name_of(cell)) + ".3mf"),
                      lattice::generate({cell, {1, 1, 1}, 1, 0.1, 0.2}));

  const auto files = root / "tlat";
  std::filesystem::create_directories(files);
  const lattice::GraphBlocks blocks(lattice::generate({lattice::CellType::bcc, {1, 1, 2}, 1, 0.1}),
                                    9);
  io::LatticeFileWriter plain(files / "plain.tlat");
  for (std::uint64_t i = 0; i < blocks.blocks(); ++i) plain.append(blocks.block(i));
  plain.finish();
  io::LatticeFileWriter with_arcs(files / "arcs.tlat");
  lattice::meta_mesh_stream(exec::Device::cpu(1), blocks, {},
                            [&](const LatticeBlock& block) { with_arcs.append(block); });
  with_arcs.finish();
}

void add_cell(PolyhedralSoup& mesh, CellType type, const std::vector<Index>& entries) {
  mesh.cell_types.push_back(type);
  mesh.cell_entries.insert(mesh.cell_entries.end(), entries.begin(), entries.end());
  mesh.cell_offsets.push_back(static_cast<Index>(mesh.cell_entries.size()));
}

/// A cell of each type on the corners of a cube, with references.
PolyhedralSoup small_cells(bool with_others, bool with_polyhedron) {
  PolyhedralSoup mesh;
  for (int i = 0; i < 8; ++i)
    mesh.positions.push_back({(i + 1) / 2 % 2 * 1.0, i / 2 % 2 * 1.0, i / 4 * 1.0});
  add_cell(mesh, CellType::tetrahedron, {0, 1, 2, 4});
  if (with_others) {
    add_cell(mesh, CellType::pyramid, {0, 1, 2, 3, 4});
    add_cell(mesh, CellType::prism, {0, 1, 2, 4, 5, 6});
    add_cell(mesh, CellType::hexahedron, {0, 1, 2, 3, 4, 5, 6, 7});
    mesh.polygon_corners = {0, 1, 2, 0, 2, 4, 0, 4, 1, 1, 4, 2, 0, 1, 2, 3};
    mesh.polygon_offsets = {0, 3, 6, 9, 12, 16};
    mesh.segments = {{0, 1}};
  }
  if (with_polyhedron) add_cell(mesh, CellType::polyhedron, {0, 1, ~Index{2}, 3});
  mesh.vertex_attributes.push_back({"ref", 1, Array<std::int32_t>(8, 3)});
  mesh.cell_attributes.push_back({"ref", 1, Array<std::int32_t>(mesh.cell_count(), 5)});
  return mesh;
}

void write_cells(const std::filesystem::path& root) {
  for (const io::FormatInfo& format : io::formats()) {
    if (!format.cells_writable) continue;
    const auto folder = root / (std::string(format.extension.substr(1)) + "-cells");
    std::filesystem::create_directories(folder);
    for (const auto encoding : {io::Encoding::binary, io::Encoding::text}) {
      io::WriteOptions options;
      options.format = format.format;
      options.encoding = encoding;
      const auto name = encoding == io::Encoding::text ? "mesh-text" : "mesh-binary";
      io::write_polyhedra(
          folder / name,
          small_cells(format.format != io::Format::tetgen, format.format == io::Format::vtu),
          options);
    }
  }
}

void write_odd_cells(const std::filesystem::path& root) {
  std::filesystem::create_directories(root / "ovm-cells");
  std::filesystem::create_directories(root / "tetgen_elements");
  write_text(root / "ovm-cells/odd",
             "OVM ASCII\nVertices\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\nEdges\n6\n0 1\n1 2\n2 0\n0 3\n"
             "1 3\n2 3\nFaces\n4\n3 0 2 4\n3 0 8 7\n3 2 10 9\n3 4 6 11\nPolyhedra\n1\n"
             "4 1 2 4 6\nVertex_Property int \"a\"\n1\n2\n3\n4\n");
  write_text(root / "tetgen_elements/odd",
             std::string("# points\n4 3 1 1\n0 0 0 0 .5 1\n1 1 0 0 .5 1\n2 0 1 0 .5 1\n"
                         "3 0 0 1 .5 0\n") +
                 '\0' + "# cells\n1 4 1\n0 0 1 2 3 7\n");
  write_text(root / "mesh-cells/odd",
             "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 1\n1 0 0 0\n1 1 0 0\n"
             "0 1 1 2\nWedges 1\n1 2 3 4 1 2 9\nHexaedra\n1\n1 2 3 4 1 2 3 4 0\nEdges 1\n1 2 3\n"
             "Corners\n1\n1\nEnd\n");
  write_text(root / "msh-cells/old",
             "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n7 1 0 0\n3 0 1 0\n"
             "400 0 0 1\n$EndNodes\n$Elements\n3\n1 15 2 0 1 1\n2 2 2 5 1 1 7 3\n"
             "3 4 2 5 1 1 7 3 400\n$EndElements\n$NodeData\n1\n$EndNodeData\n");
  std::string old = "$MeshFormat\n2.2 1 8\n";
  const auto put = [&](auto value) {
    old.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  put(std::int32_t{1});
  old += "\n$EndMeshFormat\n$Nodes\n4\n";
  for (std::int32_t i = 1; i <= 4; ++i) {
    put(i);
    for (int k = 0; k < 3; ++k) put(i == k ? 1.0 : 0.0);
  }
  old += "\n$EndNodes\n$Elements\n1\n";
  for (const std::int32_t number : {4, 1, 2, 1, 5, 1, 1, 2, 3, 4}) put(number);
  write_text(root / "msh-cells/old-binary", old + "\n$EndElements\n");
  write_text(root / "vtu-cells/odd",
             "<?xml version=\"1.0\"?>\n<!-- a --><VTKFile type='UnstructuredGrid' "
             "byte_order=\"BigEndian\"><UnstructuredGrid><FieldData/><Piece NumberOfPoints=\"4\" "
             "NumberOfCells=\"2\"><Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" "
             "format=\"ascii\">0 0 0 1 0 0 1 1 0 0 1 nan</DataArray></Points><Cells>"
             "<DataArray type=\"Int64\" Name=\"connectivity\" format=\"binary\">"
             "AAAAOAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAgAAAAAAAAADAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAC"
             "</DataArray><DataArray type=\"Int32\" Name=\"offsets\">4 7</DataArray>"
             "<DataArray type=\"UInt8\" Name=\"types\">8 22</DataArray></Cells><CellData>"
             "<DataArray type=\"Int64\" Name=\"a&amp;b\">1 2</DataArray></CellData></Piece>"
             "</UnstructuredGrid></VTKFile>\n");
}

void write_oddities(const std::filesystem::path& root) {
  std::filesystem::create_directories(root / "ridges");
  write_text(root / "ridges/odd",  // the first byte is the number of vertices, see fuzz_ridges.cpp
             "\n1 2\n# none\n  10 3 # one\r\n");
  std::filesystem::create_directories(root / "sol");
  write_text(root / "sol/odd",  // the first byte is the number of vertices, see fuzz_sol.cpp
             "\2MeshVersionFormatted 2\nDimension 3\nSolAtVertices\n2\n3 1 2 3\n"
             "1 2 3 4 5 6 7 8 9 10\n1 2 3 4 5 6 7 8 9 nan\nEnd\n");
  write_text(
      root / "obj/odd",
      "# comment\r\nv 0 0 0 1 0 0\r\nv 1 0 0 0 1 0\nv 1 1e0 0\nv +.0 1. -0 1\nvt 0 0\nvn 0 0 1\n"
      "g a\nusemtl b\nf 1/1/1 2/1/1 3//1 \\\n -1\nf -3 -2 -1\nf 1 2\nl 1 2\n");
  write_text(root / "ply/odd",
             "ply\nformat ascii 1.0\ncomment odd\nelement vertex 4\nproperty double x\n"
             "property float y\nproperty int z\nproperty uchar red\nproperty uchar green\n"
             "property uchar blue\nelement face 2\nproperty list uchar uint vertex_index\n"
             "property list uchar float texcoord\nelement edge 1\nproperty int a\nend_header\n"
             "0 0 0 1 2 3\n1 0 0 1 2 3\n1 1 0 1 2 3\n0 1 0 1 2 3\n4 0 1 2 3 2 .5 .5\n"
             "3 0 1 2 2 1 1\n7\n");
  write_text(root / "ply/strips",
             "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
             "property float z\nelement tristrips 1\nproperty list int int vertex_indices\n"
             "end_header\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n9 0 1 2 3 -1 0 1 2 -1\n");
  write_text(root / "stl/odd",
             "SOLID a b\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   VERTEX 1 0 0\n"
             "   vertex 0 1e-3 0\n  endloop\n endfacet\nendsolid a\nsolid\nendsolid\n");
  write_text(root / "off/odd",
             "COFF # colours\n\n4 2 0\n0 0 0 255 0 0 255\n1 0 0 0 255 0 255\n1 1 0 0 0 255 255\n"
             "0 1 0 9 9 9 9\n4 0 1 2 3 1 0 0\n3 0 1 2\n");
  write_text(root / "mesh/odd",
             "MeshVersionFormatted 2\nDimension 3\n# comment\nVertices\n4\n0 0 0 1\n1 0 0 0\n"
             "1 1 0 0\n0 1 0 2\nQuadrilaterals 1\n1 2 3 4 7\nTriangles\n1\n1 2 3 0\nCorners\n1\n1\n"
             "Edges\n1\n1 2 3\nEnd\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  write_meshes(argv[1]);
  write_lattices(argv[1]);
  write_oddities(argv[1]);
  write_cells(argv[1]);
  write_odd_cells(argv[1]);
}
