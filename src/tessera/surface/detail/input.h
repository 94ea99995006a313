// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/error.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/input.h"

namespace tessera::surface::detail {

using exec::Input;

/// Throws InputError if validate() finds fault: a wrong index would make a kernel read beyond its
/// memory.
inline void require_valid(const TriangleSoup& soup) {
  if (const auto wrong = soup.validate()) throw InputError("not a valid mesh: " + *wrong);
}

}  // namespace tessera::surface::detail
