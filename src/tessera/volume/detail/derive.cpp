// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Relations over two and three steps: Mueller-Roemer et al., section 4.1.
#include "tessera/volume/detail/derive.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "tessera/core/error.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/scan.h"
#include "tessera/volume/detail/sort_row.h"

namespace tessera::volume::detail {
namespace {

using exec::Buffer;
using exec::View;

struct StartOfEdge {
  View<const EdgeVertices> edge_vertices;
  View<const SignedIndex> edges;
  View<Index> starts;
  TESSERA_KERNEL void operator()(Index i) const {
    const SignedIndex e = edges[i];
    starts[i] = edge_vertices[e.index()][e.is_reversed() ? 1 : 0];
  }
};

struct CountCellEdges {
  TernaryView face_edges;
  TernaryView cell_faces;
  View<Index> counts;
  TESSERA_KERNEL void operator()(Index c) const {
    if (c == cell_faces.rows()) {
      counts[c] = 0;
      return;
    }
    Index uses = 0;
    for (Index i = cell_faces.begin(c); i < cell_faces.end(c); ++i)
      uses += face_edges.size(cell_faces.entries[i].index());
    counts[c] = uses / 2;
  }
};

/// Takes each edge where it is used in its own direction: once.
struct FillCellEdges {
  TernaryView face_edges;
  TernaryView cell_faces;
  View<const Index> offsets;
  View<Index> edges;
  TESSERA_KERNEL void operator()(Index c) const {
    const Index begin = offsets[c];
    const Index end = offsets[c + 1];
    Index next = begin;
    for (Index i = cell_faces.begin(c); i < cell_faces.end(c); ++i) {
      const SignedIndex face = cell_faces.entries[i];
      for (Index k = face_edges.begin(face.index()); k < face_edges.end(face.index()); ++k) {
        const SignedIndex edge = face_edges.entries[k];
        // A cell that is not closed may have more; what is checked by validate() must not crash.
        if (edge.is_reversed() == face.is_reversed() && next < end) edges[next++] = edge.index();
      }
    }
    for (; next < end; ++next) edges[next] = next == begin ? 0 : edges[next - 1];
    sort_row(edges.data() + begin, end - begin);
  }
};

/// Cells of so many vertices or fewer keep them from counting to filling; others find them again.
constexpr Index few_vertices = 8;

/// The vertices of a cell, sorted, each once: on a thread's stack as long as they are not many.
/// Returns how many, or no_index if there are more.
constexpr Index most_vertices_on_stack = 32;
TESSERA_KERNEL Index collect_vertices(View<const EdgeVertices> edge_vertices,
                                      View<const Index> edges,
                                      Index (&vertices)[most_vertices_on_stack]) {
  Index count = 0;
  for (const Index e : edges) {
    for (int k = 0; k < 2; ++k) {
      const Index v = edge_vertices[e][k];
      Index at = count;
      while (at > 0 && vertices[at - 1] > v) --at;
      if (at > 0 && vertices[at - 1] == v) continue;
      if (count == most_vertices_on_stack) return no_index;
      for (Index j = count; j > at; --j) vertices[j] = vertices[j - 1];
      vertices[at] = v;
      ++count;
    }
  }
  return count;
}

/// How many vertices, or, where they are too many for the stack, how much room finding out takes.
struct CountCellVertices {
  View<const EdgeVertices> edge_vertices;
  RelationView<Index> cell_edges;
  View<Index> counts;
  View<Index> room;
  View<Index> few;  ///< the vertices themselves, few_vertices for each cell
  TESSERA_KERNEL void operator()(Index c) const {
    counts[c] = 0;
    room[c] = 0;
    if (c == cell_edges.rows()) return;
    Index vertices[most_vertices_on_stack];
    const Index count = collect_vertices(edge_vertices, cell_edges.row(c), vertices);
    if (count == no_index) {
      room[c] = 2 * cell_edges.size(c);
      return;
    }
    counts[c] = count;
    if (count <= few_vertices)
      for (Index i = 0; i < count; ++i) few[few_vertices * std::size_t{c} + i] = vertices[i];
  }
};

/// The vertices of cells with many, sorted, each once, at the front of their room.
struct CollectManyVertices {
  View<const EdgeVertices> edge_vertices;
  RelationView<Index> cell_edges;
  View<const Index> room_offsets;
  View<Index> room;
  View<Index> counts;
  TESSERA_KERNEL void operator()(Index c) const {
    const Index size = room_offsets[c + 1] - room_offsets[c];
    if (size == 0) return;
    Index* row = room.data() + room_offsets[c];
    Index next = 0;
    for (const Index e : cell_edges.row(c))
      for (int k = 0; k < 2; ++k) row[next++] = edge_vertices[e][k];
    sort_row(row, size);
    Index kept = 1;
    for (Index i = 1; i < size; ++i)
      if (row[i] != row[kept - 1]) row[kept++] = row[i];
    counts[c] = kept;
  }
};

struct FillCellVertices {
  View<const EdgeVertices> edge_vertices;
  RelationView<Index> cell_edges;
  View<const Index> room_offsets;
  View<const Index> room;
  View<const Index> few;
  View<const Index> offsets;
  View<Index> entries;
  TESSERA_KERNEL void operator()(Index c) const {
    const Index count = offsets[c + 1] - offsets[c];
    Index vertices[most_vertices_on_stack];
    const Index* from = few.data() + few_vertices * std::size_t{c};
    if (room_offsets[c + 1] > room_offsets[c]) {
      from = room.data() + room_offsets[c];
    } else if (count > few_vertices) {
      collect_vertices(edge_vertices, cell_edges.row(c), vertices);
      from = vertices;
    }
    for (Index i = 0; i < count; ++i) entries[offsets[c] + i] = from[i];
  }
};

/// Throws InputError where 32-bit offsets would wrap.
void require_offsets(std::uint64_t entries, const std::string& what) {
  if (entries > no_index)
    throw InputError(std::to_string(entries) + " " + what + " are more than 32 bits can number");
}

}  // namespace

Relation<Index> derive_face_vertices(const exec::Stream& stream,
                                     View<const EdgeVertices> edge_vertices,
                                     const TernaryView& face_edges) {
  Relation<Index> result;
  result.entries = Buffer<Index>(stream, face_edges.entries.size());
  exec::for_each(stream, static_cast<Index>(face_edges.entries.size()),
                 StartOfEdge{edge_vertices, face_edges.entries, result.entries.view()});
  return result;
}

Relation<Index> derive_cell_edges(const exec::Stream& stream, const TernaryView& face_edges,
                                  const TernaryView& cell_faces) {
  const Index cells = cell_faces.rows();
  Relation<Index> result;
  result.offsets = Buffer<Index>(stream, std::size_t{cells} + 1);
  exec::for_each(stream, cells + 1, CountCellEdges{face_edges, cell_faces, result.offsets.view()});
  require_offsets(exec::reduce(stream, result.offsets.const_view(), std::uint64_t{0}, exec::Plus{}),
                  "edges of cells");
  exec::exclusive_scan(stream, result.offsets.view(), result.offsets.view());
  result.entries = Buffer<Index>(stream, exec::download_one(stream, result.offsets, cells));
  exec::for_each(
      stream, cells,
      FillCellEdges{face_edges, cell_faces, result.offsets.const_view(), result.entries.view()});
  return result;
}

Relation<Index> derive_cell_vertices(const exec::Stream& stream,
                                     View<const EdgeVertices> edge_vertices,
                                     const RelationView<Index>& cell_edges) {
  const Index cells = cell_edges.rows();
  Relation<Index> result;
  result.offsets = Buffer<Index>(stream, std::size_t{cells} + 1);
  Buffer<Index> room_offsets(stream, std::size_t{cells} + 1);
  Buffer<Index> few(stream, few_vertices * std::size_t{cells});
  exec::for_each(stream, cells + 1,
                 CountCellVertices{edge_vertices, cell_edges, result.offsets.view(),
                                   room_offsets.view(), few.view()});
  require_offsets(exec::reduce(stream, room_offsets.const_view(), std::uint64_t{0}, exec::Plus{}),
                  "vertices of cells");
  exec::exclusive_scan(stream, room_offsets.view(), room_offsets.view());
  Buffer<Index> room(stream, exec::download_one(stream, room_offsets, cells));
  if (!room.empty())
    exec::for_each(stream, cells,
                   CollectManyVertices{edge_vertices, cell_edges, room_offsets.const_view(),
                                       room.view(), result.offsets.view()});
  exec::exclusive_scan(stream, result.offsets.view(), result.offsets.view());
  result.entries = Buffer<Index>(stream, exec::download_one(stream, result.offsets, cells));
  exec::for_each(
      stream, cells,
      FillCellVertices{edge_vertices, cell_edges, room_offsets.const_view(), room.const_view(),
                       few.const_view(), result.offsets.const_view(), result.entries.view()});
  return result;
}

}  // namespace tessera::volume::detail
