// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <limits>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

#include "tessera/io/detail/lost_attributes.h"
#include "tessera/io/detail/text_writer.h"
#include "tessera/io/detail/writers.h"

namespace tessera::io::detail {
namespace {

/// Colours go behind the coordinates, where many programs look for them, as fractions of 1.
struct ColorColumn {
  const Attribute* attribute;

  void put(std::size_t vertex, TextBuffer& text) const {
    std::visit(
        [&]<class T>(const Array<T>& values) {
          const std::size_t first = vertex * static_cast<std::size_t>(attribute->components);
          for (std::size_t i = first; i < first + 3; ++i) {
            text.put(' ');
            if constexpr (std::is_floating_point_v<T>)
              text.put(values[i]);
            else
              text.put(static_cast<float>(values[i]) /
                       static_cast<float>(std::numeric_limits<T>::max()));
          }
        },
        attribute->values);
  }
};

}  // namespace

void write_obj(const Target& target) {
  const TriangleSoup& mesh = target.mesh;
  const Attribute* color = find(mesh.vertex_attributes, "color");
  if (color != nullptr && color->components != 3 && color->components != 4) color = nullptr;
  note_lost(target, "OBJ", {&color, 1});
  if (color != nullptr && color->components == 4)
    target.result.notes.push_back("OBJ files have no room for the opacity of colours");

  Progress progress(target.progress, "writing", mesh.positions.size() + mesh.triangles.size());
  target.file.append(
      fmt::format("# {} vertices, {} faces\n", mesh.positions.size(), mesh.triangles.size()));
  append_text(target.file, mesh.positions.size(), progress,
              [&](std::size_t first, std::size_t last, TextBuffer& text) {
                for (std::size_t i = first; i < last; ++i) {
                  text.put("v ");
                  text.put(mesh.positions[i], target.precision);
                  if (color != nullptr) ColorColumn{color}.put(i, text);
                  text.put('\n');
                }
              });
  append_text(target.file, mesh.triangles.size(), progress,
              [&](std::size_t first, std::size_t last, TextBuffer& text) {
                for (std::size_t i = first; i < last; ++i) {
                  text.put('f');
                  for (const Index corner : mesh.triangles[i].v) {
                    text.put(' ');
                    text.put(corner + 1);  // no vertex has the largest number
                  }
                  text.put('\n');
                }
              });
}

}  // namespace tessera::io::detail
