// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cassert>
#include <type_traits>

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"
#include "tessera/surface/detail/patch_view.h"
#include "tessera/surface/handles.h"

namespace tessera::surface {

/// What to ask for: of each element of the first kind, its elements of the second kind.
///
/// In a ring nothing is twice, but for `ff`: faces that share two edges are neighbours twice. The
/// order of a ring is unspecified, and on a GPU can differ from run to run, unless said otherwise.
enum class Op {
  vv,  ///< vertices joined to the vertex by an edge
  ve,  ///< edges at the vertex
  vf,  ///< faces at the vertex
  ev,  ///< the two ends of the edge, in the same order in every query
  ef,  ///< faces with the edge
  ee,  ///< the other edges of the faces with the edge
  fv,  ///< the corners of the face, in its order
  fe,  ///< the sides of the face, in its order: from the first corner to the second, and so on
  ff,  ///< other faces with an edge of the face
  /// Vertices joined to the vertex, counter-clockwise: at a boundary from one end to the other,
  /// else from the one with the smallest handle. Empty where the faces at the vertex are not one
  /// fan of one orientation.
  oriented_vv,
  diamond,  ///< the corners around the edge
};

/// The answer to a query: a few elements of one kind. Lives as long as the call it is given to.
template <class Element>
class Ring {
 public:
  /// `handles` are those of all elements of a patch, `locals` the numbers of some of them.
  TESSERA_KERNEL Ring(const detail::Local* locals, Index size, const Index* handles)
      : locals_(locals), size_(size), handles_(handles) {}

  TESSERA_KERNEL Index size() const { return size_; }
  TESSERA_KERNEL bool empty() const { return size_ == 0; }
  TESSERA_KERNEL Element operator[](Index i) const {
    assert(i < size_);
    return {handles_[locals_[i]]};
  }

  class Iterator {
   public:
    TESSERA_KERNEL Iterator(const Ring& ring, Index i) : ring_(&ring), i_(i) {}
    TESSERA_KERNEL Element operator*() const { return (*ring_)[i_]; }
    TESSERA_KERNEL Iterator& operator++() {
      ++i_;
      return *this;
    }
    TESSERA_KERNEL bool operator!=(const Iterator& other) const { return i_ != other.i_; }

   private:
    const Ring* ring_;
    Index i_;
  };
  TESSERA_KERNEL Iterator begin() const { return {*this, 0}; }
  TESSERA_KERNEL Iterator end() const { return {*this, size_}; }

 private:
  const detail::Local* locals_;
  Index size_;
  const Index* handles_;
};

/// The corners around an edge from a to b. `left` is opposite to it in the face that goes from a to
/// b, `right` in the one that goes from b to a. Of two faces that go the same way, the one with the
/// smaller handle is on the side that it says, the other one opposite. Invalid where there is no
/// such face, both of them at an edge of more than two faces.
struct Diamond {
  Vertex a;
  Vertex left;
  Vertex b;
  Vertex right;
};

/// The kinds of elements that an Op leads from and to.
template <Op Query>
struct OpKinds {
  static constexpr bool from_vertex =
      Query == Op::vv || Query == Op::ve || Query == Op::vf || Query == Op::oriented_vv;
  static constexpr bool from_face = Query == Op::fv || Query == Op::fe || Query == Op::ff;
  static constexpr bool to_edge = Query == Op::ve || Query == Op::ee || Query == Op::fe;
  static constexpr bool to_face = Query == Op::vf || Query == Op::ef || Query == Op::ff;
  using Source = std::conditional_t<from_vertex, Vertex, std::conditional_t<from_face, Face, Edge>>;
  using Target = std::conditional_t<to_edge, Edge, std::conditional_t<to_face, Face, Vertex>>;
};

}  // namespace tessera::surface
