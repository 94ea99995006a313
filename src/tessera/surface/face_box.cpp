// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/face_box.h"

#include "tessera/exec/reduce.h"
#include "tessera/surface/detail/input.h"

namespace tessera::surface {
namespace {

using exec::View;

struct BoxOfFace {
  View<const Vec3d> positions;
  View<const Triangle> triangles;
  TESSERA_KERNEL Box operator()(Index f) const {
    Box box;
    for (const Index v : triangles[f].v) box.add(positions[v]);
    return box;
  }
};

}  // namespace

Box box_of_faces(const exec::Stream& stream, View<const Vec3d> positions,
                 View<const Triangle> triangles) {
  return exec::reduce(stream, static_cast<Index>(triangles.size()), Box{},
                      BoxOfFace{positions, triangles}, UniteBoxes{});
}

Box box_of_faces(const exec::Stream& stream, const TriangleSoup& mesh) {
  detail::require_valid(mesh);
  const exec::Input positions(stream, mesh.positions);
  const exec::Input triangles(stream, mesh.triangles);
  return box_of_faces(stream, positions.view(), triangles.view());
}

double diagonal_of_faces(const exec::Stream& stream, const TriangleSoup& mesh) {
  const Box box = box_of_faces(stream, mesh);
  return mesh.triangles.empty() ? 0 : length(box.max - box.min);
}

}  // namespace tessera::surface
