// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "tessera/core/field.h"
#include "tessera/view/render.h"

namespace tessera::cli {

/// How a mesh is shown: flags of view and render.
struct ViewFlags {
  std::string color;
  std::optional<FieldRange> range;
  std::string color_map = "viridis";
  view::Shading shading = view::Shading::flat;
  bool edges = false;
};

void add_view_flags(CLI::App& command, ViewFlags& flags);

}  // namespace tessera::cli
