// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tessera/core/field.h"
#include "tessera/core/image.h"
#include "tessera/view/color_map.h"

namespace tessera::view::detail {

/// How much room it takes in a picture of that height.
int color_bar_width(int height);

/// Draws what the colours mean into the right margin of a picture: the map with numbers beside it
/// and the name above.
void draw_color_bar(Image& image, const ColorMap& map, FieldRange range, const std::string& name,
                    Rgba background);

}  // namespace tessera::view::detail
