// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/volume/complex.h"

#include <algorithm>
#include <utility>

#include "tessera/exec/for_each.h"
#include "tessera/volume/detail/derive.h"
#include "tessera/volume/detail/nameable.h"
#include "tessera/volume/detail/transpose.h"

namespace tessera::volume {
namespace {

void make_empty(const exec::Stream& stream, exec::Buffer<Index>& offsets) {
  if (!offsets.empty()) return;
  offsets = exec::Buffer<Index>(stream, 1);
  exec::fill(stream, offsets.view(), 0);
}

void require_nameable_rows(const TernaryMatrix& matrix, const char* rows, const char* pairs) {
  detail::require_nameable(matrix.offsets.size() - 1, rows);
  detail::require_nameable(matrix.entries.size() / 2, pairs);
}

Index count_ones(const Array<std::uint8_t>& flags) {
  return static_cast<Index>(
      std::count_if(flags.begin(), flags.end(), [](std::uint8_t flag) { return flag != 0; }));
}

template <class Entry>
void forget(Relation<Entry>& relation) {
  relation = {};
}

template <class Entry, class Compute>
RelationView<Entry> kept(Relation<Entry>& relation, const Compute& compute) {
  if (relation.offsets.empty()) relation = compute();
  return relation.view();
}

}  // namespace

std::size_t Operators::bytes() const {
  return positions.bytes() + edge_vertices.bytes() + face_edges.bytes() + cell_faces.bytes();
}

Index Origin::count_faces() const {
  return count_ones(named_faces);
}

Index Origin::count_edges() const {
  return count_ones(named_edges);
}

Complex::Complex(const exec::Stream& stream) : Complex(stream, Operators{}) {}

Complex::Complex(const exec::Stream& stream, Operators operators)
    : stream_(stream), operators_(std::move(operators)) {
  make_empty(stream_, operators_.face_edges.offsets);
  make_empty(stream_, operators_.cell_faces.offsets);
  detail::require_nameable(operators_.positions.size(), "vertices");
  detail::require_nameable(operators_.edge_vertices.size(), "edges");
  require_nameable_rows(operators_.face_edges, "faces", "pairs of edges of faces");
  require_nameable_rows(operators_.cell_faces, "cells", "pairs of faces of cells");
}

Index Complex::count(Element element) const {
  switch (element) {
    case Element::vertex:
      return static_cast<Index>(operators_.positions.size());
    case Element::edge:
      return static_cast<Index>(operators_.edge_vertices.size());
    case Element::face:
      return operators_.face_edges.rows();
    case Element::cell:
      return operators_.cell_faces.rows();
  }
  return 0;
}

TernaryView Complex::vertex_edges() const {
  return kept(derived_.vertex_edges,
              [&] { return detail::transpose_edges(stream_, edge_vertices(), vertices()); });
}

TernaryView Complex::edge_faces() const {
  return kept(derived_.edge_faces,
              [&] { return detail::transpose(stream_, face_edges(), edges()); });
}

TernaryView Complex::face_cells() const {
  return kept(derived_.face_cells,
              [&] { return detail::transpose(stream_, cell_faces(), faces()); });
}

RelationView<Index> Complex::face_vertices() const {
  Relation<Index>& own = derived_.face_vertices;
  if (own.entries.empty())
    own = detail::derive_face_vertices(stream_, edge_vertices(), face_edges());
  return {face_edges().offsets, own.entries.const_view()};  // as many vertices as edges
}

RelationView<Index> Complex::cell_edges() const {
  return kept(derived_.cell_edges,
              [&] { return detail::derive_cell_edges(stream_, face_edges(), cell_faces()); });
}

RelationView<Index> Complex::cell_vertices() const {
  return kept(derived_.cell_vertices,
              [&] { return detail::derive_cell_vertices(stream_, edge_vertices(), cell_edges()); });
}

RelationView<Index> Complex::vertex_faces() const {
  return kept(derived_.vertex_faces,
              [&] { return detail::transpose(stream_, face_vertices(), vertices()); });
}

RelationView<Index> Complex::edge_cells() const {
  return kept(derived_.edge_cells,
              [&] { return detail::transpose(stream_, cell_edges(), edges()); });
}

RelationView<Index> Complex::vertex_cells() const {
  return kept(derived_.vertex_cells,
              [&] { return detail::transpose(stream_, cell_vertices(), vertices()); });
}

void Complex::set_edge_vertices(exec::Buffer<EdgeVertices> edge_vertices) {
  detail::require_nameable(edge_vertices.size(), "edges");
  forget(derived_.vertex_edges);
  forget(derived_.face_vertices);
  forget(derived_.vertex_faces);
  forget(derived_.cell_vertices);
  forget(derived_.vertex_cells);
  if (edge_vertices.size() != edges()) {  // they have a row for each
    forget(derived_.edge_faces);
    forget(derived_.edge_cells);
  }
  operators_.edge_vertices = std::move(edge_vertices);
}

void Complex::set_face_edges(TernaryMatrix face_edges) {
  make_empty(stream_, face_edges.offsets);
  require_nameable_rows(face_edges, "faces", "pairs of edges of faces");
  forget(derived_.edge_faces);
  forget(derived_.face_vertices);
  forget(derived_.vertex_faces);
  forget(derived_.cell_edges);
  forget(derived_.edge_cells);
  forget(derived_.cell_vertices);
  forget(derived_.vertex_cells);
  if (face_edges.rows() != faces()) forget(derived_.face_cells);
  operators_.face_edges = std::move(face_edges);
}

void Complex::set_cell_faces(TernaryMatrix cell_faces) {
  make_empty(stream_, cell_faces.offsets);
  require_nameable_rows(cell_faces, "cells", "pairs of faces of cells");
  forget(derived_.face_cells);
  forget(derived_.cell_edges);
  forget(derived_.edge_cells);
  forget(derived_.cell_vertices);
  forget(derived_.vertex_cells);
  operators_.cell_faces = std::move(cell_faces);
}

Operators Complex::release() {
  Complex empty(stream_);
  std::swap(operators_, empty.operators_);
  purge();
  for (Attributes& attributes : attributes_) attributes.clear();
  origin_ = {};
  return std::move(empty.operators_);
}

void Complex::purge() {
  derived_ = {};
}

std::size_t Complex::derived_bytes() const {
  const Derived& d = derived_;
  return d.vertex_edges.bytes() + d.edge_faces.bytes() + d.face_cells.bytes() +
         d.face_vertices.bytes() + d.cell_edges.bytes() + d.cell_vertices.bytes() +
         d.vertex_faces.bytes() + d.edge_cells.bytes() + d.vertex_cells.bytes();
}

}  // namespace tessera::volume
