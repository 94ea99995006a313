// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/core/array.h"
#include "tessera/core/histogram.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"

namespace tessera::surface {

/// The shape of the faces of a mesh.
struct ShapeHistograms {
  Histogram quality;  ///< of each face, 0 to 1: MeshInfo::min_quality says what it is
  /// Of each corner, in degrees, 0 to 180. Zero where a side at the corner has no length.
  Histogram angle;
  /// Of each edge (MeshInfo says what counts as one), 0 to the longest, in the mesh's own units.
  Histogram edge_length;
};

/// The result is the same on any number of threads; on a GPU a value on the border of two bins may
/// fall into the other one. Throws InputError if the mesh is not valid (TriangleSoup::validate), or
/// `bins` is not in 1 .. 4096.
ShapeHistograms shape_histograms(const exec::Stream& stream, const TriangleSoup& mesh,
                                 int bins = 50);

/// The quality of each face, as in the histogram. Throws InputError if the mesh is not valid.
Array<float> face_qualities(const exec::Stream& stream, const TriangleSoup& mesh);

}  // namespace tessera::surface
