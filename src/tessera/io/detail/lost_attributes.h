// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include "tessera/io/detail/writers.h"

namespace tessera::io::detail {

/// Notes that the file, of a format by that name, holds none of the mesh's attributes but `kept`.
void note_lost(const Target& target, std::string_view format,
               std::span<const Attribute* const> kept);

/// Vertices that no face has.
std::size_t count_unreferenced(const TriangleSoup& mesh);

}  // namespace tessera::io::detail
