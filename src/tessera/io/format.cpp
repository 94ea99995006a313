// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/format.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace tessera::io {
namespace {

constexpr std::array<FormatInfo, 12> known_formats{{
    // triangles and cells: readable, writable; text, binary, big-endian, double
    {Format::obj, "OBJ", ".obj", true, true, false, false, true, false, false, true},
    {Format::ply, "PLY", ".ply", true, true, false, false, true, true, true, true},
    {Format::stl, "STL", ".stl", true, true, false, false, true, true, false, false},
    {Format::off, "OFF", ".off", true, true, false, false, true, false, false, true},
    {Format::three_mf, "3MF", ".3mf", true, true, false, false, false, false, false, false},
    {Format::medit, "MEDIT", ".mesh", true, true, true, true, true, false, false, true},
    {Format::vtp, "VTP", ".vtp", false, true, false, false, true, true, false, true},
    {Format::vtu, "VTU", ".vtu", false, true, true, true, true, true, false, true},
    {Format::glb, "GLB", ".glb", false, true, false, false, false, true, false, false},
    {Format::gmsh, "Gmsh", ".msh", false, false, true, true, true, true, false, true},
    {Format::tetgen, "TetGen", ".node", false, false, true, true, true, false, false, true, ".ele"},
    {Format::ovm, "OVM", ".ovm", false, false, true, false, true, false, false, true},
}};

}  // namespace

std::span<const FormatInfo> formats() {
  return known_formats;
}

const FormatInfo& info(Format format) {
  return *std::find_if(known_formats.begin(), known_formats.end(),
                       [&](const FormatInfo& f) { return f.format == format; });
}

bool can_be(Format format, Encoding encoding) {
  const FormatInfo& f = info(format);
  switch (encoding) {
    case Encoding::text:
      return f.text;
    case Encoding::binary:
      return f.binary;
    case Encoding::binary_big_endian:
      return f.big_endian;
  }
  return false;
}

bool can_be(Format format, Precision precision) {
  return precision == Precision::float32 || info(format).float64;
}

std::optional<Format> format_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const FormatInfo& f : known_formats)
    if (!extension.empty() && (f.extension == extension || f.second_extension == extension))
      return f.format;
  return std::nullopt;
}

}  // namespace tessera::io
