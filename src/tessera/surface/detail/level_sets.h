// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tessera/core/array.h"
#include "tessera/core/progress.h"
#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/surface/handles.h"
#include "tessera/surface/mesh_attribute.h"
#include "tessera/surface/patched_mesh.h"

namespace tessera::surface::detail {

/// A GPU is told of many rounds at once, so that it need not wait for the host between them. What a
/// round works on it looks up by itself, so the result is the same.
inline Index rounds_per_check(const exec::Stream& stream) {
  return stream.backend() == exec::Backend::cuda ? 32 : 1;
}

/// The vertices that can be reached, level by level.
struct LevelSets {
  exec::Buffer<Vertex> order;  ///< level after level; room for all vertices
  Array<Index> level_begin;    ///< place in it of the first vertex of each level, and the end

  Index levels() const { return static_cast<Index>(level_begin.size() - 1); }
  Index reached() const { return level_begin.back(); }
};

/// Breadth first from the sources, each of which is there once: sets the level of each vertex, the
/// number of edges to the nearest source, no_index where there is no path. The order within a level
/// differs from run to run. Throws Cancelled.
LevelSets find_levels(const PatchedMesh& mesh, const std::vector<Vertex>& sources,
                      VertexAttribute<Index>& level, const ProgressCallback& callback);

}  // namespace tessera::surface::detail
