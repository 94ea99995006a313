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
  /// Gives a vertex those of two others, of the second a part between 0 and 1. It may be one of
  /// them.
  TESSERA_KERNEL void blend(Index v, Index a, Index b, double part) const {
    if (vertex_origins.empty()) return;
    for (Index i = 0; i < width; ++i)
      value(v, i) = part > 0
                        ? (part < 1 ? (1 - part) * value(a, i) + part * value(b, i) : value(b, i))
                        : value(a, i);
    vertex_origins[v] = vertex_origins[part < 0.5 ? a : b];
  }
  TESSERA_KERNEL void copy_vertex(Index v, Index from) const { blend(v, from, from, 0); }
  /// Gives a vertex those of three, in parts whose sum is 1; of what is not blended that of the
  /// nearest. It may be one of them.
  TESSERA_KERNEL void blend(Index v, const Triangle& t, const Vec3d& parts, int nearest) const {
    if (vertex_origins.empty()) return;
    for (Index i = 0; i < width; ++i) {
      double sum = 0;
      for (int k = 0; k < 3; ++k)
        if (parts[k] > 0) sum += parts[k] * value(t[k], i);  // 0 times infinity is no number
      value(v, i) = sum;
    }
    vertex_origins[v] = vertex_origins[t[nearest]];
  }
};

}  // namespace tessera::surface
