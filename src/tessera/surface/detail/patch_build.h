// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/array.h"
#include "tessera/core/progress.h"
#include "tessera/core/vec.h"
#include "tessera/exec/device.h"
#include "tessera/surface/detail/edges.h"
#include "tessera/surface/detail/partition.h"
#include "tessera/surface/detail/patch_view.h"
#include "tessera/surface/detail/sorted_faces.h"

namespace tessera::surface::detail {

struct BuiltPatches {
  PatchBuffers buffers;
  PatchLimits limits;
  Index vertices = 0;
  Index vertices_in_patches = 0;
  Index edges = 0;
  Index faces = 0;
  Array<Index> input_vertices;
  Array<Index> input_faces;
};

/// Everything that a PatchedMesh stores, from the patch of each face. `edges` has its loops kept.
/// Throws InputError where a patch would need more local numbers than there are.
BuiltPatches build_patches(const exec::Stream& stream, const SortedFaces& sorted,
                           const EdgeTable& edges, const Partition& partition, Progress& progress);

/// By how much build_patches() advances its progress.
inline constexpr std::uint64_t building_steps = 4;

}  // namespace tessera::surface::detail
