// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/detail/vertex_faces.h"

#include "tessera/surface/query.h"

namespace tessera::surface::detail {
namespace {

struct StoreCorners {
  AttributeView<Face, Triangle> corners;
  TESSERA_KERNEL void operator()(Face face, const Ring<Vertex>& ring) const {
    corners[face] = {ring[0].index, ring[1].index, ring[2].index};
  }
};

}  // namespace

FaceAttribute<Triangle> face_corners(const PatchedMesh& mesh) {
  FaceAttribute<Triangle> corners(mesh, "corners");
  for_each<Op::fv>(mesh, StoreCorners{corners.view()});
  return corners;
}

VertexFaces vertex_faces(const PatchedMesh& mesh) {
  return {collect<Op::vf>(mesh), face_corners(mesh)};
}

}  // namespace tessera::surface::detail
