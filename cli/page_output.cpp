// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "page_output.h"

#include <algorithm>
#include <filesystem>

#include "tessera/core/error.h"
#include "tessera/io/page.h"
#include "viewer_page.h"

namespace tessera::cli {

bool is_page(const std::string& path) {
  return has_ending(path, ".html") || has_ending(path, ".htm");
}

void require_viewer_page() {
  if (viewer_page().empty())
    throw InputError(
        "this build has no viewer page: install npm and Node.js 18 or newer (Debian: npm), and "
        "configure and build again; 'tessera render' makes pictures without it");
}

void check_page(const std::string& path) {
  require_viewer_page();
  if (!is_page(path))
    throw InputError(path + ": cannot be written: pages are HTML files, ending in .html");
  check_folder(path);
}

std::vector<std::string> layer_names(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths)
    names.push_back(std::filesystem::path(path).filename().string());
  const std::vector<std::string> short_names = names;
  for (std::size_t i = 0; i < paths.size(); ++i)
    if (std::count(short_names.begin(), short_names.end(), short_names[i]) > 1) names[i] = paths[i];
  return names;
}

void write_page(Run& run, const std::string& path, const Scene& scene) {
  const io::EncodedScene encoded =
      run.stage("compress", [&] { return io::encode_scene(scene, "", run.progress()); });
  run.file_stage("write", [&] { io::write_page(path, viewer_page(), encoded); });
  run.report("output", "written", path, path);
  run.report_count("bytes", "bytes", std::filesystem::file_size(path));
}

}  // namespace tessera::cli
