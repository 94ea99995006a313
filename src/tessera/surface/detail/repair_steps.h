// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/progress.h"
#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"

namespace tessera::surface::detail {

/// A mesh under repair, on the device. The sources say which element of the original each one is,
/// or is a copy of; no_index for new faces.
struct RepairMesh {
  exec::Buffer<Vec3d> positions;
  exec::Buffer<Triangle> triangles;
  exec::Buffer<Index> vertex_source;
  exec::Buffer<Index> face_source;

  Index vertices() const { return static_cast<Index>(positions.size()); }
  Index faces() const { return static_cast<Index>(triangles.size()); }
};

struct OrientCounts {
  std::uint64_t flipped = 0;
  std::uint64_t non_orientable = 0;
};

struct HoleCounts {
  std::uint64_t filled = 0;
  std::uint64_t skipped = 0;
  std::uint64_t faces = 0;
};

// The steps of surface::repair(); see RepairOptions. Those without a struct return how many
// elements they removed or added.
std::uint64_t remove_degenerate(const exec::Stream& stream, RepairMesh& mesh);
std::uint64_t remove_duplicates(const exec::Stream& stream, RepairMesh& mesh);
std::uint64_t split_non_manifold(const exec::Stream& stream, RepairMesh& mesh);
OrientCounts orient_faces(const exec::Stream& stream, RepairMesh& mesh);
HoleCounts fill_mesh_holes(const exec::Stream& stream, RepairMesh& mesh, std::uint64_t max_edges,
                           const ProgressCallback& callback);
std::uint64_t remove_unreferenced(const exec::Stream& stream, RepairMesh& mesh);

}  // namespace tessera::surface::detail
