// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/cells.h"

#include <algorithm>

#include <fmt/format.h>

#include "tessera/core/error.h"
#include "tessera/core/find_first.h"
#include "tessera/io/detail/select.h"

namespace tessera::io::detail {

const Attribute* find_refs(const Attributes& attributes, std::string_view name) {
  const Attribute* found = find(attributes, name);
  const bool usable = found != nullptr && found->components == 1 &&
                      !std::holds_alternative<Array<float>>(found->values) &&
                      !std::holds_alternative<Array<double>>(found->values);
  return usable ? found : nullptr;
}

void require_cells(const CellTarget& target, const std::vector<CellType>& allowed,
                   std::string_view format) {
  const Array<CellType>& types = target.mesh.cell_types;
  const auto is_allowed = [&](CellType type) {
    return std::find(allowed.begin(), allowed.end(), type) != allowed.end();
  };
  const std::size_t bad =
      find_first(types.size(), [&](std::size_t i) { return !is_allowed(types[i]); });
  if (bad == types.size()) return;
  throw InputError(fmt::format("{}: cell {}, a {}, has no place in {} files; {} can hold it",
                               target.name, bad, name_of(types[bad]), format,
                               types[bad] == CellType::polyhedron
                                   ? "VTU (.vtu)"
                                   : "MEDIT (.mesh), Gmsh (.msh) and VTU (.vtu)"));
}

void put_ref_number(TextBuffer& text, const Attribute* refs, std::size_t element) {
  if (refs == nullptr)
    text.put('0');
  else
    std::visit([&](const auto& values) { text.put(values[element]); }, refs->values);
}

Array<Index> polygons_of(const PolyhedralSoup& mesh, Index corners) {
  return select(mesh.polygon_count(), [&](std::size_t p) {
    return mesh.polygon_offsets[p + 1] - mesh.polygon_offsets[p] == corners;
  });
}

Array<Index> cells_of(const PolyhedralSoup& mesh, CellType type) {
  return select(mesh.cell_count(), [&](std::size_t c) { return mesh.cell_types[c] == type; });
}

void note_large_polygons(const CellTarget& target, std::string_view format) {
  const PolyhedralSoup& mesh = target.mesh;
  const std::size_t large = select(mesh.polygon_count(), [&](std::size_t p) {
                              return mesh.polygon_offsets[p + 1] - mesh.polygon_offsets[p] > 4;
                            }).size();
  target.result.polygons -= large;
  if (large > 0)
    target.result.notes.push_back(fmt::format(
        "{} files have no room for {} polygons of more than four corners", format, large));
}

}  // namespace tessera::io::detail
