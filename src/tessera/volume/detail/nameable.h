// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "tessera/core/error.h"
#include "tessera/volume/relation.h"

namespace tessera::volume::detail {

/// Throws InputError where there would be more elements than signed 32-bit numbers can name.
inline void require_nameable(std::uint64_t count, const std::string& what) {
  if (count >= most_elements)
    throw InputError(std::to_string(count) + " " + what +
                     " are more than signed 32-bit numbers can name");
}

}  // namespace tessera::volume::detail
