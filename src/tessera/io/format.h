// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "tessera/core/triangle_soup.h"

namespace tessera::io {

/// File formats, of triangle meshes, of volume meshes, or of both.
enum class Format { obj, ply, stl, off, three_mf, medit, vtp, vtu, glb, gmsh, tetgen, ovm };

/// How numbers are stored, where the format leaves a choice.
enum class Encoding { binary, text, binary_big_endian };

/// What the project knows of a format without opening a file.
struct FormatInfo {
  Format format;
  std::string_view name;       ///< as people write it: "OBJ"
  std::string_view extension;  ///< with the dot, lower case: ".obj"
  // Triangles: read_triangles(), write_triangles().
  bool readable;
  bool writable;
  // Volume cells: read_polyhedra(), write_polyhedra().
  bool cells_readable;
  bool cells_writable;
  // What a writer can make of it. A compressed format is neither text nor binary.
  bool text;
  bool binary;
  bool big_endian;
  bool float64;  ///< coordinates in double precision; single precision all can
  std::string_view second_extension{};  ///< of the file that goes with it, if any: ".ele"
};

/// All formats, in the order in which help texts list them.
std::span<const FormatInfo> formats();

const FormatInfo& info(Format format);

/// Whether files of that format can be written so.
bool can_be(Format format, Encoding encoding);
bool can_be(Format format, Precision precision);

/// By the file name's ending, of the first or the second file, case ignored; nothing if unknown.
std::optional<Format> format_of(const std::filesystem::path& path);

}  // namespace tessera::io
