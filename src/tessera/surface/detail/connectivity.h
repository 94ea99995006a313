// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/exec/view.h"
#include "tessera/surface/detail/edges.h"

// What is connected to what. Labels are the smallest index of a set: the same on any device.

namespace tessera::surface::detail {

/// Which edges connect the faces beside them.
enum class Across { all_edges, edges_of_two_faces };

/// For each face the smallest face of its component: faces joined through shared edges.
exec::Buffer<Index> face_components(const exec::Stream& stream, Index faces,
                                    const EdgeTable& edges);

/// For each corner the smallest corner of its fan: corners at one vertex whose faces are joined
/// through edges at that vertex.
exec::Buffer<Index> corner_fans(const exec::Stream& stream, exec::View<const Triangle> triangles,
                                const EdgeTable& edges, Across across);

/// Labels of the doubled face graph: node 2 f is face f as it is, node 2 f + 1 the same face turned
/// over, and nodes are joined where they fit together at an edge of two faces. With s the smallest
/// face of f's component (through such edges), label[2 f] is 2 s if f has the orientation of s, and
/// 2 s + 1 if it must be turned over for it; both nodes of f have the label 2 s if the component is
/// not orientable.
exec::Buffer<Index> face_orientations(const exec::Stream& stream,
                                      exec::View<const Triangle> triangles, const EdgeTable& edges);

/// 1 for each face that has the three vertex numbers, in any order, of a face before it; else 0.
exec::Buffer<std::uint8_t> duplicate_faces(const exec::Stream& stream,
                                           exec::View<const Triangle> triangles,
                                           const EdgeTable& edges);

}  // namespace tessera::surface::detail
