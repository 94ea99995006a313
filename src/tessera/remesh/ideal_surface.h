// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/triangle_soup.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/remesh/ideal_surface_view.h"
#include "tessera/surface/bvh.h"
#include "tessera/surface/dynamic_mesh.h"

namespace tessera::remesh {

struct IdealSurfaceOptions {
  /// Edges whose faces turn by more degrees are ridges: the surface has a kink there. Where ridges
  /// end, meet or turn, it has a corner.
  double ridge_angle = 45;
};

/// The smooth surface that a mesh stands for: a curved triangle for each face, through its
/// vertices, without a kink between faces but at ridges (Rakotoarivelo and Ledoux, section 2).
/// Normals at vertices are those of the faces around them, by their angles; at a ridge each side
/// has its own. Borders and ridges are smooth curves from corner to corner. Flat where the mesh is.
///
/// Any mesh will do (surface::DynamicMesh). About 300 bytes a face.
class IdealSurface {
 public:
  /// Throws InputError if the mesh is not valid or the angle is not from 0 to 180.
  IdealSurface(const exec::Stream& stream, const TriangleSoup& mesh,
               const IdealSurfaceOptions& options = {});

  /// For kernels; valid as long as the surface.
  IdealSurfaceView view() const {
    return {mesh_view_, tree_.view(), corner_normals_.const_view(), tangents_.const_view()};
  }

 private:
  surface::DynamicMesh mesh_;
  surface::DynamicView mesh_view_;
  surface::Bvh tree_;
  exec::Buffer<Vec3f> corner_normals_;
  exec::Buffer<Vec3f> tangents_;
};

}  // namespace tessera::remesh
