// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tessera/core/polyhedral_soup.h"
#include "tessera/io/detail/source.h"

namespace tessera::io::detail {

/// One mesh of several, whose vertices stay apart. Attributes that not all of them have are left
/// out, which is noted. Throws InputError where 32-bit indices are too few.
PolyhedralSoup join_pieces(const Source& source, const std::vector<PolyhedralSoup>& pieces,
                           std::vector<std::string>& notes);

}  // namespace tessera::io::detail
