// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/detail/level_sets.h"

#include <span>

#include "tessera/exec/append.h"
#include "tessera/exec/atomic.h"
#include "tessera/exec/for_each.h"
#include "tessera/surface/relation.h"

namespace tessera::surface::detail {
namespace {

using exec::Buffer;
using exec::View;

/// The vertices of the last level that was found, as a range of LevelSets::order, and how many
/// levels there are with it.
struct Frontier {
  Index begin;
  Index end;
  Index levels;
};

struct Spread {
  RelationView<Vertex, Vertex> neighbours;
  View<const Vertex> order;
  View<Index> level;
  View<const Frontier> frontier;
  Index workers;

  template <class Append>
  TESSERA_KERNEL void operator()(Index worker, Append& append) const {
    const Frontier now = frontier[0];
    for (std::size_t at = std::size_t{now.begin} + worker; at < now.end; at += workers)
      for (const Vertex w : neighbours[order[at]])
        if (exec::atomic_load(level[w.index]) == no_index &&
            exec::atomic_compare_exchange(level[w.index], no_index, now.levels) == no_index)
          append(w);
  }
};

struct AdvanceFrontier {
  View<Frontier> frontier;
  View<const Index> found;
  View<Index> level_begin;
  TESSERA_KERNEL void operator()(Index /*one*/) const {
    Frontier& now = frontier[0];
    now.begin = now.end;
    now.end = found[0];
    if (now.begin == now.end) return;
    level_begin[now.levels] = now.begin;
    ++now.levels;
  }
};

struct SetSource {
  View<const Vertex> order;
  View<Index> level;
  TESSERA_KERNEL void operator()(Index i) const { level[order[i].index] = 0; }
};

}  // namespace

LevelSets find_levels(const PatchedMesh& mesh, const std::vector<Vertex>& sources,
                      VertexAttribute<Index>& level, const ProgressCallback& callback) {
  const exec::Stream& stream = mesh.stream();
  const auto neighbours = collect<Op::vv>(mesh);
  const auto first = static_cast<Index>(sources.size());
  LevelSets sets;
  sets.order = Buffer<Vertex>(stream, mesh.vertices());
  exec::copy_to_device(stream, sets.order.view().subview(0, first),
                       std::span<const Vertex>(sources));
  fill(mesh, level, no_index);
  exec::for_each(stream, first, SetSource{sets.order.const_view(), level.view().values()});
  Buffer<Index> found(stream, 1);
  exec::fill(stream, found.view(), first);
  Buffer<Index> level_begin(stream, std::size_t{mesh.vertices()} + 1);
  exec::fill(stream, level_begin.view(), 0);
  Buffer<Frontier> frontier(stream, 1);
  Frontier now{0, first, 1};
  exec::fill(stream, frontier.view(), now);

  const Index rounds = rounds_per_check(stream);
  Progress progress(callback, "levels", mesh.vertices());
  while (now.begin < now.end) {
    // Where the host does not know the size of each frontier, as many workers as keep a GPU busy.
    const Index workers = rounds == 1 ? now.end - now.begin : 1U << 16;
    for (Index round = 0; round < rounds; ++round) {
      exec::for_each_append(stream, workers,
                            Spread{neighbours.view(), sets.order.const_view(),
                                   level.view().values(), frontier.const_view(), workers},
                            sets.order.view(), found.view());
      exec::for_each(stream, Index{1},
                     AdvanceFrontier{frontier.view(), found.const_view(), level_begin.view()});
    }
    const Index before = now.end;
    now = exec::download_one(stream, frontier, 0);
    progress.advance(now.end - before);
  }
  sets.level_begin = exec::download(stream, level_begin.const_view().subview(0, now.levels));
  sets.level_begin.push_back(now.end);
  return sets;
}

}  // namespace tessera::surface::detail
