// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "tessera/core/progress.h"
#include "tessera/core/scene.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"

namespace tessera::view {

struct LayerOptions {
  /// Larger meshes are simplified (surface::cluster_vertices): browsers have limits.
  std::uint64_t max_faces = 5'000'000;
  bool patches = true;     ///< with a field of the patches that PatchedMesh would cut
  std::uint64_t seed = 0;  ///< of the patches
  ProgressCallback progress{};
};

/// A mesh as the viewer page shows it: positions relative to their middle, special sides, all its
/// attributes and computed fields, histograms of the whole mesh. Of a simplified mesh too, the
/// computed fields are those of the whole mesh, at the faces that are left. Throws InputError if
/// the mesh is not valid, Cancelled if the callback says so.
SceneLayer make_layer(const exec::Stream& stream, const TriangleSoup& mesh, std::string name,
                      const LayerOptions& options = {});

/// A scene without layers that has all colour maps.
Scene empty_scene(std::string title);

}  // namespace tessera::view
