// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace tessera::cli {

/// The viewer page without data; empty in a build without npm.
std::string_view viewer_page();

}  // namespace tessera::cli
