// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/line_tree.h"

#include "tessera/exec/buffer.h"
#include "tessera/exec/compact.h"
#include "tessera/exec/for_each.h"

namespace tessera::surface {
namespace {

using exec::Buffer;
using exec::View;

struct IsLine {
  DynamicView mesh;
  TESSERA_KERNEL bool operator()(Index h) const { return mesh.is_edge(h) && mesh.is_line(h); }
};

struct WriteLine {
  DynamicView mesh;
  View<const Index> lines;
  View<Triangle> triangles;
  TESSERA_KERNEL void operator()(Index i) const {
    const Index h = lines[i];
    triangles[i] = {mesh.from(h), mesh.to(h), mesh.to(h)};
  }
};

}  // namespace

Bvh line_tree(DynamicMesh& mesh) {
  const exec::Stream& stream = mesh.stream();
  Buffer<Index> lines(stream, mesh.half_edge_places());
  const Index count =
      exec::compact(stream, mesh.half_edge_places(), IsLine{mesh.view()}, lines.view());
  Buffer<Triangle> triangles(stream, count);
  exec::for_each(stream, count, WriteLine{mesh.view(), lines.const_view(), triangles.view()});
  return {stream, mesh.view().positions, triangles.const_view()};
}

}  // namespace tessera::surface
