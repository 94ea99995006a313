// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/io/detail/writers.h"

namespace tessera::io::detail {

/// Notes that the file, of a format by that name, holds none of the mesh's attributes but `kept`.
void note_lost(const Target& target, std::string_view format,
               std::span<const Attribute* const> kept);

/// The same for one kind of attributes ("cell").
void note_lost(std::vector<std::string>& notes, std::string_view format,
               const Attributes& attributes, std::string_view kind,
               std::span<const Attribute* const> kept);

/// Vertices that no face has.
std::size_t count_unreferenced(const TriangleSoup& mesh);

}  // namespace tessera::io::detail
