// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/normals.h"

#include <cmath>
#include <limits>

#include "tessera/surface/detail/patch_sums.h"
#include "tessera/surface/detail/query_kernels.h"

namespace tessera::surface {
namespace {

/// What the face normal counts for at each corner, over the length of `normal`, the cross product.
template <NormalWeight Weight>
TESSERA_KERNEL Vec3f corner_weights(const Vec3f (&p)[3], const Vec3f& normal) {
  if constexpr (Weight == NormalWeight::area) return {1, 1, 1};
  const float length_of_normal = length(normal);
  Vec3f weights{};
  if (length_of_normal == 0) return weights;
  // Below it a reciprocal is infinite.
  constexpr float smallest = std::numeric_limits<float>::min();
  for (int k = 0; k < 3; ++k) {
    const Vec3f a = p[k == 2 ? 0 : k + 1] - p[k];
    const Vec3f b = p[k == 0 ? 2 : k - 1] - p[k];
    const float squares = squared_length(a) * squared_length(b);
    if (!(squares >= smallest)) continue;
    if constexpr (Weight == NormalWeight::angle)
      weights[k] = std::atan2(length_of_normal, dot(a, b)) / length_of_normal;
    else
      weights[k] = 1 / squares;
  }
  return weights;
}

template <NormalWeight Weight>
struct SumNormals {
  detail::MeshView mesh;
  AttributeView<Vertex, const Vec3f> positions;
  AttributeView<Vertex, Vec3f> normals;
  exec::ScratchSlot<Vec3f> staged;
  exec::ScratchSlot<float> sums_slot;

  TESSERA_KERNEL void operator()(exec::Team& team) const {
    const detail::Patch patch = mesh.patch(team.index());
    const Index owned = patch.vertices.owned;
    const Vec3f* at = detail::stage_vertices(team, patch, staged, positions);
    float* sums = detail::clear_sums(team, sums_slot, 3 * owned);
    team.sync();
    team.for_each(patch.faces.all, [&](Index f) {
      const Vec<detail::Local, 3> v = detail::corners_of(patch, f);
      if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) return;
      const Vec3f p[3] = {at[v[0]], at[v[1]], at[v[2]]};
      const Vec3f normal = cross(p[1] - p[0], p[2] - p[0]);
      const Vec3f weights = corner_weights<Weight>(p, normal);
      for (int k = 0; k < 3; ++k)
        if (v[k] < owned) detail::add_to(team, sums, v[k], weights[k] * normal);
    });
    team.sync();
    team.for_each(owned, [&](Index v) {
      const Vec3f sum = detail::sum_at(sums, v);
      const float norm = length(sum);
      normals[{patch.vertices.begin + v}] = norm > 0 ? sum * (1 / norm) : Vec3f{};
    });
  }
};

template <NormalWeight Weight>
void sum_normals(const PatchedMesh& mesh, const VertexAttribute<Vec3f>& positions,
                 VertexAttribute<Vec3f>& normals) {
  exec::Scratch scratch;
  const SumNormals<Weight> kernel{mesh.view(), positions.view(), normals.view(),
                                  scratch.add<Vec3f>(mesh.limits().local_vertices),
                                  scratch.add<float>(3 * mesh.limits().owned_vertices)};
  exec::for_each_team(mesh.stream(), mesh.patches(), scratch, kernel);
}

}  // namespace

VertexAttribute<Vec3f> vertex_normals(const PatchedMesh& mesh,
                                      const VertexAttribute<Vec3f>& positions,
                                      NormalWeight weight) {
  detail::require_values(mesh, positions);
  VertexAttribute<Vec3f> normals(mesh, "normal");
  const Index in_patches = mesh.vertices_in_patches();
  exec::fill(mesh.stream(),
             normals.view().values().subview(in_patches, mesh.vertices() - in_patches), Vec3f{});
  if (weight == NormalWeight::area) sum_normals<NormalWeight::area>(mesh, positions, normals);
  if (weight == NormalWeight::angle) sum_normals<NormalWeight::angle>(mesh, positions, normals);
  if (weight == NormalWeight::max) sum_normals<NormalWeight::max>(mesh, positions, normals);
  return normals;
}

}  // namespace tessera::surface
