// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/repair.h"

#include <utility>
#include <variant>

#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/surface/detail/input.h"
#include "tessera/surface/detail/repair_steps.h"

namespace tessera::surface {
namespace {

/// Attributes of the faces that are left, and zeros for the new ones after them.
Attributes gather_faces(const Attributes& attributes, Array<Index> source) {
  const std::size_t faces = source.size();
  while (!source.empty() && source.back() == no_index) source.pop_back();
  Attributes gathered = gather(attributes, source);
  for (Attribute& attribute : gathered) {
    const std::size_t numbers = faces * static_cast<std::size_t>(attribute.components);
    std::visit(
        [&](auto& values) {
          using Value = typename std::decay_t<decltype(values)>::value_type;
          values.resize(numbers, Value{});
        },
        attribute.values);
  }
  return gathered;
}

}  // namespace

RepairResult repair(const exec::Stream& stream, TriangleSoup& mesh, const RepairOptions& options) {
  using namespace detail;
  Progress progress(options.progress, "repairing", 7);
  require_valid(mesh);
  RepairMesh work{exec::upload(stream, mesh.positions), exec::upload(stream, mesh.triangles),
                  exec::all_indices(stream, static_cast<Index>(mesh.positions.size())),
                  exec::all_indices(stream, static_cast<Index>(mesh.triangles.size()))};
  RepairResult result;
  progress.advance(1);
  if (options.degenerate) result.degenerate_removed = remove_degenerate(stream, work);
  progress.advance(1);
  if (options.duplicate) result.duplicates_removed = remove_duplicates(stream, work);
  progress.advance(1);
  if (options.split_non_manifold) result.vertices_added = split_non_manifold(stream, work);
  progress.advance(1);
  if (options.orient) {
    const OrientCounts counts = orient_faces(stream, work);
    result.faces_flipped = counts.flipped;
    result.non_orientable_components = counts.non_orientable;
  }
  progress.advance(1);
  if (options.fill_holes) {
    const HoleCounts counts =
        fill_mesh_holes(stream, work, options.max_hole_edges, options.progress);
    result.holes_filled = counts.filled;
    result.holes_skipped = counts.skipped;
    result.faces_added = counts.faces;
  }
  progress.advance(1);
  if (options.unreferenced) result.unreferenced_removed = remove_unreferenced(stream, work);
  progress.advance(1);

  TriangleSoup repaired;
  repaired.precision = mesh.precision;
  repaired.positions = exec::download(stream, work.positions);
  repaired.triangles = exec::download(stream, work.triangles);
  if (!mesh.vertex_attributes.empty())
    repaired.vertex_attributes =
        gather(mesh.vertex_attributes, exec::download(stream, work.vertex_source));
  if (!mesh.face_attributes.empty())
    repaired.face_attributes =
        gather_faces(mesh.face_attributes, exec::download(stream, work.face_source));
  const bool has_same_edges = result.degenerate_removed + result.duplicates_removed +
                                  result.vertices_added + result.unreferenced_removed ==
                              0;
  if (has_same_edges) repaired.ridges = std::move(mesh.ridges);
  mesh = std::move(repaired);
  return result;
}

}  // namespace tessera::surface
