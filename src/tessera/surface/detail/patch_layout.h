// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/exec/view.h"
#include "tessera/surface/detail/edges.h"
#include "tessera/surface/detail/partition.h"
#include "tessera/surface/detail/sorted_faces.h"

namespace tessera::surface::detail {

/// The elements of one kind, sorted by owner.
struct OwnedElements {
  exec::Buffer<Index> order;  ///< element in each place
  exec::Buffer<Index> place;  ///< of each element
  exec::Buffer<Index> patch;  ///< owner of the element in each place
  exec::Buffer<Index> begin;  ///< first place of each patch, and the end
};

/// The mesh in terms of places: of the face in place i, corner 3 i + k and side 3 i + k.
struct LayoutView {
  exec::View<const Index> corners;     ///< places of vertices
  exec::View<const Index> sides;       ///< places of edges
  exec::View<const VertexPair> ends;   ///< of the edge in each place, places of vertices
  exec::View<const Index> face_patch;  ///< owner of the face in each place
  exec::View<const Index> edge_patch;
  exec::View<const Index> vertex_patch;
};

/// Who owns what, and where everything goes.
struct PatchLayout {
  OwnedElements faces;
  OwnedElements edges;
  OwnedElements vertices;  ///< those without faces come last, owned by nobody
  exec::Buffer<Index> corners;
  exec::Buffer<Index> sides;
  exec::Buffer<VertexPair> ends;

  LayoutView view() const {
    return {corners.view(),     sides.view(),       ends.view(),
            faces.patch.view(), edges.patch.view(), vertices.patch.view()};
  }
};

/// A face belongs to its patch, an edge to the patch of its first face, and a vertex to one of the
/// patches that meet there.
PatchLayout lay_out_patches(const exec::Stream& stream, const SortedFaces& sorted,
                            const EdgeTable& edges, const Partition& partition);

}  // namespace tessera::surface::detail
