// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

namespace tessera::io {

/// File formats for triangle meshes.
enum class Format { obj, ply, stl, off, three_mf, medit, vtp, vtu, glb };

/// What the project knows of a format without opening a file.
struct FormatInfo {
  Format format;
  std::string_view name;       ///< as people write it: "OBJ"
  std::string_view extension;  ///< with the dot, lower case: ".obj"
  bool readable;
  bool writable;
};

/// All formats, in the order in which help texts list them.
std::span<const FormatInfo> formats();

const FormatInfo& info(Format format);

/// By the file name's ending, case ignored; nothing if unknown.
std::optional<Format> format_of(const std::filesystem::path& path);

}  // namespace tessera::io
