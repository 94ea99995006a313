// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tessera/core/triangle_soup.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/surface/detail/carried_attributes.h"
#include "tessera/surface/dynamic_view.h"

namespace tessera::surface {

/// Throws InputError if an angle of ridges is not from 0 to 180 degrees.
void check_ridge_angle(double degrees);

/// What a mesh that changes takes along.
enum class Carry { attributes, nothing };

/// A triangle mesh that changes: faces with their neighbours, and vertices with one of their edges,
/// in flat arrays that grow as needed. See update() in update.h for how to change it.
///
/// Inside it is a manifold, open or closed. A mesh that is not one is cut where edges have more
/// than two faces or two that do not fit together, and at vertices where only corners touch; the
/// vertices there are fixed and become one again in to_soup(). Faces with a repeated vertex
/// and vertices without faces are left out. TriangleSoup::ridges are creases; where they end, meet
/// or turn, vertices become fixed with mark_creases().
///
/// Attributes follow their elements. A new face has those of the one whose place it takes, and
/// where there are more faces than before, of one that it has a side of, or of any of the cavity's.
/// Of a vertex that comes or stays between others the floating-point ones are between theirs, the
/// others those of the nearest. What else moves vertices along the surface does not change them.
class DynamicMesh {
 public:
  /// Throws InputError if the mesh is not valid (TriangleSoup::validate) or one of its ridges is no
  /// edge of it, DeviceError if the device has too little memory.
  DynamicMesh(const exec::Stream& stream, const TriangleSoup& mesh,
              Carry carry = Carry::attributes);

  const exec::Stream& stream() const { return stream_; }
  /// Places for elements in use, those that are no more among them.
  Index face_places() const { return face_places_; }
  Index vertex_places() const { return vertex_places_; }
  Index half_edge_places() const { return 3 * face_places_; }
  /// Elements; counts them.
  Index faces() const;
  Index vertices() const;

  DynamicView view();

  /// Adds places for elements, which are no elements yet. Throws InputError if there are more than
  /// 32 bits can number, DeviceError if the device has too little memory; the mesh is as before
  /// then.
  void extend(std::size_t more_faces, std::size_t more_vertices);

  /// Closes the gaps that elements left which are no more, and puts new ones beside those that they
  /// came from, so that neighbours are near each other in memory. Returns the places that the
  /// vertices had before, for what is kept beside them; none if nothing was to do.
  exec::Buffer<Index> pack();

  /// Marks edges whose faces turn by more than an angle as creases. Beside slivers, which face
  /// anywhere, what is behind them must turn by as much, and a single edge is none. Vertices at the
  /// end of a crease, where creases or borders meet, or where one turns by more than that angle
  /// become fixed. Throws InputError as check_ridge_angle().
  void mark_creases(double degrees);

  /// The mesh as plain data, in the order of the places.
  TriangleSoup to_soup() const;

  /// Nothing if all is well, else one sentence that says what is wrong. On the host, slow.
  std::optional<std::string> validate() const;

 private:
  void make_room(std::size_t faces, std::size_t vertices);
  /// `faces`: the places of the soup's.
  void add_ridges(const Array<Index>& faces, TriangleSoup& soup) const;

  exec::Stream stream_;
  Precision precision_ = Precision::float64;
  bool has_given_ridges_ = false;
  Index face_places_ = 0;
  Index vertex_places_ = 0;
  exec::Buffer<Triangle> triangles_;
  exec::Buffer<Index> twins_;
  exec::Buffer<Index> vertex_edges_;
  exec::Buffer<Vec3d> positions_;
  exec::Buffer<std::uint8_t> edge_marks_;
  exec::Buffer<Index> vertex_marks_;
  exec::Buffer<Index> copy_of_;  ///< the vertex it was one with, if the mesh was cut there
  exec::Buffer<Index> homes_;
  detail::CarriedAttributes carried_;
  bool has_grown_ = false;  ///< since it was packed
};

}  // namespace tessera::surface
