// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/volume/extract.h"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "tessera/core/error.h"
#include "tessera/exec/atomic.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/compact.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/scan.h"

namespace tessera::volume {
namespace {

using exec::Buffer;
using exec::View;

/// Some elements of a kind, in ascending order, and where each of all elements is among them.
struct Selection {
  Buffer<Index> kept;
  Buffer<Index> place;
  Index count = 0;

  View<const Index> numbers() const { return kept.const_view().subview(0, count); }
};

template <class Flag>
struct IsSet {
  View<const Flag> flags;
  TESSERA_KERNEL bool operator()(Index i) const { return flags[i] != 0; }
};

template <class Flag>
Selection select(const exec::Stream& stream, View<const Flag> flags) {
  const auto all = static_cast<Index>(flags.size());
  Selection selection{Buffer<Index>(stream, all), Buffer<Index>(stream, all)};
  selection.count = exec::compact(stream, all, IsSet<Flag>{flags}, selection.kept.view());
  exec::invert(stream, selection.numbers(), selection.place.view());
  return selection;
}

/// Flags in the host's memory, if there are any.
Array<std::uint8_t> select_flags(const exec::Stream& stream, const Array<std::uint8_t>& flags,
                                 const Selection& selection) {
  Array<std::uint8_t> result;
  if (flags.empty()) return result;
  for (const Index i : exec::download(stream, selection.numbers())) result.push_back(flags[i]);
  return result;
}

/// Several cells may mark a face at once, all with the same value.
struct MarkRow {
  TernaryView matrix;
  View<const Index> rows;
  View<Index> marks;
  TESSERA_KERNEL void operator()(Index i) const {
    for (const SignedIndex entry : matrix.row(rows[i]))
      exec::atomic_store(marks[entry.index()], Index{1});
  }
};

struct MarkEnds {
  View<const EdgeVertices> edges;
  View<const Index> rows;
  View<Index> marks;
  TESSERA_KERNEL void operator()(Index i) const {
    for (int k = 0; k < 2; ++k) exec::atomic_store(marks[edges[rows[i]][k]], Index{1});
  }
};

struct RowSize {
  TernaryView matrix;
  View<const Index> rows;
  View<Index> sizes;
  TESSERA_KERNEL void operator()(Index i) const {
    sizes[i] = i < rows.size() ? matrix.size(rows[i]) : 0;
  }
};

struct WriteSelectedRow {
  TernaryView matrix;
  View<const Index> rows;
  View<const Index> place_of_column;
  View<const Index> offsets;
  View<SignedIndex> entries;
  TESSERA_KERNEL void operator()(Index i) const {
    Index next = offsets[i];
    for (const SignedIndex entry : matrix.row(rows[i]))
      entries[next++] = {place_of_column[entry.index()], entry.is_reversed()};
  }
};

TernaryMatrix select_rows(const exec::Stream& stream, const TernaryView& matrix,
                          const Selection& rows, const Selection& columns) {
  TernaryMatrix result;
  result.offsets = Buffer<Index>(stream, std::size_t{rows.count} + 1);
  exec::for_each(stream, rows.count + 1, RowSize{matrix, rows.numbers(), result.offsets.view()});
  exec::exclusive_scan(stream, result.offsets.view(), result.offsets.view());
  result.entries =
      Buffer<SignedIndex>(stream, exec::download_one(stream, result.offsets, rows.count));
  exec::for_each(stream, rows.count,
                 WriteSelectedRow{matrix, rows.numbers(), columns.place.const_view(),
                                  result.offsets.const_view(), result.entries.view()});
  return result;
}

struct SelectEdge {
  View<const EdgeVertices> edges;
  View<const Index> rows;
  View<const Index> place_of_vertex;
  View<EdgeVertices> selected;
  TESSERA_KERNEL void operator()(Index i) const {
    const EdgeVertices ends = edges[rows[i]];
    selected[i] = {place_of_vertex[ends[0]], place_of_vertex[ends[1]]};
  }
};

struct IsOnSide {
  View<const Vec3d> positions;
  RelationView<Index> cell_vertices;
  Plane plane;
  Side side;
  View<std::uint8_t> flags;
  TESSERA_KERNEL void operator()(Index c) const {
    double sum = 0;
    for (const Index v : cell_vertices.row(c))
      sum += dot(plane.normal, positions[v]) - plane.offset;
    flags[c] = (sum < 0) == (side == Side::behind) ? 1 : 0;
  }
};

}  // namespace

Complex extract_cells(const Complex& complex, View<const std::uint8_t> flags) {
  if (flags.size() != complex.cells())
    throw std::invalid_argument("cells to extract need a flag for each");
  const exec::Stream& stream = complex.stream();
  const Selection cells = select(stream, flags);
  const auto select_marked = [&](Index all, Index rows, const auto& mark) {
    Buffer<Index> marks(stream, all);
    exec::fill(stream, marks.view(), 0);
    exec::for_each(stream, rows, mark(marks.view()));
    return select(stream, marks.const_view());
  };
  const Selection faces = select_marked(complex.faces(), cells.count, [&](View<Index> marks) {
    return MarkRow{complex.cell_faces(), cells.numbers(), marks};
  });
  const Selection edges = select_marked(complex.edges(), faces.count, [&](View<Index> marks) {
    return MarkRow{complex.face_edges(), faces.numbers(), marks};
  });
  const Selection vertices = select_marked(complex.vertices(), edges.count, [&](View<Index> marks) {
    return MarkEnds{complex.edge_vertices(), edges.numbers(), marks};
  });

  Operators operators;
  operators.positions = Buffer<Vec3d>(stream, vertices.count);
  exec::gather_values(stream, complex.positions(), vertices.numbers(), operators.positions.view());
  operators.edge_vertices = Buffer<EdgeVertices>(stream, edges.count);
  exec::for_each(stream, edges.count,
                 SelectEdge{complex.edge_vertices(), edges.numbers(), vertices.place.const_view(),
                            operators.edge_vertices.view()});
  operators.face_edges = select_rows(stream, complex.face_edges(), faces, edges);
  operators.cell_faces = select_rows(stream, complex.cell_faces(), cells, faces);
  Complex result(stream, std::move(operators));
  const std::pair<Element, const Selection*> kinds[] = {{Element::vertex, &vertices},
                                                        {Element::edge, &edges},
                                                        {Element::face, &faces},
                                                        {Element::cell, &cells}};
  for (const auto& [element, selection] : kinds)
    if (!complex.attributes(element).empty())
      result.attributes(element) =
          gather(complex.attributes(element), exec::download(stream, selection->numbers()));
  result.origin() = {complex.origin().precision,
                     select_flags(stream, complex.origin().named_faces, faces),
                     select_flags(stream, complex.origin().named_edges, edges)};
  return result;
}

Complex slice(const Complex& complex, const Plane& plane, Side side) {
  const double size = length(plane.normal);
  if (!(size > 0 && std::isfinite(size) && std::isfinite(plane.offset)))
    throw InputError("the plane's normal has no direction");
  Buffer<std::uint8_t> flags(complex.stream(), complex.cells());
  exec::for_each(complex.stream(), complex.cells(),
                 IsOnSide{complex.positions(), complex.cell_vertices(), plane, side, flags.view()});
  return extract_cells(complex, flags.const_view());
}

}  // namespace tessera::volume
