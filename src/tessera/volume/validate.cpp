// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "tessera/exec/for_each.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/scan.h"
#include "tessera/volume/complex.h"
#include "tessera/volume/detail/sort_row.h"

namespace tessera::volume {
namespace {

using exec::Buffer;
using exec::View;

/// The number i if `bad(i)`, else no_index.
template <class Bad>
struct NumberIf {
  Bad bad;
  TESSERA_KERNEL Index operator()(Index i) const { return bad(i) ? i : no_index; }
};

/// The first i below n for which `bad(i)`, or no_index.
template <class Bad>
Index first_bad(const exec::Stream& stream, Index n, const Bad& bad) {
  return exec::reduce(stream, n, no_index, NumberIf<Bad>{bad}, exec::Minimum{});
}

struct IsNotFinite {
  View<const Vec3d> positions;
  TESSERA_KERNEL bool operator()(Index v) const {
    for (int k = 0; k < 3; ++k)
      if (!(positions[v][k] - positions[v][k] == 0)) return true;
    return false;
  }
};

struct IsBadEdge {
  View<const EdgeVertices> edges;
  Index vertices;
  TESSERA_KERNEL bool operator()(Index e) const {
    return edges[e][0] >= vertices || edges[e][1] >= vertices || edges[e][0] == edges[e][1];
  }
};

/// Lists start with the first entry, follow each other and end with the last.
struct IsBadOffset {
  View<const Index> offsets;
  Index entries;
  TESSERA_KERNEL bool operator()(Index i) const {
    if (i == 0 && offsets[i] != 0) return true;
    if (i + 2 == offsets.size() && offsets[i + 1] != entries) return true;
    return offsets[i] > offsets[i + 1] || offsets[i + 1] > entries;
  }
};

struct IsOutOfRange {
  View<const SignedIndex> entries;
  Index elements;
  TESSERA_KERNEL bool operator()(Index i) const { return entries[i].index() >= elements; }
};

struct IsNoLoop {
  View<const EdgeVertices> edges;
  TernaryView face_edges;
  TESSERA_KERNEL bool operator()(Index f) const {
    const View<const SignedIndex> row = face_edges.row(f);
    if (row.size() < 3) return true;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const SignedIndex here = row[i];
      const SignedIndex next = row[i + 1 < row.size() ? i + 1 : 0];
      if (edges[here.index()][here.is_reversed() ? 0 : 1] !=
          edges[next.index()][next.is_reversed() ? 1 : 0])
        return true;
    }
    return false;
  }
};

/// Whether an element of a transposed matrix belongs to another one twice: its row is sorted.
struct HasDouble {
  TernaryView rows;
  TESSERA_KERNEL bool operator()(Index r) const {
    for (Index i = rows.begin(r) + 1; i < rows.end(r); ++i)
      if (rows.entries[i].index() == rows.entries[i - 1].index()) return true;
    return false;
  }
};

// Edges of faces of cells are counted in 64 bits: a hexahedron has 24 such uses of edges, and 180
// million of them more than 32 bits can number.

struct CountEdgeUses {
  TernaryView face_edges;
  TernaryView cell_faces;
  Index first_cell;
  View<std::uint64_t> counts;
  TESSERA_KERNEL void operator()(Index i) const {
    std::uint64_t uses = 0;
    if (i + 1 < counts.size())
      for (const SignedIndex face : cell_faces.row(first_cell + i))
        uses += face_edges.size(face.index());
    counts[i] = uses;
  }
};

/// The edges of all faces of a cell, with the directions in which the cell uses them. A cell has a
/// face once, so its uses are no more than the entries of face_edges.
struct ListEdgeUses {
  TernaryView face_edges;
  TernaryView cell_faces;
  Index first_cell;
  View<const std::uint64_t> offsets;
  View<SignedIndex> uses;
  TESSERA_KERNEL void operator()(Index i) const {
    std::uint64_t next = offsets[i];
    for (const SignedIndex face : cell_faces.row(first_cell + i))
      for (const SignedIndex edge : face_edges.row(face.index()))
        uses[next++] = edge.times(face.is_reversed());
    detail::sort_row(uses.data() + offsets[i], static_cast<Index>(next - offsets[i]));
  }
};

/// Every edge once in each direction, and the boundary of the boundary is zero.
struct IsNotClosed {
  View<const std::uint64_t> offsets;
  View<const SignedIndex> uses;
  TESSERA_KERNEL bool operator()(Index c) const {
    const std::uint64_t begin = offsets[c];
    const std::uint64_t end = offsets[c + 1];
    if (begin == end || (end - begin) % 2 != 0) return true;
    for (std::uint64_t i = begin; i < end; i += 2) {
      if (uses[i].index() != uses[i + 1].index()) return true;
      if (uses[i].is_reversed() == uses[i + 1].is_reversed()) return true;
      if (i + 2 < end && uses[i + 2].index() == uses[i].index()) return true;
    }
    return false;
  }
};

std::string number(Index i) {
  return std::to_string(i);
}

/// One sentence if offsets or numbers of a matrix are wrong.
std::optional<std::string> check_matrix(const exec::Stream& stream, const TernaryView& matrix,
                                        Index elements, const std::string& of,
                                        const std::string& what) {
  const auto entries = static_cast<Index>(matrix.entries.size());
  if (matrix.rows() == 0 && entries > 0)
    return "there are " + number(entries) + " " + what + "s of " + of + "s that do not exist";
  const Index bad_row = first_bad(stream, matrix.rows(), IsBadOffset{matrix.offsets, entries});
  if (bad_row != no_index) return of + " " + number(bad_row) + " has a list that is no list";
  const Index bad = first_bad(stream, entries, IsOutOfRange{matrix.entries, elements});
  if (bad == no_index) return std::nullopt;
  return "entry " + number(bad) + " of the " + what + "s of " + of + "s refers to a " + what +
         " beyond the " + number(elements) + " there are";
}

/// The first cell that is not closed, or no_index.
Index find_open_cell(const Complex& complex) {
  const exec::Stream& stream = complex.stream();
  constexpr Index block = 1 << 18;
  for (Index first = 0; first < complex.cells();
       first += std::min(block, complex.cells() - first)) {
    const Index cells = std::min(block, complex.cells() - first);
    Buffer<std::uint64_t> offsets(stream, std::size_t{cells} + 1);
    exec::for_each(
        stream, cells + 1,
        CountEdgeUses{complex.face_edges(), complex.cell_faces(), first, offsets.view()});
    exec::exclusive_scan(stream, offsets.view(), offsets.view());
    Buffer<SignedIndex> uses(stream, exec::download_one(stream, offsets, cells));
    exec::for_each(stream, cells,
                   ListEdgeUses{complex.face_edges(), complex.cell_faces(), first,
                                offsets.const_view(), uses.view()});
    const Index bad =
        first_bad(stream, cells, IsNotClosed{offsets.const_view(), uses.const_view()});
    if (bad != no_index) return first + bad;
  }
  return no_index;
}

std::optional<std::string> check_cells(const Complex& complex) {
  const Index bad = find_open_cell(complex);
  if (bad == no_index) return std::nullopt;
  return "cell " + number(bad) +
         " is not closed by its faces, or they do not all point outwards: the boundary of its "
         "boundary is not zero";
}

std::optional<std::string> check_named(const Array<std::uint8_t>& flags, Index elements,
                                       const std::string& kind) {
  if (flags.empty() || flags.size() == elements) return std::nullopt;
  return "there are " + std::to_string(flags.size()) + " flags of named " + kind + " for " +
         number(elements);
}

std::optional<std::string> check_attributes(const Attributes& attributes, Index elements,
                                            const std::string& kind) {
  for (const Attribute& attribute : attributes)
    if (attribute.components < 1 || attribute.size() != elements)
      return "attribute " + attribute.name + " has " + std::to_string(attribute.size()) +
             " values for " + number(elements) + " " + kind;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> Complex::validate() const {
  const Index not_finite = first_bad(stream_, vertices(), IsNotFinite{positions()});
  if (not_finite != no_index) return "vertex " + number(not_finite) + " has no finite position";
  const Index bad_edge = first_bad(stream_, edges(), IsBadEdge{edge_vertices(), vertices()});
  if (bad_edge != no_index)
    return "edge " + number(bad_edge) + " does not join two of the " + number(vertices()) +
           " vertices";
  if (auto wrong = check_matrix(stream_, face_edges(), edges(), "face", "edge")) return wrong;
  if (auto wrong = check_matrix(stream_, cell_faces(), faces(), "cell", "face")) return wrong;
  const Index no_loop = first_bad(stream_, faces(), IsNoLoop{edge_vertices(), face_edges()});
  if (no_loop != no_index) return "the edges of face " + number(no_loop) + " are no closed loop";
  const Index twice_in_face = first_bad(stream_, edges(), HasDouble{edge_faces()});
  if (twice_in_face != no_index)
    return "edge " + number(twice_in_face) + " is visited twice by one face";
  const Index twice_in_cell = first_bad(stream_, faces(), HasDouble{face_cells()});
  if (twice_in_cell != no_index)
    return "face " + number(twice_in_cell) + " is used twice by one cell";
  if (auto wrong = check_cells(*this)) return wrong;
  constexpr const char* kinds[] = {"vertices", "edges", "faces", "cells"};
  for (int i = 0; i < 4; ++i)
    if (auto wrong = check_attributes(attributes_[static_cast<std::size_t>(i)],
                                      count(static_cast<Element>(i)), kinds[i]))
      return wrong;
  if (auto wrong = check_named(origin_.named_faces, faces(), "faces")) return wrong;
  return check_named(origin_.named_edges, edges(), "edges");
}

}  // namespace tessera::volume
