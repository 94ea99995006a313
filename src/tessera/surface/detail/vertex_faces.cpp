// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/detail/vertex_faces.h"

#include <utility>

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

VertexFaces vertex_faces(const PatchedMesh& mesh) {
  FaceAttribute<Triangle> corners(mesh, "corners");
  for_each<Op::fv>(mesh, StoreCorners{corners.view()});
  return {collect<Op::vf>(mesh), std::move(corners)};
}

}  // namespace tessera::surface::detail
