// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/vec.h"
#include "tessera/exec/device.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"
#include "tessera/view/render.h"

namespace tessera::view::detail {

/// From places in space to samples of the picture.
struct Projection {
  Vec3d target;
  Vec3d right;  ///< unit vectors of the camera
  Vec3d up;
  Vec3d forward;    ///< from the eye into the picture
  double distance;  ///< of the eye to the target; 0: parallel
  double scale;     ///< samples a unit of length, at the target
  double middle_x;  ///< of the picture, in samples
  double middle_y;
  double nearest;  ///< depth of what is nearest, from the target; depths run from 0 there to 1
  double farthest;

  /// x and y in samples, from the upper left corner; z the depth, which is linear in the picture.
  TESSERA_KERNEL Vec3f operator()(const Vec3d& p) const {
    const Vec3d q = p - target;
    const double s = dot(q, forward);
    const double x = dot(q, right);
    const double y = dot(q, up);
    if (distance == 0)
      return {static_cast<float>(middle_x + scale * x), static_cast<float>(middle_y - scale * y),
              static_cast<float>((s - nearest) / (farthest - nearest))};
    const double enlarge = distance / (distance + s);
    const double near = 1 / (distance + nearest);
    const double far = 1 / (distance + farthest);
    return {static_cast<float>(middle_x + scale * enlarge * x),
            static_cast<float>(middle_y - scale * enlarge * y),
            static_cast<float>((near - 1 / (distance + s)) / (near - far))};
  }

  /// How far in front of the target a depth is.
  TESSERA_KERNEL float ahead(float depth) const {
    if (distance == 0) return static_cast<float>(nearest + depth * (farthest - nearest));
    const double near = 1 / (distance + nearest);
    const double far = 1 / (distance + farthest);
    return static_cast<float>(1 / (near - depth * (near - far)) - distance);
  }
};

/// Such that all faces fit into a picture of that many samples, at zoom 1. They are in it unless
/// the camera has a target of its own.
Projection fit_projection(const exec::Stream& stream, exec::View<const Vec3d> positions,
                          exec::View<const Triangle> triangles, const Camera& camera, int width,
                          int height);

}  // namespace tessera::view::detail
