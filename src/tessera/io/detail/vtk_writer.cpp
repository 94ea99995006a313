// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// VTK's XML formats with raw appended data: PolyData (.vtp) and UnstructuredGrid (.vtu).
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tessera/io/detail/binary_writer.h"
#include "tessera/io/detail/writers.h"

namespace tessera::io::detail {
namespace {

static_assert(std::endian::native == std::endian::little, "the header says LittleEndian");

template <class T>
constexpr const char* vtk_type() {
  if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? "Float32" : "Float64";
  else if constexpr (std::is_signed_v<T>)
    return sizeof(T) == 1 ? "Int8" : sizeof(T) == 2 ? "Int16" : sizeof(T) == 4 ? "Int32" : "Int64";
  else
    return sizeof(T) == 1 ? "UInt8" : sizeof(T) == 2 ? "UInt16" : "UInt32";
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\t' || c == '\n' || c == '\r')
      out += fmt::format("&#{};", static_cast<int>(c));
    else
      out += static_cast<unsigned char>(c) < ' ' ? '?' : c;  // XML has no other control characters
  }
  return out;
}

/// The well-known attributes that VTK has a role for.
std::string roles(const Attributes& attributes) {
  constexpr std::pair<const char*, const char*> known[] = {
      {"normal", "Normals"}, {"color", "Scalars"}, {"texcoord", "TCoords"}};
  std::string out;
  for (const auto& [name, role] : known)
    if (find(attributes, name) != nullptr) out += fmt::format(" {}=\"{}\"", role, name);
  return out;
}

class Writer {
 public:
  explicit Writer(const Target& target) : target_(target), mesh_(target.mesh) {}

  void write_polydata() {
    const std::size_t faces = mesh_.triangles.size();
    begin("PolyData", fmt::format("NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"0\" "
                                  "NumberOfStrips=\"0\" NumberOfPolys=\"{}\"",
                                  mesh_.positions.size(), faces));
    xml_ += "<Polys>\n";
    add_triangles();
    xml_ += "</Polys>\n";
    end("PolyData");
  }

  void write_unstructured_grid() {
    const std::size_t faces = mesh_.triangles.size();
    begin("UnstructuredGrid",
          fmt::format("NumberOfPoints=\"{}\" NumberOfCells=\"{}\"", mesh_.positions.size(), faces));
    xml_ += "<Cells>\n";
    add_triangles();
    add<std::uint8_t>("types", 1, faces, [this](Progress& progress) {
      append_binary(target_.file, mesh_.triangles.size(), 1, progress,
                    [](std::uint64_t first, std::uint64_t last, char* out) {
                      constexpr char vtk_triangle = 5;
                      std::memset(out, vtk_triangle, last - first);
                    });
    });
    xml_ += "</Cells>\n";
    end("UnstructuredGrid");
  }

 private:
  using Append = std::function<void(Progress&)>;

  struct Block {
    std::uint64_t bytes;
    Append append;
  };

  /// Announces an array in the XML; `append` will store its numbers.
  template <class T>
  void add(std::string_view name, int components, std::uint64_t elements, Append append) {
    const std::uint64_t bytes = elements * static_cast<std::uint64_t>(components) * sizeof(T);
    xml_ += fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" "
        "offset=\"{}\"/>\n",
        vtk_type<T>(), escaped(name), components, offset_);
    offset_ += sizeof(std::uint64_t) + bytes;
    blocks_.push_back({bytes, std::move(append)});
  }

  template <class T>
  void add(std::string_view name, int components, const Array<T>& values) {
    add<T>(name, components, values.size() / static_cast<std::size_t>(components),
           [this, &values](Progress& progress) {
             append_array(values.data(), values.size(), progress);
           });
  }

  template <class T>
  void append_array(const T* values, std::size_t count, Progress& progress) {
    append_binary(target_.file, {reinterpret_cast<const char*>(values), count * sizeof(T)},
                  progress);
  }

  void begin(const char* type, const std::string& piece) {
    xml_ = fmt::format(
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"{0}\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n<{0}>\n<Piece {1}>\n",
        type, piece);
    add_attributes("PointData", mesh_.vertex_attributes);
    add_attributes("CellData", mesh_.face_attributes);
    xml_ += "<Points>\n";
    if (target_.precision == Precision::float32)
      add<float>("Points", 3, mesh_.positions.size(),
                 [this](Progress& progress) { append_positions_as_float(progress); });
    else
      add<double>("Points", 3, mesh_.positions.size(), [this](Progress& progress) {
        append_array(mesh_.positions.data(), mesh_.positions.size(), progress);
      });
    xml_ += "</Points>\n";
  }

  void append_positions_as_float(Progress& progress) {
    append_binary(target_.file, mesh_.positions.size(), sizeof(Vec3f), progress,
                  [this](std::uint64_t first, std::uint64_t last, char* out) {
                    auto* floats = reinterpret_cast<Vec3f*>(out);
                    for (std::uint64_t v = first; v < last; ++v)
                      floats[v - first] = cast<float>(mesh_.positions[v]);
                  });
  }

  void add_attributes(const char* element, const Attributes& attributes) {
    xml_ += fmt::format("<{}{}>\n", element, roles(attributes));
    for (const Attribute& attribute : attributes)
      std::visit([&](const auto& values) { add(attribute.name, attribute.components, values); },
                 attribute.values);
    xml_ += fmt::format("</{}>\n", element);
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
    add<T>("connectivity", 1, 3 * faces, [this](Progress& progress) {
      append_binary(target_.file, mesh_.triangles.size(), 3 * sizeof(T), progress,
                    [this](std::uint64_t first, std::uint64_t last, char* out) {
                      T* corners = reinterpret_cast<T*>(out);
                      for (std::uint64_t f = first; f < last; ++f)
                        for (int i = 0; i < 3; ++i)
                          *corners++ = static_cast<T>(mesh_.triangles[f][i]);
                    });
    });
    add<T>("offsets", 1, faces, [this](Progress& progress) {
      append_binary(target_.file, mesh_.triangles.size(), sizeof(T), progress,
                    [](std::uint64_t first, std::uint64_t last, char* out) {
                      T* ends = reinterpret_cast<T*>(out);
                      for (std::uint64_t f = first; f < last; ++f)
                        *ends++ = static_cast<T>(3 * (f + 1));
                    });
    });
  }

  void end(const char* type) {
    xml_ += fmt::format("</Piece>\n</{}>\n<AppendedData encoding=\"raw\">\n_", type);
    target_.file.append(xml_);
    Progress progress(target_.progress, "writing", offset_);
    for (const Block& block : blocks_) {
      const auto* size = reinterpret_cast<const char*>(&block.bytes);
      target_.file.append({size, sizeof block.bytes});
      block.append(progress);
    }
    target_.file.append(std::string_view("\n</AppendedData>\n</VTKFile>\n"));
  }

  const Target& target_;
  const TriangleSoup& mesh_;
  std::string xml_;
  std::vector<Block> blocks_;
  std::uint64_t offset_ = 0;  ///< of the next block, counted from behind the underscore
};

}  // namespace

void write_vtp(const Target& target) {
  Writer(target).write_polydata();
}

void write_vtu(const Target& target) {
  Writer(target).write_unstructured_grid();
}

}  // namespace tessera::io::detail
