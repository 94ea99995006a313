// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/core/polyhedral_soup.h"
#include "tessera/core/progress.h"
#include "tessera/io/format.h"
#include "tessera/io/triangles.h"

namespace tessera::io {

struct ReadPolyhedraResult {
  PolyhedralSoup mesh;
  Format format{};
  std::uint64_t bytes = 0;  ///< of all files
  /// What the file held and the mesh does not, one sentence each ("12 elements of order 2 were
  /// read as linear ones").
  std::vector<std::string> notes;
};

/// Reads a file of volume cells: MEDIT (.mesh, with a .sol file beside it), Gmsh (.msh, 2.2 and
/// 4.1, text and binary), VTU (.vtu, uncompressed or by zlib, polyhedra too), TetGen (.node or
/// .ele, each brings the other along), OpenVolumeMesh (.ovm, text). Triangles, quadrilaterals and
/// other polygons of the file become polygons, lines segments. The same file gives the same mesh on
/// any number of threads.
///
/// Throws InputError, naming the file and the line, offset or element, where the file is missing,
/// malformed or truncated, an index is out of range or a coordinate not finite.
ReadPolyhedraResult read_polyhedra(const std::filesystem::path& path,
                                   const ReadOptions& options = {});

/// The same for a file already in memory; `name` stands for it in messages. Of TetGen's two files
/// this is the .node file, which makes a mesh without cells.
ReadPolyhedraResult parse_polyhedra(std::span<const char> bytes, Format format,
                                    const std::string& name, const ReadOptions& options = {});

struct WritePolyhedraResult {
  std::uint64_t bytes = 0;                   ///< of all files
  std::vector<std::filesystem::path> files;  ///< all that were written
  std::uint64_t segments = 0;                ///< in the files; of polyhedra, faces do not count
  std::uint64_t polygons = 0;
  std::uint64_t cells = 0;
  /// What the mesh held and the files do not ("TetGen files have no room for 12 polygons").
  std::vector<std::string> notes;
};

/// Throws InputError where write_polyhedra() could not put a file under that name.
void check_polyhedra_output(const std::filesystem::path& path, const WriteOptions& options = {});

/// Writes MEDIT (text), Gmsh (4.1; Encoding::text or binary), VTU (appended raw data, or text) and
/// TetGen (.node and .ele, text). Files are complete or not there, as with write_triangles().
/// Cells that a format cannot hold (polyhedra in MEDIT and Gmsh, all but tetrahedra in TetGen) are
/// an InputError that names the first one and a format that can.
///
/// Throws InputError where the format or a name is unusable, OutputError where storing fails,
/// std::invalid_argument with the sentence of PolyhedralSoup::validate() where the mesh is not
/// valid.
WritePolyhedraResult write_polyhedra(const std::filesystem::path& path, const PolyhedralSoup& mesh,
                                     const WriteOptions& options = {});

}  // namespace tessera::io
