// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "tessera/core/array.h"
#include "tessera/core/vec.h"
#include "tessera/io/format.h"

namespace tessera::io::detail {

// What calls that read or write a file check before they start. `can` is the field of FormatInfo
// that must be set, `verb` its word in a sentence ("read"). All throw InputError naming the file.

/// Throws where files of that format cannot be read or written.
void require(Format format, bool FormatInfo::*can, std::string_view verb, const std::string& name);

/// The wanted format, or the one that the name's ending tells; throws where it cannot be done.
Format choose_format(const std::filesystem::path& path, std::optional<Format> wanted,
                     bool FormatInfo::*can, std::string_view verb);

/// Throws where a coordinate would become infinite in single precision.
void check_single_precision(const Array<Vec3d>& positions, const std::string& name);

}  // namespace tessera::io::detail
