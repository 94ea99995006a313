// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/k_ring.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/error.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/scan.h"
#include "tessera/exec/sort.h"

// A patch's ribbon reaches one ring, so wider rings are made from the stored one-ring: what is
// within k + 1 edges of a vertex is what is within k edges of one of its neighbours.

namespace tessera::surface {
namespace {

using exec::Buffer;
using exec::View;
using VertexRings = Relation<Vertex, Vertex>;
using VertexRingsView = RelationView<Vertex, Vertex>;

/// About how many candidates are sorted at a time: enough to keep a GPU busy, and 256 MiB of keys.
constexpr std::uint64_t batch_candidates = std::uint64_t{1} << 24;

struct CountCandidates {
  VertexRingsView one;
  VertexRingsView reached;
  View<std::uint64_t> counts;
  TESSERA_KERNEL void operator()(Index v) const {
    const ElementRange<Vertex> neighbours = one[Vertex{v}];
    std::uint64_t count = neighbours.size();
    for (const Vertex w : neighbours) count += reached[w].size() - 1;  // v itself is one of them
    counts[v] = count;
  }
};

/// The rows first .. first + rows - 1 and their candidates, row after row. A key is a row, counted
/// from the first, and a vertex in its lowest bits.
struct Batch {
  Index first;
  int vertex_bits;
  View<const std::uint64_t> starts;  ///< of the candidates of all vertices
  View<std::uint64_t> keys;

  TESSERA_KERNEL std::uint64_t begin(Index row) const {
    return starts[first + row] - starts[first];
  }
  TESSERA_KERNEL bool starts_run(std::uint64_t i, std::uint64_t begin) const {
    return i == begin || keys[i] != keys[i - 1];
  }
};

struct WriteCandidates {
  VertexRingsView one;
  VertexRingsView reached;
  Batch batch;
  TESSERA_KERNEL void operator()(Index row) const {
    const Vertex v{batch.first + row};
    const std::uint64_t high = std::uint64_t{row} << batch.vertex_bits;
    std::uint64_t at = batch.begin(row);
    for (const Vertex w : one[v]) {
      batch.keys[at++] = high | w.index;
      for (const Vertex u : reached[w])
        if (u != v) batch.keys[at++] = high | u.index;
    }
  }
};

struct CountDistinct {
  Batch batch;
  View<Index> counts;
  TESSERA_KERNEL void operator()(Index row) const {
    const std::uint64_t begin = batch.begin(row);
    const std::uint64_t end = batch.begin(row + 1);
    Index distinct = 0;
    for (std::uint64_t i = begin; i < end; ++i) distinct += batch.starts_run(i, begin) ? 1 : 0;
    counts[row] = distinct;
  }
};

struct WriteDistinct {
  Batch batch;
  View<const std::uint64_t> offsets;
  View<Vertex> elements;
  TESSERA_KERNEL void operator()(Index row) const {
    const std::uint64_t mask = (std::uint64_t{1} << batch.vertex_bits) - 1;
    const std::uint64_t begin = batch.begin(row);
    const std::uint64_t end = batch.begin(row + 1);
    std::uint64_t at = offsets[row];
    for (std::uint64_t i = begin; i < end; ++i)
      if (batch.starts_run(i, begin))
        elements[at++] = Vertex{static_cast<Index>(batch.keys[i] & mask)};
  }
};

void require_offsets_fit(std::uint64_t elements, int k) {
  if (elements > std::numeric_limits<Index>::max())
    throw InputError("the " + std::to_string(k) +
                     "-rings of all vertices have more elements than 32-bit offsets can count");
}

/// Sorts out the candidates of one batch: writes how many distinct ones each row has, and returns
/// them, row after row.
Buffer<Vertex> distinct_candidates(const exec::Stream& stream, const VertexRings& one,
                                   const VertexRings& reached, const Buffer<std::uint64_t>& starts,
                                   Index first, View<Index> counts) {
  const auto rows = static_cast<Index>(counts.size());
  const auto vertices = static_cast<Index>(starts.size() - 1);
  const std::uint64_t candidates = exec::download_one(stream, starts, std::size_t{first} + rows) -
                                   exec::download_one(stream, starts, first);
  Buffer<std::uint64_t> keys(stream, candidates);
  Batch batch{first, exec::bits_for(vertices), starts.const_view(), keys.view()};
  exec::for_each(stream, rows, WriteCandidates{one.view(), reached.view(), batch});
  exec::sort(stream, keys, batch.vertex_bits + exec::bits_for(rows));
  batch.keys = keys.view();  // sorting may have moved them
  exec::for_each(stream, rows, CountDistinct{batch, counts});
  Buffer<std::uint64_t> offsets(stream, std::size_t{rows} + 1);
  exec::exclusive_scan(stream, counts, offsets.view().subview(0, rows));
  std::uint64_t total = 0;
  if (rows > 0)
    total = exec::download_one(stream, offsets, rows - 1) +
            exec::download(stream, View<const Index>(counts.subview(rows - 1, 1)))[0];
  Buffer<Vertex> elements(stream, total);
  exec::for_each(stream, rows, WriteDistinct{batch, offsets.const_view(), elements.view()});
  return elements;
}

/// From all within k - 1 edges to all within k edges.
VertexRings widened(const exec::Stream& stream, const VertexRings& one, const VertexRings& reached,
                    int k, Progress& progress) {
  const auto vertices = static_cast<Index>(one.offsets.size() - 1);
  Buffer<std::uint64_t> starts(stream, one.offsets.size());
  exec::fill(stream, starts.view().subview(vertices, 1), 0);
  exec::for_each(stream, vertices, CountCandidates{one.view(), reached.view(), starts.view()});
  exec::exclusive_scan(stream, starts.view(), starts.view());

  VertexRings result;
  result.offsets = Buffer<Index>(stream, one.offsets.size());
  exec::fill(stream, result.offsets.view().subview(vertices, 1), 0);
  const std::uint64_t batches = exec::download_one(stream, starts, vertices) / batch_candidates + 1;
  const auto batch_rows = static_cast<Index>(vertices / batches + 1);
  std::vector<Buffer<Vertex>> parts;
  std::uint64_t total = 0;
  for (std::uint64_t first = 0; first < vertices; first += batch_rows) {
    const auto rows = static_cast<Index>(std::min<std::uint64_t>(batch_rows, vertices - first));
    parts.push_back(distinct_candidates(stream, one, reached, starts, static_cast<Index>(first),
                                        result.offsets.view().subview(first, rows)));
    total += parts.back().size();
    require_offsets_fit(total, k);
    progress.advance(rows);
  }
  exec::exclusive_scan(stream, result.offsets.view(), result.offsets.view());
  result.elements = Buffer<Vertex>(stream, total);
  std::size_t at = 0;
  for (const Buffer<Vertex>& part : parts) {
    exec::copy_on_device(stream, result.elements.view().subview(at, part.size()),
                         part.const_view());
    at += part.size();
  }
  return result;
}

}  // namespace

Relation<Vertex, Vertex> k_ring(const PatchedMesh& mesh, int k, const ProgressCallback& callback) {
  if (k < 1) throw InputError("rings of " + std::to_string(k) + " edges: it must be at least 1");
  VertexRings one = collect<Op::vv>(mesh);
  if (k == 1) return one;
  Progress progress(callback, "rings",
                    static_cast<std::uint64_t>(k - 1) * std::uint64_t{mesh.vertices()});
  VertexRings rings = widened(mesh.stream(), one, one, 2, progress);
  for (int reach = 3; reach <= k; ++reach) {
    VertexRings wider = widened(mesh.stream(), one, rings, reach, progress);
    if (wider.elements.size() == rings.elements.size()) break;  // whole components already
    rings = std::move(wider);
  }
  return rings;
}

}  // namespace tessera::surface
