// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "tessera/io/detail/binary_writer.h"
#include "tessera/io/detail/lost_attributes.h"
#include "tessera/io/detail/stl_layout.h"
#include "tessera/io/detail/text_writer.h"
#include "tessera/io/detail/writers.h"

namespace tessera::io::detail {
namespace {

/// Of unit length; zero for a degenerate face.
Vec3f normal(const TriangleSoup& mesh, const Triangle& t) {
  const Vec3d a = mesh.positions[t[0]];
  const Vec3d area = cross(mesh.positions[t[1]] - a, mesh.positions[t[2]] - a);
  const double size = length(area);
  return size > 0 && std::isfinite(size) ? cast<float>(area * (1 / size)) : Vec3f{};
}

/// The attribute that fills the 16 spare bits of each face, or nullptr.
const Attribute* spare_bits(const TriangleSoup& mesh) {
  const Attribute* attribute = find(mesh.face_attributes, StlLayout::attribute_name);
  const bool fits = attribute != nullptr && attribute->components == 1 &&
                    std::holds_alternative<Array<std::uint16_t>>(attribute->values);
  return fits ? attribute : nullptr;
}

void write_binary(const Target& target) {
  const TriangleSoup& mesh = target.mesh;
  std::array<char, StlLayout::faces_offset> header{};
  constexpr std::string_view title = "binary STL written by Tessera";  // must not start with solid
  title.copy(header.data(), title.size());
  const auto count = static_cast<std::uint32_t>(mesh.triangles.size());
  std::memcpy(header.data() + StlLayout::count_offset, &count, sizeof count);
  target.file.append(header);

  const Attribute* spare = spare_bits(mesh);
  const std::uint16_t* bits =
      spare == nullptr ? nullptr : std::get<Array<std::uint16_t>>(spare->values).data();
  Progress progress(target.progress, "writing", mesh.triangles.size() * StlLayout::face_size);
  append_binary(target.file, mesh.triangles.size(), StlLayout::face_size, progress,
                [&](std::uint64_t first, std::uint64_t last, char* out) {
                  for (std::uint64_t f = first; f < last; ++f, out += StlLayout::face_size) {
                    const Triangle& t = mesh.triangles[f];
                    const std::array<Vec3f, 4> numbers{
                        normal(mesh, t), cast<float>(mesh.positions[t[0]]),
                        cast<float>(mesh.positions[t[1]]), cast<float>(mesh.positions[t[2]])};
                    const std::uint16_t attribute = bits == nullptr ? std::uint16_t{0} : bits[f];
                    std::memcpy(out, &numbers, sizeof numbers);
                    std::memcpy(out + StlLayout::attribute_offset, &attribute, sizeof attribute);
                  }
                });
}

void write_text(const Target& target) {
  const TriangleSoup& mesh = target.mesh;
  Progress progress(target.progress, "writing", mesh.triangles.size());
  target.file.append(std::string_view("solid tessera\n"));
  append_text(target.file, mesh.triangles.size(), progress,
              [&](std::size_t first, std::size_t last, TextBuffer& text) {
                for (std::size_t f = first; f < last; ++f) {
                  const Triangle& t = mesh.triangles[f];
                  text.put("facet normal ");
                  text.put(cast<double>(normal(mesh, t)), Precision::float32);
                  text.put("\n outer loop\n");
                  for (const Index corner : t.v) {
                    text.put("  vertex ");
                    text.put(mesh.positions[corner], Precision::float32);
                    text.put('\n');
                  }
                  text.put(" endloop\nendfacet\n");
                }
              });
  target.file.append(std::string_view("endsolid tessera\n"));
}

}  // namespace

void write_stl(const Target& target) {
  const bool text = target.encoding == Encoding::text;
  const Attribute* kept = text ? nullptr : spare_bits(target.mesh);
  note_lost(target, "STL", {&kept, 1});
  target.result.vertices.reset();
  if (const std::size_t lost = count_unreferenced(target.mesh); lost > 0)
    target.result.notes.push_back(
        fmt::format("STL files have no room for vertices without a face: {} were left out", lost));
  if (target.encoding == Encoding::binary_big_endian)
    target.result.notes.push_back("STL files are little-endian: big-endian was not used");
  text ? write_text(target) : write_binary(target);
}

}  // namespace tessera::io::detail
