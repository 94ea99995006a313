// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/core/progress.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/io/format.h"

namespace tessera::io {

struct ReadOptions {
  std::optional<Format> format;  ///< default: by the file name's ending
  int threads = 0;               ///< 0: as many as oneTBB would use here
  ProgressCallback progress{};
};

struct ReadResult {
  TriangleSoup mesh;
  Format format{};
  std::uint64_t bytes = 0;     ///< size of the file
  std::uint64_t polygons = 0;  ///< faces of more than three corners, now triangulated
  /// What the file held and the mesh does not, one sentence each ("texture coordinates of 5856
  /// faces were not read").
  std::vector<std::string> notes;
};

/// Reads a file of triangles or polygons. Polygons are triangulated, concave ones too; attributes
/// of a polygon go to each of its triangles. Faces are kept as they are, however bad: a face of
/// one or two corners becomes a degenerate triangle. The same file gives the same mesh on any
/// number of threads.
///
/// A MEDIT mesh brings the fields of the `.sol` file of the same name along, if there is one; a
/// note says if they do not fit.
///
/// Throws InputError, naming the file and the line, offset or element, where the file is missing,
/// malformed or truncated, an index is out of range or a coordinate not finite.
ReadResult read_triangles(const std::filesystem::path& path, const ReadOptions& options = {});

/// The same for a file already in memory; `name` stands for it in messages.
ReadResult parse_triangles(std::span<const char> bytes, Format format, const std::string& name,
                           const ReadOptions& options = {});

struct WriteOptions {
  std::optional<Format> format;          ///< default: by the file name's ending
  Encoding encoding = Encoding::binary;  ///< of PLY and STL; others have one only
  std::optional<Precision> precision;    ///< of coordinates; default: the mesh's own
  int threads = 0;                       ///< 0: as many as oneTBB would use here
  ProgressCallback progress{};
};

struct WriteResult {
  std::uint64_t bytes = 0;  ///< of all files
  /// Vertices in the file; nothing for STL, which stores corners of faces only.
  std::optional<std::uint64_t> vertices;
  std::uint64_t faces = 0;  ///< in the file
  /// The `.sol` file beside a MEDIT mesh with fields.
  std::optional<std::filesystem::path> fields_file;
  /// What the mesh held and the file does not ("OBJ files have no room for attribute "ref"").
  std::vector<std::string> notes;
};

/// Throws InputError, naming the file, where none of any kind can be put: a folder, pipe or device
/// is in its place, its folder is missing or must not be written, the name is too long.
void check_place(const std::filesystem::path& path);

/// Throws InputError where write_triangles() could not put a file under that name: the format is
/// unknown, a folder, pipe or device is in its place, its folder is missing or must not be written.
/// Better known before a long computation than after it.
void check_output(const std::filesystem::path& path, const WriteOptions& options = {});

/// Writes the mesh to a temporary file beside `path` and renames it when it is complete: `path`
/// never holds half a mesh. A file that is replaced passes its mode on, a symbolic link is
/// followed; pipes and devices are refused. A MEDIT mesh with attributes on vertices gets a `.sol`
/// file beside it.
///
/// Throws InputError where the format or a name is unusable, OutputError where storing fails,
/// std::invalid_argument with the sentence of TriangleSoup::validate() where the mesh is not valid.
WriteResult write_triangles(const std::filesystem::path& path, const TriangleSoup& mesh,
                            const WriteOptions& options = {});

}  // namespace tessera::io
