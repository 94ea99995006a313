// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"
#include "tessera/surface/handles.h"
#include "tessera/surface/mesh_attribute.h"
#include "tessera/surface/patched_mesh.h"
#include "tessera/surface/relation.h"

namespace tessera::surface::detail {

/// The vertices of a face, from one of them on, in its order.
struct Corner {
  Vertex at;
  Vertex next;
  Vertex previous;
};

struct VertexFacesView {
  RelationView<Vertex, Face> faces;
  AttributeView<Face, const Triangle> corners;

  /// The corner of `face` at v; the first one where a face has v more than once.
  TESSERA_KERNEL Corner corner(Face face, Vertex v) const {
    const Triangle t = corners[face];
    const int k = t[0] == v.index ? 0 : t[1] == v.index ? 1 : 2;
    return {{t[k]}, {t[(k + 1) % 3]}, {t[(k + 2) % 3]}};
  }
};

/// The faces at each vertex, ascending, and the corners of each face: for sums over a vertex's
/// faces that are the same every time.
struct VertexFaces {
  Relation<Vertex, Face> faces;
  FaceAttribute<Triangle> corners;

  VertexFacesView view() const { return {faces.view(), corners.view()}; }
};

/// The corners of each face, by handle.
FaceAttribute<Triangle> face_corners(const PatchedMesh& mesh);

VertexFaces vertex_faces(const PatchedMesh& mesh);

}  // namespace tessera::surface::detail
