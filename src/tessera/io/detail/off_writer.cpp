// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <array>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "tessera/io/detail/lost_attributes.h"
#include "tessera/io/detail/text_writer.h"
#include "tessera/io/detail/writers.h"

namespace tessera::io::detail {
namespace {

/// OFF tells bytes from fractions by their values, and knows no other numbers.
bool has_usable_type(const Attribute& attribute) {
  return std::visit(
      []<class T>(const Array<T>&) {
        return std::is_floating_point_v<T> || std::is_same_v<T, std::uint8_t>;
      },
      attribute.values);
}

/// The attribute of that name, if OFF has room for it.
const Attribute* usable(const Attributes& attributes, std::string_view name, int least, int most) {
  const Attribute* found = find(attributes, name);
  if (found == nullptr || found->components < least || found->components > most) return nullptr;
  return has_usable_type(*found) ? found : nullptr;
}

/// The numbers of one element, each after a blank; nothing without an attribute.
void put_numbers(TextBuffer& text, const Attribute* attribute, std::size_t element) {
  if (attribute == nullptr) return;
  const auto n = static_cast<std::size_t>(attribute->components);
  std::visit(
      [&](const auto& values) {
        for (std::size_t i = element * n; i < (element + 1) * n; ++i) {
          text.put(' ');
          text.put(values[i]);
        }
      },
      attribute->values);
}

}  // namespace

void write_off(const Target& target) {
  const TriangleSoup& mesh = target.mesh;
  const Attribute* normals = usable(mesh.vertex_attributes, "normal", 3, 3);
  const Attribute* colors = usable(mesh.vertex_attributes, "color", 3, 4);
  const Attribute* texcoords = usable(mesh.vertex_attributes, "texcoord", 2, 2);
  const Attribute* face_colors = usable(mesh.face_attributes, "color", 3, 4);
  note_lost(target, "OFF", std::array{normals, colors, texcoords, face_colors});

  target.file.append(fmt::format("{}{}{}OFF\n{} {} 0\n", texcoords ? "ST" : "", colors ? "C" : "",
                                 normals ? "N" : "", mesh.positions.size(), mesh.triangles.size()));
  Progress progress(target.progress, "writing", mesh.positions.size() + mesh.triangles.size());
  append_text(target.file, mesh.positions.size(), progress,
              [&](std::size_t first, std::size_t last, TextBuffer& text) {
                for (std::size_t v = first; v < last; ++v) {
                  text.put(mesh.positions[v], target.precision);
                  put_numbers(text, normals, v);
                  put_numbers(text, colors, v);
                  put_numbers(text, texcoords, v);
                  text.put('\n');
                }
              });
  append_text(target.file, mesh.triangles.size(), progress,
              [&](std::size_t first, std::size_t last, TextBuffer& text) {
                for (std::size_t f = first; f < last; ++f) {
                  text.put('3');
                  for (const Index corner : mesh.triangles[f].v) {
                    text.put(' ');
                    text.put(corner);
                  }
                  put_numbers(text, face_colors, f);
                  text.put('\n');
                }
              });
}

}  // namespace tessera::io::detail
