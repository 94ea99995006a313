// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/team.h"
#include "tessera/surface/detail/patch_view.h"
#include "tessera/surface/mesh_attribute.h"

// For kernels that compute once for each face or edge and add the results up at vertices or edges:
// a patch does so for everything it holds, ribbon included, and keeps the sums of what it owns.
// All of it happens in scratch memory; no atomic operation leaves the patch.

namespace tessera::surface::detail {

/// Values of all vertices of a patch, side by side in scratch memory.
template <class T>
TESSERA_KERNEL const T* stage_vertices(const exec::Team& team, const Patch& patch,
                                       exec::ScratchSlot<T> slot,
                                       const AttributeView<Vertex, const T>& values) {
  T* staged = team.scratch(slot).data();
  const auto& vertices = patch.vertices;
  team.for_each(vertices.owned, [&](Index v) { staged[v] = values[{vertices.begin + v}]; });
  team.for_each(vertices.all - vertices.owned,
                [&](Index v) { staged[vertices.owned + v] = values[{vertices.ribbon[v]}]; });
  return staged;
}

/// Zeros in scratch memory.
TESSERA_KERNEL inline float* clear_sums(const exec::Team& team, exec::ScratchSlot<float> slot,
                                        Index count) {
  float* sums = team.scratch(slot).data();
  team.for_each(count, [&](Index i) { sums[i] = 0; });
  return sums;
}

TESSERA_KERNEL inline void add_to(const exec::Team& team, float* sums, Index i,
                                  const Vec3f& value) {
  for (Index k = 0; k < 3; ++k) team.atomic_add(sums[3 * i + k], value[static_cast<int>(k)]);
}

TESSERA_KERNEL inline Vec3f sum_at(const float* sums, Index i) {
  return {sums[3 * i], sums[3 * i + 1], sums[3 * i + 2]};
}

}  // namespace tessera::surface::detail
