// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "run.h"
#include "tessera/core/scene.h"

namespace tessera::cli {

/// Whether the name is that of a page: it ends in .html.
bool is_page(const std::string& path);

/// Throws InputError where no page can be written under that name, or this build has none.
void check_page(const std::string& path);
void require_viewer_page();

/// What layers are called: the names of their files, and the folders too where names are the same.
std::vector<std::string> layer_names(const std::vector<std::string>& paths);

/// Writes a page and reports that.
void write_page(Run& run, const std::string& path, const Scene& scene);

}  // namespace tessera::cli
