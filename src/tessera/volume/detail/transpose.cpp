// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Coboundary operators by count, scan and fill: Mueller-Roemer et al., section 4.1, algorithm 1.
#include "tessera/volume/detail/transpose.h"

#include <cstddef>

#include "tessera/exec/atomic.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/scan.h"
#include "tessera/exec/sort.h"
#include "tessera/volume/detail/sort_row.h"

namespace tessera::volume::detail {
namespace {

using exec::Buffer;
using exec::View;

TESSERA_KERNEL SignedIndex with_sign_of(SignedIndex entry, Index row) {
  return {row, entry.is_reversed()};
}
TESSERA_KERNEL Index with_sign_of(Index, Index row) {
  return row;
}

/// An edge as a row of two: it leaves the first vertex and arrives at the second.
struct EdgeRows {
  using Entry = SignedIndex;
  View<const EdgeVertices> edge_vertices;
  TESSERA_KERNEL Index begin(Index e) const { return 2 * e; }
  TESSERA_KERNEL Index end(Index e) const { return 2 * e + 2; }
  TESSERA_KERNEL SignedIndex entry(Index i) const {
    return {edge_vertices[i / 2][static_cast<int>(i % 2)], i % 2 == 0};
  }
};

template <class E>
struct ListedRows {
  using Entry = E;
  RelationView<E> relation;
  TESSERA_KERNEL Index begin(Index r) const { return relation.begin(r); }
  TESSERA_KERNEL Index end(Index r) const { return relation.end(r); }
  TESSERA_KERNEL E entry(Index i) const { return relation.entries[i]; }
};

/// Counts the entries of each column, and keeps which of them each one was.
template <class Rows>
struct CountColumns {
  Rows rows;
  View<Index> counts;
  View<Index> ranks;
  TESSERA_KERNEL void operator()(Index i) const {
    ranks[i] = exec::atomic_add(counts[index_of(rows.entry(i))], Index{1});
  }
};

template <class Rows>
struct FillColumns {
  Rows rows;
  View<const Index> offsets;
  View<const Index> ranks;
  View<typename Rows::Entry> entries;
  TESSERA_KERNEL void operator()(Index r) const {
    for (Index i = rows.begin(r); i < rows.end(r); ++i) {
      const auto entry = rows.entry(i);
      entries[offsets[index_of(entry)] + ranks[i]] = with_sign_of(entry, r);
    }
  }
};

template <class Entry>
struct SortRow {
  View<const Index> offsets;
  View<Entry> entries;
  TESSERA_KERNEL void operator()(Index r) const {
    sort_row(entries.data() + offsets[r], offsets[r + 1] - offsets[r]);
  }
};

template <class Rows>
struct WritePairs {
  Rows rows;
  View<Index> columns;
  View<typename Rows::Entry> entries;
  TESSERA_KERNEL void operator()(Index r) const {
    for (Index i = rows.begin(r); i < rows.end(r); ++i) {
      const auto entry = rows.entry(i);
      columns[i] = index_of(entry);
      entries[i] = with_sign_of(entry, r);
    }
  }
};

/// Where each column starts among sorted ones; those without entries start where the next does.
struct WriteStarts {
  View<const Index> sorted;
  View<Index> offsets;
  TESSERA_KERNEL void operator()(Index i) const {
    const auto columns = static_cast<Index>(offsets.size()) - 1;
    const Index first = i == 0 ? 0 : sorted[i - 1] + 1;
    const Index last = i < sorted.size() ? sorted[i] : columns;
    for (Index c = first; c <= last; ++c) offsets[c] = i;
  }
};

template <class Rows>
Relation<typename Rows::Entry> transpose_by_sorting(const exec::Stream& stream, const Rows& rows,
                                                    Index row_count, Index entries, Index columns) {
  using Entry = typename Rows::Entry;
  Relation<Entry> result{Buffer<Index>(stream, std::size_t{columns} + 1),
                         Buffer<Entry>(stream, entries)};
  Buffer<Index> keys(stream, entries);
  exec::for_each(stream, row_count, WritePairs<Rows>{rows, keys.view(), result.entries.view()});
  exec::sort_pairs(stream, keys, result.entries, exec::bits_for(columns));
  exec::for_each(stream, entries + 1, WriteStarts{keys.const_view(), result.offsets.view()});
  return result;
}

template <class Rows>
Relation<typename Rows::Entry> transpose_by_counting(const exec::Stream& stream, const Rows& rows,
                                                     Index row_count, Index entries,
                                                     Index columns) {
  using Entry = typename Rows::Entry;
  Relation<Entry> result{Buffer<Index>(stream, std::size_t{columns} + 1),
                         Buffer<Entry>(stream, entries)};
  Buffer<Index> ranks(stream, entries);
  exec::fill(stream, result.offsets.view(), 0);
  exec::for_each(stream, entries, CountColumns<Rows>{rows, result.offsets.view(), ranks.view()});
  exec::exclusive_scan(stream, result.offsets.view(), result.offsets.view());
  exec::for_each(stream, row_count,
                 FillColumns<Rows>{rows, result.offsets.const_view(), ranks.const_view(),
                                   result.entries.view()});
  exec::for_each(stream, columns,
                 SortRow<Entry>{result.offsets.const_view(), result.entries.view()});
  return result;
}

template <class Rows>
Relation<typename Rows::Entry> transpose_rows(const exec::Stream& stream, const Rows& rows,
                                              Index row_count, Index entries, Index columns,
                                              TransposeBy method) {
  return method == TransposeBy::sorting
             ? transpose_by_sorting(stream, rows, row_count, entries, columns)
             : transpose_by_counting(stream, rows, row_count, entries, columns);
}

template <class Entry>
Relation<Entry> transpose_listed(const exec::Stream& stream, const RelationView<Entry>& relation,
                                 Index columns, std::optional<TransposeBy> method) {
  const auto entries = static_cast<Index>(relation.entries.size());
  return transpose_rows(stream, ListedRows<Entry>{relation}, relation.rows(), entries, columns,
                        method.value_or(best_transpose(stream, entries, columns)));
}

}  // namespace

TransposeBy best_transpose(const exec::Stream& stream, Index entries, Index columns) {
  constexpr Index long_row = 8;
  return stream.backend() == exec::Backend::cuda && entries / long_row >= columns
             ? TransposeBy::sorting
             : TransposeBy::counting;
}

TernaryMatrix transpose(const exec::Stream& stream, const TernaryView& matrix, Index columns,
                        std::optional<TransposeBy> method) {
  return transpose_listed(stream, matrix, columns, method);
}

Relation<Index> transpose(const exec::Stream& stream, const RelationView<Index>& relation,
                          Index columns, std::optional<TransposeBy> method) {
  return transpose_listed(stream, relation, columns, method);
}

TernaryMatrix transpose_edges(const exec::Stream& stream, View<const EdgeVertices> edge_vertices,
                              Index vertices, std::optional<TransposeBy> method) {
  const auto edges = static_cast<Index>(edge_vertices.size());
  return transpose_rows(stream, EdgeRows{edge_vertices}, edges, 2 * edges, vertices,
                        method.value_or(best_transpose(stream, 2 * edges, vertices)));
}

}  // namespace tessera::volume::detail
