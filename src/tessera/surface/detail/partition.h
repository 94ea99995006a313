// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/progress.h"
#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/surface/detail/edges.h"

namespace tessera::surface::detail {

/// Which patch each face belongs to. Every patch has a face.
struct Partition {
  exec::Buffer<Index> patch_of_face;
  Index patches = 0;
};

/// Divides faces among connected patches of at most `max_faces` each (dissertation, 4.3.3). The
/// faces should be in an order that keeps neighbours together (sort_in_space). The same on any
/// device.
Partition make_patches(const exec::Stream& stream, Index faces, const EdgeTable& edges,
                       Index max_faces, std::uint64_t seed, Progress& progress);

/// By how much make_patches() advances its progress.
inline constexpr std::uint64_t patching_steps = 7;

}  // namespace tessera::surface::detail
