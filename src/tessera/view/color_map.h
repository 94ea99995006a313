// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tessera/core/image.h"
#include "tessera/exec/kernel.h"

namespace tessera::view {

/// Colours for numbers, from the least to the most.
struct ColorMap {
  std::string name;
  std::array<Rgb, 256> colors;
};

/// "viridis" (the default: even steps look even, also in grey and to the colour-blind),
/// "coolwarm" (for numbers of both signs), "plasma" and "gray".
std::span<const ColorMap> color_maps();

/// Throws InputError if there is none of that name.
const ColorMap& color_map(std::string_view name);

/// Colours for labels: neighbouring numbers get different ones.
inline constexpr int palette_size = 32;
const std::array<Rgb, palette_size>& palette();

/// The place of a label in the palette. The viewer page does the same.
TESSERA_KERNEL constexpr std::uint32_t palette_place(std::uint32_t label) {
  return (label * 0x9E3779B1U) >> 27;
}

/// Where there is no number or label.
TESSERA_KERNEL constexpr Rgb no_value_color() {
  return {{150, 150, 150}};
}

}  // namespace tessera::view
