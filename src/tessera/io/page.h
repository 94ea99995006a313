// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/core/array.h"
#include "tessera/core/progress.h"
#include "tessera/core/scene.h"

// The data of the viewer page (docs/viewer.md describes the format).

namespace tessera::io {

/// A scene as the page reads it: a description in JSON, and the arrays that it refers to by number,
/// compressed.
struct EncodedScene {
  std::string json;
  std::vector<Array<char>> blocks;
};

/// `blocks_url`: where a page that is served finds the blocks; empty if they are in the page.
EncodedScene encode_scene(const Scene& scene, const std::string& blocks_url = {},
                          const ProgressCallback& progress = {});

/// The page with the description in its place. `page` has the comment <!--TESSERA-SCENE--> for it.
std::string page_with_description(std::string_view page, const EncodedScene& scene);

/// Writes a page with all its data, which opens from disk. The file appears only when it is
/// complete. Throws InputError where the name is unusable, OutputError where storing fails.
void write_page(const std::filesystem::path& path, std::string_view page,
                const EncodedScene& scene);

}  // namespace tessera::io
