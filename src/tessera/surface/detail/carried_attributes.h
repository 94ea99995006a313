// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "tessera/core/triangle_soup.h"
#include "tessera/exec/buffer.h"
#include "tessera/surface/carried_view.h"

namespace tessera::surface::detail {

/// The attributes of a mesh whose elements come, go and change places (CarriedView).
class CarriedAttributes {
 public:
  /// What grows and shrinks with the mesh.
  struct Buffers {
    exec::Buffer<double> values;
    exec::Buffer<Index> vertex_origins;
    exec::Buffer<Index> face_origins;
  };

  /// None.
  CarriedAttributes() = default;
  /// Those of the input; each element knows which of the input it is.
  CarriedAttributes(const exec::Stream& stream, const TriangleSoup& mesh,
                    exec::View<const Index> input_of_vertex, exec::View<const Index> input_of_face);

  CarriedView view();
  /// The same with room for more elements; swap() puts it in place.
  Buffers larger(const exec::Stream& stream, std::size_t faces, std::size_t vertices) const;
  void swap(Buffers& other);
  /// Gives the elements of `copy_of` from a number on the values of the vertices it names.
  void copy_vertices(const exec::Stream& stream, Index first, exec::View<const Index> copy_of);
  /// Vertices from a number on to another one are new, and have no values yet.
  void clear_vertices(const exec::Stream& stream, Index first, Index last);
  /// The same with what was at place faces[i] or vertices[i] as element i; swap() puts it in place.
  Buffers packed(const exec::Stream& stream, exec::View<const Index> faces,
                 exec::View<const Index> vertices) const;
  /// Writes the attributes of the elements at some places, element after element.
  void write(const exec::Stream& stream, exec::View<const Index> face_places,
             exec::View<const Index> vertex_places, TriangleSoup& to) const;

 private:
  Attributes vertex_attributes_;  ///< the input's; those that are blended without their values
  Attributes face_attributes_;
  Index width_ = 0;
  Buffers buffers_;
};

}  // namespace tessera::surface::detail
