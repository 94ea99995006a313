// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "tessera/core/image.h"

namespace tessera::io {

/// Writes a PNG file, which appears only when it is complete. Throws InputError where the name is
/// unusable, OutputError where storing fails.
void write_png(const std::filesystem::path& path, const Image& image);

}  // namespace tessera::io
