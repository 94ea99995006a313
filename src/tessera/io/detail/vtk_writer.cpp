// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// VTK's XML formats for triangles: PolyData (.vtp) and UnstructuredGrid (.vtu).
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "tessera/io/detail/vtk_xml_writer.h"
#include "tessera/io/detail/writers.h"

namespace tessera::io::detail {
namespace {

class Writer {
 public:
  explicit Writer(const Target& target)
      : target_(target), mesh_(target.mesh), xml_(target.file, target.encoding) {}

  void write_polydata() {
    const std::size_t faces = mesh_.triangles.size();
    begin("PolyData", fmt::format("NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"0\" "
                                  "NumberOfStrips=\"0\" NumberOfPolys=\"{}\"",
                                  mesh_.positions.size(), faces));
    xml_.put("<Polys>\n");
    add_triangles();
    xml_.put("</Polys>\n");
    xml_.finish("PolyData", target_.progress);
  }

  void write_unstructured_grid() {
    const std::size_t faces = mesh_.triangles.size();
    begin("UnstructuredGrid",
          fmt::format("NumberOfPoints=\"{}\" NumberOfCells=\"{}\"", mesh_.positions.size(), faces));
    xml_.put("<Cells>\n");
    add_triangles();
    xml_.add<std::uint8_t>("types", 1, faces,
                           [](std::uint64_t first, std::uint64_t last, std::uint8_t* out) {
                             constexpr std::uint8_t vtk_triangle = 5;
                             std::fill(out, out + (last - first), vtk_triangle);
                           });
    xml_.put("</Cells>\n");
    xml_.finish("UnstructuredGrid", target_.progress);
  }

 private:
  void begin(const char* type, const std::string& piece) {
    xml_.begin(type, piece);
    xml_.add_attributes("PointData", mesh_.vertex_attributes);
    xml_.add_attributes("CellData", mesh_.face_attributes);
    xml_.add_positions(mesh_.positions, target_.precision);
  }

  /// VTK keeps vertex numbers and offsets signed: 32 bits where they suffice.
  void add_triangles() {
    constexpr std::size_t limit = std::numeric_limits<std::int32_t>::max();
    if (mesh_.positions.size() <= limit && 3 * mesh_.triangles.size() <= limit)
      add_triangles_as<std::int32_t>();
    else
      add_triangles_as<std::int64_t>();
  }

  template <class T>
  void add_triangles_as() {
    const std::size_t faces = mesh_.triangles.size();
    const Index* corners = mesh_.triangles.empty() ? nullptr : mesh_.triangles[0].v;
    xml_.add<T>("connectivity", 1, 3 * faces,
                [corners](std::uint64_t first, std::uint64_t last, T* out) {
                  for (std::uint64_t i = first; i < last; ++i) *out++ = static_cast<T>(corners[i]);
                });
    xml_.add<T>("offsets", 1, faces, [](std::uint64_t first, std::uint64_t last, T* out) {
      for (std::uint64_t f = first; f < last; ++f) *out++ = static_cast<T>(3 * (f + 1));
    });
  }

  const Target& target_;
  const TriangleSoup& mesh_;
  VtkXmlWriter xml_;
};

}  // namespace

void write_vtp(const Target& target) {
  Writer(target).write_polydata();
}

void write_vtu(const Target& target) {
  Writer(target).write_unstructured_grid();
}

}  // namespace tessera::io::detail
