// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tessera/core/attribute.h"
#include "tessera/core/polyhedral_soup.h"
#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/exec/view.h"
#include "tessera/volume/relation.h"

namespace tessera::volume {

enum class Element { vertex, edge, face, cell };

/// The vertices of an edge, from the first to the second.
using EdgeVertices = Segment;

/// What a Complex stores: the boundary operators, and where the vertices are.
struct Operators {
  exec::Buffer<Vec3d> positions;
  exec::Buffer<EdgeVertices> edge_vertices;
  /// The edges of each face all round, as its normal asks (counter-clockwise seen from where it
  /// points); reversed ones run against the edge's own direction.
  TernaryMatrix face_edges;
  /// The faces of each cell; those whose normal points into it are reversed.
  TernaryMatrix cell_faces;

  std::size_t bytes() const;
};

/// A volume mesh of any polyhedra, on a device: vertices, edges, faces and cells, joined by
/// boundary operators (Mueller-Roemer, Altenhofen and Stork, Ternary Sparse Matrix Representation
/// for Volumetric Mesh Subdivision and Processing on GPUs). Tetrahedra take about 73 bytes each.
/// Faces may have no cell or more than two, edges no face, vertices no edge.
///
/// All other relations are computed when they are first asked for, and kept until an operator that
/// they depend on is changed or purge() is called. Their rows are sorted by number, except those of
/// face_vertices(), which go round the face; and they are the same on any number of threads and on
/// a GPU.
///
/// One host thread at a time uses a complex, const functions too: it belongs to a stream.
class Complex {
 public:
  /// Without anything in it.
  explicit Complex(const exec::Stream& stream);
  /// From operators, which are taken as they are: validate() says if they are wrong. Throws
  /// InputError if there are more elements than signed 32-bit numbers can name.
  Complex(const exec::Stream& stream, Operators operators);

  const exec::Stream& stream() const { return stream_; }

  Index count(Element element) const;
  Index vertices() const { return count(Element::vertex); }
  Index edges() const { return count(Element::edge); }
  Index faces() const { return count(Element::face); }
  Index cells() const { return count(Element::cell); }

  // What is stored.
  exec::View<const Vec3d> positions() const { return operators_.positions.const_view(); }
  exec::View<const EdgeVertices> edge_vertices() const {
    return operators_.edge_vertices.const_view();
  }
  TernaryView face_edges() const { return operators_.face_edges.view(); }
  TernaryView cell_faces() const { return operators_.cell_faces.view(); }

  // Coboundary operators: the boundary operators transposed.
  TernaryView vertex_edges() const;  ///< reversed: the edge starts here
  TernaryView edge_faces() const;
  TernaryView face_cells() const;

  // Relations over two or three steps.
  RelationView<Index> face_vertices() const;  ///< vertex i is where edge i of the face starts
  RelationView<Index> cell_edges() const;
  RelationView<Index> cell_vertices() const;
  RelationView<Index> vertex_faces() const;
  RelationView<Index> edge_cells() const;
  RelationView<Index> vertex_cells() const;

  // Access to change what is stored; relations that depend on it are forgotten.
  exec::View<Vec3d> change_positions() { return operators_.positions.view(); }
  exec::Buffer<EdgeVertices>& change_edge_vertices();
  TernaryMatrix& change_face_edges();
  TernaryMatrix& change_cell_faces();
  /// Takes the operators out and leaves a complex without anything in it.
  Operators release();

  /// Forgets all relations that were computed.
  void purge() const;

  /// Bytes of what is stored, without attributes.
  std::size_t bytes() const { return operators_.bytes(); }
  /// Bytes of relations that are kept at the moment.
  std::size_t derived_bytes() const;

  /// Named values on elements, in the host's memory.
  Attributes& attributes(Element element) { return attributes_[static_cast<int>(element)]; }
  const Attributes& attributes(Element element) const {
    return attributes_[static_cast<int>(element)];
  }

  /// Nothing if all is well, else one sentence naming the first element that is wrong: a number
  /// out of range, an edge from a vertex to itself, a face that is not a closed loop, visits an
  /// edge twice, a cell that uses a face twice or whose faces do not close it with one orientation
  /// (the boundary of its boundary is not zero), an attribute of a wrong size.
  std::optional<std::string> validate() const;

 private:
  /// The relations that are computed, not stored.
  struct Derived {
    TernaryMatrix vertex_edges;
    TernaryMatrix edge_faces;
    TernaryMatrix face_cells;
    Relation<Index> face_vertices;
    Relation<Index> cell_edges;
    Relation<Index> cell_vertices;
    Relation<Index> vertex_faces;
    Relation<Index> edge_cells;
    Relation<Index> vertex_cells;
  };

  exec::Stream stream_;
  Operators operators_;
  std::array<Attributes, 4> attributes_;
  mutable Derived derived_;
};

}  // namespace tessera::volume
