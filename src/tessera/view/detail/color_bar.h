// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/core/field.h"
#include "tessera/core/image.h"
#include "tessera/view/color_map.h"

namespace tessera::view::detail {

/// Where the colour bar of a picture is, in pixels: a part of the right margin.
struct ColorBar {
  struct Tick {
    std::string label;
    int y;
  };

  float letter_size;
  int left;
  int right;
  int top;
  int bottom;
  std::vector<Tick> ticks;
  int reserved;  ///< pixels at the right side to keep free for it
};

/// Nothing where the picture is too small: the bar would take more than half of its width, or not
/// be high enough to be read.
std::optional<ColorBar> lay_out_color_bar(FieldRange range, int width, int height);

/// Draws what the colours mean: the map with numbers beside it and the name above.
void draw_color_bar(Image& image, const ColorBar& bar, const ColorMap& map, const std::string& name,
                    Rgba background);

}  // namespace tessera::view::detail
