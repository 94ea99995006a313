// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/format.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace tessera::io {
namespace {

constexpr std::array<FormatInfo, 9> known_formats{{
    {Format::obj, "OBJ", ".obj", true, true},
    {Format::ply, "PLY", ".ply", true, true},
    {Format::stl, "STL", ".stl", true, true},
    {Format::off, "OFF", ".off", true, true},
    {Format::three_mf, "3MF", ".3mf", true, true},
    {Format::medit, "MEDIT", ".mesh", true, true},
    {Format::vtp, "VTP", ".vtp", false, true},
    {Format::vtu, "VTU", ".vtu", false, true},
    {Format::glb, "GLB", ".glb", false, true},
}};

}  // namespace

std::span<const FormatInfo> formats() {
  return known_formats;
}

const FormatInfo& info(Format format) {
  return *std::find_if(known_formats.begin(), known_formats.end(),
                       [&](const FormatInfo& f) { return f.format == format; });
}

std::optional<Format> format_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const FormatInfo& f : known_formats)
    if (f.extension == extension) return f.format;
  return std::nullopt;
}

}  // namespace tessera::io
