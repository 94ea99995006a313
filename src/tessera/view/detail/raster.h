// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"

// Which face is seen at each sample of a picture.

namespace tessera::view::detail {

/// What a sample sees: its depth in the upper half, so that the nearest is the smallest, and the
/// face in the lower half.
using Sample = std::uint64_t;
inline constexpr Sample no_sample = ~Sample{0};

TESSERA_KERNEL constexpr Index face_of(Sample sample) {
  return static_cast<Index>(sample & 0xffffffffU);
}
TESSERA_KERNEL constexpr float depth_of(Sample sample) {
  return static_cast<float>(sample >> 32) * (1.0F / 4294967296.0F);
}

/// A face in the picture, and where samples lie in it.
struct ScreenFace {
  Vec3f corner[3];
  float area;  ///< twice, and negative where the face is seen from behind

  TESSERA_KERNEL ScreenFace(exec::View<const Vec3f> screen, const Triangle& t)
      : corner{screen[t[0]], screen[t[1]], screen[t[2]]} {
    const Vec3f a = corner[1] - corner[0];
    const Vec3f b = corner[2] - corner[0];
    area = a[1] * b[0] - a[0] * b[1];  // y points down
  }

  /// The weights of the corners at a place; they sum up to one.
  TESSERA_KERNEL Vec3f weights(float x, float y) const {
    const Vec3f a = corner[1] - corner[0];
    const Vec3f b = corner[2] - corner[0];
    const float px = x - corner[0][0];
    const float py = y - corner[0][1];
    const float w1 = (py * b[0] - px * b[1]) / area;
    const float w2 = (a[1] * px - a[0] * py) / area;
    return {1 - w1 - w2, w1, w2};
  }
};

/// The samples of a picture of width x height of them, row after row; no_sample where no face is.
/// `screen` has the vertices in the picture (Projection).
exec::Buffer<Sample> rasterize(const exec::Stream& stream, exec::View<const Vec3f> screen,
                               exec::View<const Triangle> triangles, int width, int height);

}  // namespace tessera::view::detail
