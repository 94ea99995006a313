// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/patched_mesh.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/error.h"
#include "tessera/core/stopwatch.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/sort.h"
#include "tessera/exec/team.h"
#include "tessera/surface/detail/edges.h"
#include "tessera/surface/detail/input.h"
#include "tessera/surface/detail/partition.h"
#include "tessera/surface/detail/patch_build.h"
#include "tessera/surface/detail/sorted_faces.h"

namespace tessera::surface {
namespace {

using exec::Buffer;
using exec::View;

struct WriteEdgeKeys {
  detail::MeshView mesh;
  View<const Index> input_vertices;
  View<std::uint64_t> keys;
  TESSERA_KERNEL void operator()(exec::Team& team) const {
    const detail::Patch patch = mesh.patch(team.index());
    team.for_each(patch.edges.owned, [&](Index e) {
      const std::uint64_t a = input_vertices[patch.vertices.handle(patch.ev[e].vertex[0]).index];
      const std::uint64_t b = input_vertices[patch.vertices.handle(patch.ev[e].vertex[1]).index];
      keys[patch.edges.begin + e] = a < b ? (a << 32) | b : (b << 32) | a;
    });
  }
};

void check_input(const TriangleSoup& mesh) {
  detail::require_valid(mesh);
  if (mesh.triangles.empty()) throw InputError("a mesh without faces cannot be cut into patches");
}

/// The input on its device, in an order that keeps neighbours together, and its edges.
struct SortedMesh {
  detail::SortedFaces faces;
  detail::EdgeTable edges;

  static constexpr std::uint64_t steps = 2;  ///< by which its constructor advances its progress

  SortedMesh(const exec::Stream& stream, const TriangleSoup& mesh, Progress& progress) {
    const detail::Input positions(stream, mesh.positions);
    const detail::Input triangles(stream, mesh.triangles);
    faces = detail::sort_in_space(stream, positions.view(), triangles.view());
    progress.advance(1);
    edges = detail::build_edges(stream, faces.triangles.const_view(), mesh.positions.size(),
                                detail::Loops::kept);
    progress.advance(1);
  }
};

}  // namespace

PatchedMesh::PatchedMesh(const exec::Stream& stream, const TriangleSoup& mesh,
                         const PatchOptions& options)
    : stream_(stream) {
  constexpr int smallest = 16;
  constexpr int largest = 8192;
  if (options.patch_faces < smallest || options.patch_faces > largest)
    throw InputError("patches of " + std::to_string(options.patch_faces) +
                     " faces: the size must be from " + std::to_string(smallest) + " to " +
                     std::to_string(largest));
  const Stopwatch all;
  check_input(mesh);
  Progress progress(options.progress, "patching",
                    SortedMesh::steps + detail::patching_steps + detail::building_steps);
  const SortedMesh sorted(stream, mesh, progress);
  stream.synchronize();
  const Stopwatch patching;
  const detail::Partition partition =
      detail::make_patches(stream, static_cast<Index>(mesh.triangles.size()), sorted.edges,
                           static_cast<Index>(options.patch_faces), options.seed, progress);
  statistics_.seconds_patching = patching.seconds();
  take(detail::build_patches(stream, sorted.faces, sorted.edges, partition, progress));
  statistics_.seconds_total = all.seconds();
}

PatchedMesh::PatchedMesh(const exec::Stream& stream, const TriangleSoup& mesh,
                         std::span<const Index> patch_of_face, const ProgressCallback& callback)
    : stream_(stream) {
  const Stopwatch all;
  check_input(mesh);
  if (patch_of_face.size() != mesh.triangles.size())
    throw InputError("there must be a patch for every face");
  const Index largest = *std::max_element(patch_of_face.begin(), patch_of_face.end());
  if (largest >= patch_of_face.size()) throw InputError("patches must be numbered without gaps");
  std::vector<char> seen(std::size_t{largest} + 1);
  for (const Index p : patch_of_face) seen[p] = 1;
  if (std::find(seen.begin(), seen.end(), 0) != seen.end())
    throw InputError("patches must be numbered without gaps");
  Progress progress(callback, "patching", SortedMesh::steps + detail::building_steps);
  const SortedMesh sorted(stream, mesh, progress);
  detail::Partition partition;
  partition.patches = largest + 1;
  partition.patch_of_face = Buffer<Index>(stream, patch_of_face.size());
  const Buffer<Index> given = exec::upload(stream, patch_of_face);
  exec::gather_values(stream, given.const_view(), sorted.faces.input_of_face.const_view(),
                      partition.patch_of_face.view());
  take(detail::build_patches(stream, sorted.faces, sorted.edges, partition, progress));
  statistics_.seconds_total = all.seconds();
}

void PatchedMesh::take(detail::BuiltPatches&& built) {
  vertices_ = built.vertices;
  vertices_in_patches_ = built.vertices_in_patches;
  edges_ = built.edges;
  faces_ = built.faces;
  buffers_ = std::move(built.buffers);
  limits_ = built.limits;
  input_vertices_ = std::move(built.input_vertices);
  input_faces_ = std::move(built.input_faces);
  const auto faces = static_cast<double>(faces_);
  statistics_.patches = patches();
  statistics_.max_patch_faces = limits_.owned_faces;
  statistics_.ribbon_ratio = static_cast<double>(buffers_.faces.ribbon.size()) / faces;
  statistics_.bytes_per_face = static_cast<double>(buffers_.bytes()) / faces;
}

detail::MeshView PatchedMesh::view() const {
  return {detail::view_of(buffers_.vertices),
          detail::view_of(buffers_.edges),
          detail::view_of(buffers_.faces),
          buffers_.fe.view(),
          buffers_.ev.view(),
          buffers_.neighbor_begin.view(),
          buffers_.neighbors.view()};
}

Array<Index> PatchedMesh::input_edges() const {
  const Buffer<Index> input = exec::upload(stream_, input_vertices_);
  Buffer<std::uint64_t> keys(stream_, edges_);
  exec::for_each_team(stream_, patches(), exec::Scratch{},
                      WriteEdgeKeys{view(), input.const_view(), keys.view()});
  Buffer<Index> order = exec::all_indices(stream_, edges_);
  exec::sort_pairs(stream_, keys, order, 32 + exec::bits_for(vertices_));
  Buffer<Index> place(stream_, edges_);
  exec::invert(stream_, order.const_view(), place.view());
  return exec::download(stream_, place);
}

Array<Index> PatchedMesh::patch_of_input_faces() const {
  const auto begin = exec::download(stream_, buffers_.faces.begin);
  Array<Index> patch(faces_);
  for (Index p = 0; p < patches(); ++p)
    for (Index f = begin[p]; f < begin[p + 1]; ++f) patch[input_faces_[f]] = p;
  return patch;
}

}  // namespace tessera::surface
