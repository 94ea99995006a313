// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>

#include "tessera/core/array.h"
#include "tessera/core/vec.h"
#include "tessera/io/triangles.h"

namespace tessera::io {

/// Edges of a mesh of that many vertices, for TriangleSoup::ridges, from a text file: the numbers
/// of two vertices a line, counted from 1 as in OBJ and MEDIT files; `#` starts a comment. MEDIT
/// files of meshes have ridges themselves. Throws InputError, naming the file and the line, if the
/// file is missing, or a line is anything else.
Array<VertexPair> read_ridges(const std::filesystem::path& path, std::size_t vertices,
                              const ReadOptions& options = {});

}  // namespace tessera::io
