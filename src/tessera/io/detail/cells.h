// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tessera/io/detail/output_file.h"
#include "tessera/io/detail/source.h"
#include "tessera/io/detail/text_writer.h"
#include "tessera/io/polyhedra.h"

namespace tessera::io::detail {

// One reader and one writer for each format of volume cells, as source.h and writers.h have them
// for triangles.

ReadPolyhedraResult read_medit_cells(const Source& source);
ReadPolyhedraResult read_gmsh(const Source& source);
ReadPolyhedraResult read_vtu(const Source& source);
ReadPolyhedraResult read_ovm(const Source& source);

/// The `.node` text, and the `.ele` text unless that is a nullptr.
ReadPolyhedraResult read_tetgen(const Source& nodes, const Source* elements);

/// What a writer writes, and where. The writer fills `file` and adds to `result.notes`;
/// write_polyhedra() commits the file.
struct CellTarget {
  OutputFile& file;
  std::string name;  ///< of the file, for messages
  const PolyhedralSoup& mesh;
  Encoding encoding;
  Precision precision;
  const ProgressCallback& progress;
  WritePolyhedraResult& result;
};

void write_medit_cells(const CellTarget& target);
void write_gmsh(const CellTarget& target);
void write_vtu_cells(const CellTarget& target);
void write_tetgen_nodes(const CellTarget& target);
void write_tetgen_elements(const CellTarget& target);

/// The attribute of that name, if it is one whole number for each element.
const Attribute* find_refs(const Attributes& attributes, std::string_view name = "ref");

/// The number of an element's reference, 0 where there are none.
void put_ref_number(TextBuffer& text, const Attribute* refs, std::size_t element);

/// Polygons of that many corners, and cells of that type, in ascending order.
Array<Index> polygons_of(const PolyhedralSoup& mesh, Index corners);
Array<Index> cells_of(const PolyhedralSoup& mesh, CellType type);

/// Notes that a format has no room for polygons of more than four corners, if there are any.
void note_large_polygons(const CellTarget& target, std::string_view format);

/// Throws InputError about the first cell that is not `allowed` in files of that format; the
/// sentence names formats that can hold it.
void require_cells(const CellTarget& target, const std::vector<CellType>& allowed,
                   std::string_view format);

}  // namespace tessera::io::detail
