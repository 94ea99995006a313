// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// MEDIT's text format with volume cells, as MMG and others read it.
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tessera/io/detail/cells.h"
#include "tessera/io/detail/lost_attributes.h"
#include "tessera/io/detail/select.h"
#include "tessera/io/detail/sol.h"
#include "tessera/io/detail/text_writer.h"

namespace tessera::io::detail {
namespace {

class Writer {
 public:
  explicit Writer(const CellTarget& target)
      : target_(target),
        mesh_(target.mesh),
        progress_(target.progress, "writing",
                  mesh_.positions.size() + mesh_.segments.size() + mesh_.polygon_count() +
                      mesh_.cell_count()) {}

  void write() {
    require_cells(target_,
                  {CellType::tetrahedron, CellType::pyramid, CellType::prism, CellType::hexahedron},
                  "MEDIT");
    note_losses();
    target_.file.append(fmt::format("MeshVersionFormatted {}\n\nDimension 3\n\nVertices\n{}\n",
                                    target_.precision == Precision::float32 ? 1 : 2,
                                    mesh_.positions.size()));
    const Attribute* refs = find_refs(mesh_.vertex_attributes);
    append_text(target_.file, mesh_.positions.size(), progress_,
                [&](std::size_t first, std::size_t last, TextBuffer& text) {
                  for (std::size_t v = first; v < last; ++v) {
                    text.put(mesh_.positions[v], target_.precision);
                    put_ref(text, refs, v);
                  }
                });
    write_segments();
    write_polygons("Triangles", 3);
    write_polygons("Quadrilaterals", 4);
    write_cells("Tetrahedra", CellType::tetrahedron);
    write_cells("Pyramids", CellType::pyramid);
    write_cells("Prisms", CellType::prism);
    write_cells("Hexahedra", CellType::hexahedron);
    target_.file.append(std::string_view("\nEnd\n"));
  }

 private:
  void note_losses() {
    std::vector<const Attribute*> kept{
        find_refs(mesh_.vertex_attributes), find_refs(mesh_.segment_attributes),
        find_refs(mesh_.polygon_attributes), find_refs(mesh_.cell_attributes)};
    for (const Attribute& a : mesh_.vertex_attributes)
      if (is_field(a)) kept.push_back(&a);  // in the .sol file
    std::vector<std::string>& notes = target_.result.notes;
    note_lost(notes, "MEDIT", mesh_.vertex_attributes, "vertex", kept);
    note_lost(notes, "MEDIT", mesh_.segment_attributes, "edge", kept);
    note_lost(notes, "MEDIT", mesh_.polygon_attributes, "polygon", kept);
    note_lost(notes, "MEDIT", mesh_.cell_attributes, "cell", kept);
    note_large_polygons(target_, "MEDIT");
  }

  void put_ref(TextBuffer& text, const Attribute* refs, std::size_t element) const {
    text.put(' ');
    put_ref_number(text, refs, element);
    text.put('\n');
  }

  /// The section of these elements, if there are any; corners(e) points at the first of `size`
  /// vertex numbers.
  template <class Corners>
  void write_section(std::string_view keyword, const Array<Index>& elements, Index size,
                     const Attribute* refs, const Corners& corners) {
    if (elements.empty()) return;
    target_.file.append(fmt::format("\n{}\n{}\n", keyword, elements.size()));
    append_text(target_.file, elements.size(), progress_,
                [&](std::size_t first, std::size_t last, TextBuffer& text) {
                  for (std::size_t i = first; i < last; ++i) {
                    const Index* corner = corners(elements[i]);
                    for (Index k = 0; k < size; ++k) {
                      if (k > 0) text.put(' ');
                      text.put(corner[k] + 1);
                    }
                    put_ref(text, refs, elements[i]);
                  }
                });
  }

  void write_segments() {
    const Array<Index> all = select(mesh_.segments.size(), [](std::size_t) { return true; });
    write_section("Edges", all, 2, find_refs(mesh_.segment_attributes),
                  [&](Index e) { return mesh_.segments[e].v; });
  }

  void write_polygons(std::string_view keyword, Index size) {
    write_section(keyword, polygons_of(mesh_, size), size, find_refs(mesh_.polygon_attributes),
                  [&](Index p) { return mesh_.polygon_corners.data() + mesh_.polygon_offsets[p]; });
  }

  void write_cells(std::string_view keyword, CellType type) {
    write_section(keyword, cells_of(mesh_, type), corners_of(type),
                  find_refs(mesh_.cell_attributes),
                  [&](Index c) { return mesh_.cell_entries.data() + mesh_.cell_offsets[c]; });
  }

  const CellTarget& target_;
  const PolyhedralSoup& mesh_;
  Progress progress_;
};

}  // namespace

void write_medit_cells(const CellTarget& target) {
  Writer(target).write();
}

}  // namespace tessera::io::detail
