// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Writes a seed corpus, one folder a format: small meshes by our own writers in all encodings, and
// hand-written files with what our writers never produce.
//   tessera_fuzz_seeds FOLDER
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "tessera/io/triangles.h"
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

void write_oddities(const std::filesystem::path& root) {
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
  write_oddities(argv[1]);
}
