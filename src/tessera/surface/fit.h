// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/progress.h"
#include "tessera/surface/bvh.h"
#include "tessera/surface/dynamic_mesh.h"

namespace tessera::surface {

struct FitOptions {
  int steps = 3;  ///< the first brings most
  ProgressCallback progress{};
};

/// Root mean square distances of points all over the faces of a mesh from a surface.
struct FitReport {
  double before = 0;
  double after = 0;
};

/// Moves the vertices of a mesh to where its faces, not they themselves, are as near to a surface
/// as can be, in the mean square, and flips edges where that brings faces nearer. Vertices of a
/// mesh that stands for a finer one with a bend are outside of the bend then. Borders and
/// creases stay, and so do vertices that are fixed; moves turn no face over. A step that would make
/// the distance larger is the last, and is not made. The result does not depend on the number of
/// threads. Throws InputError if the number of steps is negative, Cancelled if the callback says
/// so; the mesh is a whole one then.
FitReport fit(DynamicMesh& mesh, const Bvh& surface, const FitOptions& options = {});

}  // namespace tessera::surface
