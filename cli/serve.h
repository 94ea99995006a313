// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "tessera/io/page.h"

namespace tessera::cli {

/// Serves the page and its data to this machine alone, until Ctrl-C. `port` 0 takes a free one.
/// Prints the address first. Throws InputError where the port is taken.
void serve_page(std::string_view page, const io::EncodedScene& scene, int port);

/// Where serve_page() has the data.
inline constexpr const char* served_blocks = "data/";

}  // namespace tessera::cli
