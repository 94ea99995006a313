// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "tessera/core/image.h"

namespace tessera::view::detail {

/// A line of text, its upper left corner at (x, y), with capitals `size` pixels high. Letters,
/// digits and common signs of ASCII; others are drawn as '?'.
void draw_text(Image& image, std::string_view text, float x, float y, float size, Rgb color);

/// How wide draw_text() makes it.
float text_width(std::string_view text, float size);

/// Paints over a part of a pixel.
void blend(Rgba& pixel, Rgb color, float share);

}  // namespace tessera::view::detail
