// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"

namespace tessera::surface {

/// What kernels see of the attributes that follow the elements of a mesh that changes. Numbers of a
/// floating-point type are blended where vertices become one or come between others; everything
/// else is that of an element of the input, which each element has an origin for.
struct CarriedView {
  exec::View<double> values;  ///< `width` of each vertex
  Index width = 0;
  exec::View<Index> vertex_origins;  ///< empty if vertices have no attributes
  exec::View<Index> face_origins;    ///< empty if faces have no attributes

  TESSERA_KERNEL double& value(Index v, Index i) const {
    return values[std::size_t{v} * width + i];
  }
  /// Gives a vertex the values of two, of the second a part between 0 and 1. It may be one of them.
  TESSERA_KERNEL void blend(Index v, Index a, Index b, double part) const {
    if (vertex_origins.empty()) return;
    for (Index i = 0; i < width; ++i) value(v, i) = (1 - part) * value(a, i) + part * value(b, i);
    vertex_origins[v] = vertex_origins[part < 0.5 ? a : b];
  }
  TESSERA_KERNEL void copy_vertex(Index v, Index from) const { blend(v, from, from, 0); }
};

}  // namespace tessera::surface
