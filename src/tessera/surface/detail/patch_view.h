// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"
#include "tessera/surface/handles.h"

// How a PatchedMesh lies in memory, and what kernels see of it.

namespace tessera::surface::detail {

/// The number of an element within its patch.
using Local = std::uint16_t;

/// A face's side in FE: the local edge, and whether the face passes it from its second vertex to
/// its first.
struct Side {
  Local code;

  TESSERA_KERNEL static constexpr Side make(Index edge, Index flipped) {
    return {static_cast<Local>(2 * edge + flipped)};
  }
  TESSERA_KERNEL constexpr Index edge() const { return code >> 1; }
  TESSERA_KERNEL constexpr Index flipped() const { return code & 1U; }
};

/// The sides of a face: side k goes from corner k to the next.
struct Sides {
  Side side[3];
};

/// The two vertices of an edge.
struct Ends {
  Local vertex[2];
};

/// Half of the numbers is for the direction in a Side.
inline constexpr Index max_local_edges = 1U << 15;
/// One less than there are numbers: one means nobody.
inline constexpr Index max_local_others = (1U << 16) - 1;

/// The elements of one kind in all patches: owned ones of patch p are begin[p] .. begin[p + 1] - 1,
/// ribbon[ribbon_begin[p] .. ribbon_begin[p + 1] - 1] are those it holds beside.
struct ElementBuffers {
  exec::Buffer<Index> begin;
  exec::Buffer<Index> ribbon_begin;
  exec::Buffer<Index> ribbon;

  std::size_t bytes() const { return begin.bytes() + ribbon_begin.bytes() + ribbon.bytes(); }
};

struct ElementView {
  exec::View<const Index> begin;
  exec::View<const Index> ribbon_begin;
  exec::View<const Index> ribbon;
};

inline ElementView view_of(const ElementBuffers& buffers) {
  return {buffers.begin.view(), buffers.ribbon_begin.view(), buffers.ribbon.view()};
}

/// What a patch holds of one kind, by local number.
template <ElementKind Kind>
struct PatchElements {
  Index begin;          ///< handle of the first owned one
  Index owned;          ///< how many are owned; they come first
  Index all;            ///< with the ribbon
  const Index* ribbon;  ///< handles of the others

  TESSERA_KERNEL Handle<Kind> handle(Index local) const {
    return {local < owned ? begin + local : ribbon[local - owned]};
  }
};

/// One patch, in a kernel.
struct Patch {
  Index index;
  PatchElements<ElementKind::vertex> vertices;
  PatchElements<ElementKind::edge> edges;
  PatchElements<ElementKind::face> faces;
  const Sides* fe;  ///< of every local face
  const Ends* ev;   ///< of every local edge

  /// The vertex that a side starts from.
  TESSERA_KERNEL Local start(Side side) const { return ev[side.edge()].vertex[side.flipped()]; }
};

struct MeshView {
  ElementView vertices;
  ElementView edges;
  ElementView faces;
  exec::View<const Sides> fe;
  exec::View<const Ends> ev;
  exec::View<const Index> neighbor_begin;
  exec::View<const Index> neighbors;

  template <ElementKind Kind>
  TESSERA_KERNEL static PatchElements<Kind> elements(const ElementView& view, Index p) {
    const Index begin = view.begin[p];
    const Index ribbon_begin = view.ribbon_begin[p];
    const Index owned = view.begin[p + 1] - begin;
    return {begin, owned, owned + view.ribbon_begin[p + 1] - ribbon_begin,
            view.ribbon.data() + ribbon_begin};
  }

  TESSERA_KERNEL Patch patch(Index p) const {
    Patch patch{p,
                elements<ElementKind::vertex>(vertices, p),
                elements<ElementKind::edge>(edges, p),
                elements<ElementKind::face>(faces, p),
                nullptr,
                nullptr};
    patch.fe = fe.data() + patch.faces.begin + faces.ribbon_begin[p];
    patch.ev = ev.data() + patch.edges.begin + edges.ribbon_begin[p];
    return patch;
  }
};

struct PatchBuffers {
  ElementBuffers vertices;
  ElementBuffers edges;
  ElementBuffers faces;
  exec::Buffer<Sides> fe;  ///< patch after patch, owned and ribbon faces
  exec::Buffer<Ends> ev;   ///< patch after patch, owned and ribbon edges
  /// The patches that own what is in a patch's ribbon, ascending: the "stash" of the dissertation.
  exec::Buffer<Index> neighbor_begin;
  exec::Buffer<Index> neighbors;

  std::size_t bytes() const {
    return vertices.bytes() + edges.bytes() + faces.bytes() + fe.bytes() + ev.bytes() +
           neighbor_begin.bytes() + neighbors.bytes();
  }
};

/// The largest count of any patch.
struct PatchLimits {
  Index owned_vertices = 0;
  Index owned_edges = 0;
  Index owned_faces = 0;
  Index local_vertices = 0;
  Index local_edges = 0;
  Index local_faces = 0;
  Index neighbors = 0;  ///< that a patch's faces have through edges, together
  /// No two faces pass an edge in the same direction, and no face has an edge twice.
  bool oriented = false;

  bool operator==(const PatchLimits&) const = default;
};

}  // namespace tessera::surface::detail
