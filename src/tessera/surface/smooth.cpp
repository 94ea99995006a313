// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/smooth.h"

#include <string>
#include <vector>

#include "tessera/core/error.h"
#include "tessera/surface/detail/patch_sums.h"
#include "tessera/surface/flags.h"

namespace tessera::surface {
namespace {

/// Moves what a patch owns towards the mean of its neighbours, adding up edge by edge.
struct MoveToMean {
  detail::MeshView mesh;
  AttributeView<Vertex, const Vec3f> from;
  AttributeView<Vertex, Vec3f> to;
  AttributeView<Vertex, const Flags> flags;
  exec::ScratchSlot<Vec3f> staged;
  exec::ScratchSlot<float> sums_slot;
  exec::ScratchSlot<std::uint32_t> counts_slot;
  float step;
  Boundary boundary;

  TESSERA_KERNEL void operator()(exec::Team& team) const {
    const detail::Patch patch = mesh.patch(team.index());
    const Index owned = patch.vertices.owned;
    const Vec3f* at = detail::stage_vertices(team, patch, staged, from);
    float* sums = detail::clear_sums(team, sums_slot, 3 * owned);
    std::uint32_t* counts = team.scratch(counts_slot).data();
    team.for_each(owned, [&](Index v) { counts[v] = 0; });
    team.sync();
    team.for_each(patch.edges.all, [&](Index e) {
      const Index a = patch.ev[e].vertex[0];
      const Index b = patch.ev[e].vertex[1];
      if (a == b) return;
      if (a < owned) {
        detail::add_to(team, sums, a, at[b]);
        team.atomic_add(counts[a], 1);
      }
      if (b < owned) {
        detail::add_to(team, sums, b, at[a]);
        team.atomic_add(counts[b], 1);
      }
    });
    team.sync();
    team.for_each(owned, [&](Index v) {
      const Vertex vertex{patch.vertices.begin + v};
      const bool stays =
          counts[v] == 0 || (boundary == Boundary::fixed && flags[vertex].is_boundary());
      const Vec3f mean =
          detail::sum_at(sums, v) * (1 / static_cast<float>(counts[v] + (stays ? 1 : 0)));
      to[vertex] = stays ? at[v] : at[v] + step * (mean - at[v]);
    });
  }
};

void check_steps(int iterations, float step) {
  if (iterations < 0) throw InputError("a negative number of iterations");
  if (!(step >= 0 && step <= 1))
    throw InputError("a smoothing step of " + std::to_string(step) + ": it must be from 0 to 1");
}

/// One iteration after the other, each with its steps.
void iterate(const PatchedMesh& mesh, VertexAttribute<Vec3f>& positions, int iterations,
             const std::vector<float>& steps, Boundary boundary, const ProgressCallback& callback) {
  detail::require_values(mesh, positions);
  Progress progress(callback, "smoothing", static_cast<std::uint64_t>(iterations));
  const VertexAttribute<Flags> flags = vertex_flags(mesh);
  // Vertices without faces are in no patch, so they are copied here once and for all.
  VertexAttribute<Vec3f> result(mesh, positions.name());
  VertexAttribute<Vec3f> next(mesh, positions.name());
  exec::copy_on_device(mesh.stream(), result.view().values(), positions.const_view().values());
  exec::copy_on_device(mesh.stream(), next.view().values(), positions.const_view().values());
  const detail::PatchLimits& limits = mesh.limits();
  exec::Scratch scratch;
  const auto staged = scratch.add<Vec3f>(limits.local_vertices);
  const auto sums = scratch.add<float>(3 * limits.owned_vertices);
  const auto counts = scratch.add<std::uint32_t>(limits.owned_vertices);
  for (int i = 0; i < iterations; ++i) {
    for (const float step : steps) {
      exec::for_each_team(mesh.stream(), mesh.patches(), scratch,
                          MoveToMean{mesh.view(), result.const_view(), next.view(), flags.view(),
                                     staged, sums, counts, step, boundary});
      result.swap(next);
    }
    progress.advance(1);
  }
  mesh.stream().synchronize();
  positions.swap(result);
}

}  // namespace

void laplacian_smooth(const PatchedMesh& mesh, VertexAttribute<Vec3f>& positions,
                      const LaplacianOptions& options) {
  check_steps(options.iterations, options.step);
  iterate(mesh, positions, options.iterations, {options.step}, options.boundary, options.progress);
}

void taubin_smooth(const PatchedMesh& mesh, VertexAttribute<Vec3f>& positions,
                   const TaubinOptions& options) {
  check_steps(options.iterations, options.step);
  if (!(options.back_step <= 0 && options.back_step >= -1))
    throw InputError("a step back of " + std::to_string(options.back_step) +
                     ": it must be from -1 to 0");
  iterate(mesh, positions, options.iterations, {options.step, options.back_step}, options.boundary,
          options.progress);
}

}  // namespace tessera::surface
