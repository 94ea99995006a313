// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/face_labels.h"

#include "tessera/exec/buffer.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/scan.h"
#include "tessera/surface/detail/connectivity.h"
#include "tessera/surface/detail/edges.h"
#include "tessera/surface/detail/input.h"

namespace tessera::surface {
namespace {

using exec::Buffer;
using exec::View;

struct IsFirstFace {
  View<const Index> labels;
  View<Index> first;
  TESSERA_KERNEL void operator()(Index f) const { first[f] = labels[f] == f ? 1 : 0; }
};

struct TakeNumber {
  View<const Index> labels;
  View<const Index> number;
  View<Index> out;
  TESSERA_KERNEL void operator()(Index f) const { out[f] = number[labels[f]]; }
};

struct MarkSides {
  detail::EdgeView edges;
  View<std::uint8_t> sides;
  TESSERA_KERNEL void operator()(Index f) const {
    unsigned bits = 0;
    for (Index k = 0; k < 3; ++k) {
      const Index e = edges.edge_of[3 * f + k];
      if (e == no_index) continue;
      if (detail::is_boundary(edges.face_count(e))) bits |= 1U << k;
      if (detail::is_non_manifold(edges.face_count(e))) bits |= 8U << k;
    }
    sides[f] = static_cast<std::uint8_t>(bits);
  }
};

}  // namespace

Array<Index> component_of_faces(const exec::Stream& stream, const TriangleSoup& mesh) {
  detail::require_valid(mesh);
  const auto faces = static_cast<Index>(mesh.triangles.size());
  const detail::Input triangles(stream, mesh.triangles);
  const detail::EdgeTable edges =
      detail::build_edges(stream, triangles.view(), mesh.positions.size());
  const Buffer<Index> labels = detail::face_components(stream, faces, edges);
  Buffer<Index> number(stream, faces);
  exec::for_each(stream, faces, IsFirstFace{labels.const_view(), number.view()});
  exec::exclusive_scan(stream, number.view(), number.view());
  Buffer<Index> components(stream, faces);
  exec::for_each(stream, faces,
                 TakeNumber{labels.const_view(), number.const_view(), components.view()});
  return exec::download(stream, components);
}

Array<std::uint8_t> special_sides(const exec::Stream& stream, const TriangleSoup& mesh) {
  detail::require_valid(mesh);
  const auto faces = static_cast<Index>(mesh.triangles.size());
  const detail::Input triangles(stream, mesh.triangles);
  const detail::EdgeTable edges =
      detail::build_edges(stream, triangles.view(), mesh.positions.size());
  Buffer<std::uint8_t> sides(stream, faces);
  exec::for_each(stream, faces, MarkSides{edges.view(), sides.view()});
  return exec::download(stream, sides);
}

}  // namespace tessera::surface
