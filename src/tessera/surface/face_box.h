// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/box.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"
#include "tessera/exec/view.h"

namespace tessera::surface {

/// The box around all faces; vertices that no face has do not count. Empty without faces.
Box box_of_faces(const exec::Stream& stream, exec::View<const Vec3d> positions,
                 exec::View<const Triangle> triangles);

/// The same. Throws InputError if the mesh is not valid.
Box box_of_faces(const exec::Stream& stream, const TriangleSoup& mesh);

/// From one corner of that box to the other; 0 without faces.
double diagonal_of_faces(const exec::Stream& stream, const TriangleSoup& mesh);

}  // namespace tessera::surface
