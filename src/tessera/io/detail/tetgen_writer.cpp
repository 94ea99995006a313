// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// TetGen's .node and .ele files, numbered from 1.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tessera/io/detail/cells.h"
#include "tessera/io/detail/lost_attributes.h"
#include "tessera/io/detail/text_writer.h"

namespace tessera::io::detail {

void write_tetgen_nodes(const CellTarget& target) {
  const PolyhedralSoup& mesh = target.mesh;
  require_cells(target, {CellType::tetrahedron}, "TetGen");
  const Attribute* refs = find_refs(mesh.vertex_attributes);
  std::vector<const Attribute*> fields;
  std::string names;
  int numbers = 0;
  for (const Attribute& attribute : mesh.vertex_attributes) {
    if (&attribute == refs) continue;
    fields.push_back(&attribute);
    numbers += attribute.components;
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", attribute.name);
  }
  if (!fields.empty())
    target.result.notes.push_back(
        fmt::format("TetGen files keep no names, here of vertex attributes {}", names));

  target.file.append(
      fmt::format("{} 3 {} {}\n", mesh.positions.size(), numbers, refs != nullptr ? 1 : 0));
  Progress progress(target.progress, "writing points", mesh.positions.size());
  append_text(target.file, mesh.positions.size(), progress,
              [&](std::size_t first, std::size_t last, TextBuffer& text) {
                for (std::size_t v = first; v < last; ++v) {
                  text.put(static_cast<std::uint64_t>(v + 1));
                  text.put(' ');
                  text.put(mesh.positions[v], target.precision);
                  for (const Attribute* field : fields)
                    std::visit(
                        [&](const auto& values) {
                          const auto n = static_cast<std::size_t>(field->components);
                          for (std::size_t k = v * n; k < (v + 1) * n; ++k) {
                            text.put(' ');
                            text.put(values[k]);
                          }
                        },
                        field->values);
                  if (refs != nullptr) {
                    text.put(' ');
                    put_ref_number(text, refs, v);
                  }
                  text.put('\n');
                }
              });
}

void write_tetgen_elements(const CellTarget& target) {
  const PolyhedralSoup& mesh = target.mesh;
  const Attribute* refs = find_refs(mesh.cell_attributes);
  const std::vector<const Attribute*> kept{refs};
  std::vector<std::string>& notes = target.result.notes;
  if (!mesh.segments.empty())
    notes.push_back(fmt::format("TetGen files have no room for {} edges", mesh.segments.size()));
  if (mesh.polygon_count() > 0)
    notes.push_back(fmt::format("TetGen files have no room for {} polygons", mesh.polygon_count()));
  note_lost(notes, "TetGen", mesh.cell_attributes, "cell", kept);

  target.file.append(fmt::format("{} 4 {}\n", mesh.cell_count(), refs != nullptr ? 1 : 0));
  Progress progress(target.progress, "writing tetrahedra", mesh.cell_count());
  append_text(target.file, mesh.cell_count(), progress,
              [&](std::size_t first, std::size_t last, TextBuffer& text) {
                for (std::size_t c = first; c < last; ++c) {
                  text.put(static_cast<std::uint64_t>(c + 1));
                  for (int k = 0; k < 4; ++k) {
                    text.put(' ');
                    text.put(mesh.cell_entries[mesh.cell_offsets[c] + static_cast<Index>(k)] + 1);
                  }
                  if (refs != nullptr) {
                    text.put(' ');
                    put_ref_number(text, refs, c);
                  }
                  text.put('\n');
                }
              });
}

}  // namespace tessera::io::detail
