// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "tessera/core/array.h"
#include "tessera/core/vec.h"
#include "tessera/io/detail/source.h"

namespace tessera::io::detail {

/// See io::read_ridges().
Array<VertexPair> read_ridges(const Source& source, std::size_t vertices);

}  // namespace tessera::io::detail
