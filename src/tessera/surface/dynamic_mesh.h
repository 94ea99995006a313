// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tessera/core/triangle_soup.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/surface/dynamic_view.h"

namespace tessera::surface {

/// A triangle mesh that changes: faces with their neighbours, and vertices with one of their edges,
/// in flat arrays that grow as needed. See update() in cavity.h for how to change it.
///
/// Inside it is a manifold, open or closed. A mesh that is not one is cut where edges have more
/// than two faces or two that do not fit together, and at vertices where only corners touch; the
/// vertices there are fixed and become one again in to_soup(). Faces with a repeated vertex are
/// left out.
class DynamicMesh {
 public:
  /// Throws InputError if the mesh is not valid (TriangleSoup::validate), DeviceError if the device
  /// has too little memory.
  DynamicMesh(const exec::Stream& stream, const TriangleSoup& mesh);

  const exec::Stream& stream() const { return stream_; }
  /// Places for elements in use, those that are no more among them.
  Index face_places() const { return face_places_; }
  Index vertex_places() const { return vertex_places_; }
  Index half_edge_places() const { return 3 * face_places_; }
  /// Elements; counts them.
  Index faces() const;
  Index vertices() const;

  DynamicView view();

  /// Makes room for more elements, which are no elements yet.
  void reserve(Index more_faces, Index more_vertices);
  /// Takes the next places into use; there is room for them.
  void extend(Index more_faces, Index more_vertices);

  /// Closes the gaps that elements left which are no more; the others keep their order.
  void pack();

  /// Marks edges whose faces turn by more than an angle as creases, and edges at the border.
  /// Vertices at the end of a crease, where creases meet or where one turns by more than that angle
  /// become fixed.
  void mark_creases(double degrees);

  /// The mesh as plain data, in the order of the places.
  TriangleSoup to_soup() const;

  /// Nothing if all is well, else one sentence that says what is wrong. On the host, slow.
  std::optional<std::string> validate() const;

 private:
  exec::Stream stream_;
  Index face_places_ = 0;
  Index vertex_places_ = 0;
  exec::Buffer<Triangle> triangles_;
  exec::Buffer<Index> twins_;
  exec::Buffer<Index> vertex_edges_;
  exec::Buffer<Vec3d> positions_;
  exec::Buffer<std::uint8_t> edges_;
  exec::Buffer<Index> vertices_;
  exec::Buffer<Index> copy_of_;  ///< the vertex it was one with, if the mesh was cut there
};

}  // namespace tessera::surface
