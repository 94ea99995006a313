// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// MEDIT's text format (Frey, INRIA RT-0253, 2001) with volume cells.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tessera/io/detail/cells.h"
#include "tessera/io/detail/elements.h"
#include "tessera/io/detail/medit_rows.h"
#include "tessera/io/detail/medit_text.h"
#include "tessera/io/detail/table.h"

namespace tessera::io::detail {
namespace {

struct Kind {
  std::string_view keyword;
  std::string_view second_keyword;  ///< that others write
  const char* name;
  ElementShape shape;
};

/// In the order in which elements are numbered, whatever the order in the file.
constexpr Kind kinds[] = {
    {"Edges", "", "edge", segment_shape},
    {"Triangles", "", "triangle", polygon_shape(3)},
    {"Quadrilaterals", "", "quadrilateral", polygon_shape(4)},
    {"Tetrahedra", "", "tetrahedron", cell_shape(CellType::tetrahedron)},
    {"Pyramids", "", "pyramid", cell_shape(CellType::pyramid)},
    {"Prisms", "Wedges", "prism", cell_shape(CellType::prism)},
    {"Hexahedra", "Hexaedra", "hexahedron", cell_shape(CellType::hexahedron)},
};

std::vector<std::string_view> keywords() {
  std::vector<std::string_view> all{"Vertices"};
  for (const Kind& kind : kinds) {
    all.push_back(kind.keyword);
    if (!kind.second_keyword.empty()) all.push_back(kind.second_keyword);
  }
  return all;
}

class Reader {
 public:
  explicit Reader(const Source& source)
      : source_(source), table_(source), text_(find_sections(source, table_, keywords(), 0)) {}

  ReadPolyhedraResult read() {
    const MeditSection* vertices = text_.find(source_, "Vertices");
    if (vertices == nullptr) source_.fail("the file has no Vertices");
    source_.check_counts(vertices->count, 0);
    std::uint64_t elements = vertices->count;
    std::vector<const MeditSection*> sections;
    for (const Kind& kind : kinds) {
      sections.push_back(find(kind));
      if (sections.back() != nullptr) elements += sections.back()->count;
    }
    PolyhedralSoup& mesh = result_.mesh;
    mesh.precision = text_.version == 1 ? Precision::float32 : Precision::float64;
    Progress progress(source_.progress, "reading", elements);
    read_medit_vertices(table_, text_, *vertices, progress, mesh.positions, mesh.vertex_attributes);
    read_elements(sections, progress);
    for (const MeditSection& section : text_.sections)
      if (&section != vertices &&
          std::find(sections.begin(), sections.end(), &section) == sections.end())
        result_.notes.push_back(
            fmt::format("section {} of {} entries was not read", section.keyword, section.count));
    return std::move(result_);
  }

 private:
  const MeditSection* find(const Kind& kind) const {
    const MeditSection* section = text_.find(source_, kind.keyword);
    if (kind.second_keyword.empty()) return section;
    const MeditSection* second = text_.find(source_, kind.second_keyword);
    if (section != nullptr && second != nullptr)
      source_.fail_at_line(
          second->where, fmt::format("{} and {} are the same", kind.keyword, kind.second_keyword));
    return section != nullptr ? section : second;
  }

  void read_elements(const std::vector<const MeditSection*>& sections, Progress& progress) {
    PolyhedralSoup& mesh = result_.mesh;
    Array<ElementShape> shapes;
    for (std::size_t i = 0; i < sections.size(); ++i)
      if (sections[i] != nullptr) shapes.resize(shapes.size() + sections[i]->count, kinds[i].shape);
    const ElementPlaces places = make_room(source_, shapes, mesh);
    Array<std::int32_t> refs(shapes.size());
    std::uint64_t first = 0;
    for (std::size_t i = 0; i < sections.size(); ++i) {
      if (sections[i] == nullptr) continue;
      const Kind& kind = kinds[i];
      table_.for_each(
          sections[i]->first_row, sections[i]->count, progress, [&](std::uint64_t e, Scanner& row) {
            read_medit_corners(row, kind.name, e + 1, kind.shape.size, mesh.positions.size(),
                               entries_of(mesh, kind.shape, places, first + e));
            refs[first + e] = read_medit_ref(row, kind.name, e + 1);
          });
      first += sections[i]->count;
    }
    add_refs(refs, shapes, mesh);
  }

  const Source& source_;
  LineTable table_;
  MeditText text_;
  ReadPolyhedraResult result_;
};

}  // namespace

ReadPolyhedraResult read_medit_cells(const Source& source) {
  return Reader(source).read();
}

}  // namespace tessera::io::detail
