// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"

namespace tessera::surface {

/// A coarser mesh of at most `max_faces` faces, and about half as many at least where cubes of any
/// size leave as many, to look at: space is divided into cubes, the vertices of faces in a cube
/// become one in their middle, and faces that lose a corner go. Vertices without faces go. Fast,
/// and the shape stays within the size of a cube; but holes narrower than that close, thin walls
/// become one, and the result is seldom manifold. Attributes are those of one of the vertices, and
/// of the face. The same on any number of threads. Throws InputError if the mesh is not valid or
/// max_faces is less than 1.
TriangleSoup cluster_vertices(const exec::Stream& stream, const TriangleSoup& mesh,
                              std::uint64_t max_faces);

}  // namespace tessera::surface
