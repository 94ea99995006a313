// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/core/array.h"
#include "tessera/core/vec.h"

namespace tessera {

/// Red, green, blue and opacity, 0 to 255, as screens take them (sRGB).
using Rgba = Vec<std::uint8_t, 4>;
using Rgb = Vec<std::uint8_t, 3>;

/// A picture, row after row from the top.
struct Image {
  int width = 0;
  int height = 0;
  Array<Rgba> pixels;

  Image() = default;
  Image(int w, int h)
      : width(w), height(h), pixels(static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}

  Rgba& at(int x, int y) { return pixels[index(x, y)]; }
  const Rgba& at(int x, int y) const { return pixels[index(x, y)]; }

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
           static_cast<std::size_t>(x);
  }
};

}  // namespace tessera
