// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tessera/core/array.h"
#include "tessera/core/attribute.h"
#include "tessera/core/polyhedral_soup.h"
#include "tessera/core/triangle_soup.h"
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

/// What is remembered of the soup that a complex comes from, so that to_soup() gives back what it
/// had and nothing else. Algorithms hand it on to their results.
struct Origin {
  Precision precision = Precision::float64;
  /// In the host's memory, 1 for each face that was a polygon of its own and not merely one of a
  /// polyhedron without attributes, and for each edge that was a segment; nothing if none was.
  Array<std::uint8_t> named_faces;
  Array<std::uint8_t> named_edges;

  /// How many are 1.
  Index count_faces() const;
  Index count_edges() const;
};

/// A volume mesh of any polyhedra, on a device: vertices, edges, faces and cells, joined by
/// boundary operators (Mueller-Roemer, Altenhofen and Stork, Ternary Sparse Matrix Representation
/// for Volumetric Mesh Subdivision and Processing on GPUs). Tetrahedra take about 70 bytes each.
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

  /// Positions to move; no relation depends on them.
  exec::View<Vec3d> change_positions() { return operators_.positions.view(); }
  // In place of what is stored; relations that depend on it are forgotten. Attributes stay as they
  // are. Throw InputError if there are more elements than signed 32-bit numbers can name.
  void set_edge_vertices(exec::Buffer<EdgeVertices> edge_vertices);
  void set_face_edges(TernaryMatrix face_edges);
  void set_cell_faces(TernaryMatrix cell_faces);
  /// Takes the operators out and leaves a complex without anything in it.
  Operators release();

  /// Forgets all relations that were computed.
  void purge();

  /// Bytes of what is stored, without attributes.
  std::size_t bytes() const { return operators_.bytes(); }
  /// Bytes of relations that are kept at the moment.
  std::size_t derived_bytes() const;

  /// Named values on elements, in the host's memory.
  Attributes& attributes(Element element) { return attributes_[static_cast<int>(element)]; }
  const Attributes& attributes(Element element) const {
    return attributes_[static_cast<int>(element)];
  }

  Origin& origin() { return origin_; }
  const Origin& origin() const { return origin_; }

  /// Nothing if all is well, else one sentence naming the first element that is wrong: a position
  /// that is not finite, a number out of range, an edge from a vertex to itself, a face that is not
  /// a closed loop or visits an edge twice, a cell that uses a face twice or whose faces do not
  /// close it with one orientation (the boundary of its boundary is not zero), an attribute or a
  /// list of named elements of a wrong size. Takes memory for a block of cells at a time.
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
  Origin origin_;
  mutable Derived derived_;
};

}  // namespace tessera::volume
