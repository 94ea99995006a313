// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "run.h"
#include "tessera/core/attribute.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/surface/mesh_attribute.h"
#include "tessera/surface/patched_mesh.h"

namespace tessera::cli {

/// A mesh on its device, ready for kernels.
struct PatchedInput {
  PatchedInput(Run& run, const SharedFlags& flags, const TriangleSoup& soup);

  /// What the positions are relative to, so that float has digits left for details.
  Vec3d origin;
  surface::PatchedMesh mesh;
  surface::VertexAttribute<Vec3f> positions;

  /// Positions back in double, where they came from.
  void store_positions(TriangleSoup& soup) const;
};

/// Adds an attribute, in place of one of the same name.
void set_attribute(Attributes& attributes, Attribute added);
/// One of three numbers for each element.
void set_attribute(Attributes& attributes, const std::string& name, const Array<Vec3f>& values);

}  // namespace tessera::cli
