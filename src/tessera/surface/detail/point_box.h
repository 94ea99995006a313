// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/box.h"
#include "tessera/exec/device.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/view.h"

namespace tessera::surface::detail {

struct BoxOfPoint {
  exec::View<const Vec3d> points;
  TESSERA_KERNEL Box operator()(Index i) const { return {points[i], points[i]}; }
};

inline Box box_of_points(const exec::Stream& stream, exec::View<const Vec3d> points) {
  return exec::reduce(stream, static_cast<Index>(points.size()), Box{}, BoxOfPoint{points},
                      UniteBoxes{});
}

}  // namespace tessera::surface::detail
