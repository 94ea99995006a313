// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/view/color_map.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tessera/core/error.h"

namespace tessera::view {
namespace {

constexpr Rgb hex(std::uint32_t rgb) {
  return {{static_cast<std::uint8_t>(rgb >> 16), static_cast<std::uint8_t>(rgb >> 8),
           static_cast<std::uint8_t>(rgb)}};
}

/// A map through colours at equal distances.
ColorMap through(std::string name, const std::vector<std::uint32_t>& stops) {
  ColorMap map{std::move(name), {}};
  for (std::size_t i = 0; i < map.colors.size(); ++i) {
    const double at = static_cast<double>(i * (stops.size() - 1)) / 255.0;
    const auto before = std::min(static_cast<std::size_t>(at), stops.size() - 2);
    const double share = at - static_cast<double>(before);
    for (int k = 0; k < 3; ++k) {
      const double a = hex(stops[before])[k];
      const double b = hex(stops[before + 1])[k];
      map.colors[i][k] = static_cast<std::uint8_t>(std::lround(a + share * (b - a)));
    }
  }
  return map;
}

/// A colour of the given hue (in turns), in [0, 1]: the usual model of a hexagonal cone.
Rgb hsv(double hue, double saturation, double value) {
  Rgb color{};
  for (int k = 0; k < 3; ++k) {
    const double n = std::fmod(5.0 - 2.0 * k + 6.0 * hue, 6.0);
    const double part = std::clamp(std::min(n, 4.0 - n), 0.0, 1.0);
    color[k] = static_cast<std::uint8_t>(std::lround(255 * value * (1 - saturation * part)));
  }
  return color;
}

}  // namespace

std::span<const ColorMap> color_maps() {
  static const std::vector<ColorMap> maps{
      through("viridis", {0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779,
                          0x6ece58, 0xb5de2b, 0xfde725}),
      through("coolwarm",
              {0x3b4cc0, 0x6788ee, 0x9abbff, 0xc9d7f0, 0xedd1c2, 0xf7a889, 0xe26952, 0xb40426}),
      through("plasma", {0x0d0887, 0x46039f, 0x7201a8, 0x9c179e, 0xbd3786, 0xd8576b, 0xed7953,
                         0xfb9f3a, 0xfdca26, 0xf0f921}),
      through("gray", {0x101010, 0xf0f0f0})};
  return maps;
}

const ColorMap& color_map(std::string_view name) {
  std::string names;
  for (const ColorMap& map : color_maps()) {
    if (map.name == name) return map;
    names += (names.empty() ? "" : ", ") + map.name;
  }
  throw InputError("there is no colour map '" + std::string(name) + "'; there are " + names);
}

const std::array<Rgb, palette_size>& palette() {
  static const std::array<Rgb, palette_size> colors = [] {
    std::array<Rgb, palette_size> all{};
    for (int i = 0; i < palette_size; ++i) {
      // Hues in steps of the golden section stay apart, however many there are.
      const double hue = std::fmod(0.1 + i * 0.61803398875, 1.0);
      all[static_cast<std::size_t>(i)] = hsv(hue, 0.35 + 0.15 * (i % 3), 0.95 - 0.12 * (i % 2));
    }
    return all;
  }();
  return colors;
}

}  // namespace tessera::view
