// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/remesh/detail/smooth.h"

#include "tessera/exec/for_each.h"
#include "tessera/remesh/detail/predict.h"
#include "tessera/remesh/detail/relocate.h"
#include "tessera/surface/shape_operations.h"

namespace tessera::remesh::detail {
namespace {

using exec::Buffer;
using exec::View;
using surface::DynamicView;

/// Of those that moved. A move that was taken back is none.
struct StoreStates {
  DynamicView mesh;
  View<const Vec3d> moved;
  View<std::uint8_t> are_moving;
  View<const VertexState> states;
  TESSERA_KERNEL void operator()(Index v) const {
    if (are_moving[v] == 0) return;
    if (mesh.positions[v] == moved[v])
      states[v].store(mesh, v);
    else
      are_moving[v] = 0;
  }
};

/// Where vertices will be after some steps. Bunny of a million faces, mean quality after 0, 1, 2,
/// 4, 6 and 8 of them: 0.945, 0.953, 0.957, 0.961, 0.963, 0.965.
Buffer<Vec3d> predict(surface::DynamicMesh& mesh) {
  constexpr int steps = 8;
  const exec::Stream& stream = mesh.stream();
  const Index n = mesh.vertex_places();
  Buffer<Vec3d> now(stream, n);
  Buffer<Vec3d> next(stream, n);
  exec::copy_on_device(stream, now.view(), mesh.view().positions.subview(0, n));
  for (int step = 0; step < steps; ++step) {
    exec::for_each(stream, n, Predict{mesh.view(), now.const_view(), next.view()});
    now.swap(next);
  }
  return now;
}

}  // namespace

void smooth(surface::DynamicMesh& mesh, const MetricMeasure& measure, const GroundView& ground,
            Buffer<std::uint8_t>& are_moving) {
  const exec::Stream& stream = mesh.stream();
  const Index n = mesh.vertex_places();
  Buffer<VertexState> states(stream, n);
  Buffer<Vec3d> targets(stream, n);
  Buffer<std::uint8_t> still_moving(stream, n);
  const Buffer<Vec3d> predicted = measure.is_isotropic ? predict(mesh) : Buffer<Vec3d>();
  exec::for_each(
      stream, n,
      Relocate{mesh.view(), measure, ground, are_moving.const_view(), predicted.const_view(),
               targets.view(), states.view(), still_moving.view()});
  are_moving.swap(still_moving);
  surface::move_vertices_to(mesh, targets.const_view(), measure);
  exec::for_each(
      stream, n,
      StoreStates{mesh.view(), targets.const_view(), are_moving.view(), states.const_view()});
}

}  // namespace tessera::remesh::detail
