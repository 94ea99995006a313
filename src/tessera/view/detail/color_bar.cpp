// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/view/detail/color_bar.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "tessera/view/detail/text.h"

namespace tessera::view::detail {
namespace {

/// How far above the bar its name is, in letters.
constexpr float name_above = 2.2F;

/// 1, 2 or 5 times a power of ten, so that there are about so many steps in the range.
double nice_step(double range, int steps) {
  const double rough = range / steps;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double ratio = rough / power;
  return power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
}

/// With as many digits as tell the values apart that are `step` away from each other.
std::string as_text(double value, double step, double largest) {
  if (std::abs(value) < 1e-6 * step) value = 0;
  const double digits =
      largest > 0 ? std::floor(std::log10(largest)) - std::floor(std::log10(step) + 1e-9) + 1 : 1;
  char text[32];
  std::snprintf(text, sizeof(text), "%.*g", static_cast<int>(std::clamp(digits, 4.0, 17.0)), value);
  return text;
}

/// The numbers beside the bar: round ones, or the only one there is.
std::vector<double> ticks(FieldRange range, double& step) {
  const double width = static_cast<double>(range.max) - range.min;
  step = 1;
  if (!(width > 0) || !std::isfinite(width)) return {range.min};
  step = nice_step(width, 6);
  std::vector<double> values;
  for (double k = std::ceil(range.min / step - 1e-6); k * step <= range.max + 1e-6 * step; ++k)
    values.push_back(k * step);
  return values;
}

float letter_size(int height) {
  return std::max(7.0F, 0.018F * static_cast<float>(height));
}

}  // namespace

std::optional<ColorBar> lay_out_color_bar(FieldRange range, int width, int height) {
  ColorBar bar{};
  bar.letter_size = letter_size(height);
  const float size = bar.letter_size;
  bar.top = static_cast<int>(0.2F * static_cast<float>(height));
  bar.bottom = static_cast<int>(0.8F * static_cast<float>(height));
  const bool too_low = static_cast<float>(bar.top) < name_above * size ||
                       static_cast<float>(bar.bottom - bar.top) < 6 * size;
  if (too_low) return std::nullopt;

  double step = 1;
  const std::vector<double> values = ticks(range, step);
  const double largest = std::max(std::abs(double{range.min}), std::abs(double{range.max}));
  const double full = static_cast<double>(range.max) - range.min;
  float label_width = 0;
  for (const double value : values) {
    const double share = full > 0 ? (value - range.min) / full : 0.5;
    const auto y =
        static_cast<int>(std::lround(bar.bottom - 1 - share * (bar.bottom - 1 - bar.top)));
    bar.ticks.push_back({as_text(value, step, largest), y});
    label_width = std::max(label_width, text_width(bar.ticks.back().label, size));
  }
  bar.right = static_cast<int>(static_cast<float>(width) - label_width - 2.2F * size);
  bar.left = bar.right - static_cast<int>(1.4F * size);
  // Some room between the mesh and the bar, and the same for all short labels.
  bar.reserved = std::max(width - bar.left + static_cast<int>(size), static_cast<int>(8 * size));
  if (bar.reserved > width / 2) return std::nullopt;
  return bar;
}

void draw_color_bar(Image& image, const ColorBar& bar, const ColorMap& map, const std::string& name,
                    Rgba background) {
  const float size = bar.letter_size;
  const bool dark = background[3] > 0 && background[0] + background[1] + background[2] < 3 * 128;
  const Rgb ink = dark ? Rgb{{230, 230, 230}} : Rgb{{40, 40, 40}};

  for (int y = bar.top; y < bar.bottom; ++y) {
    const float share =
        static_cast<float>(bar.bottom - 1 - y) / static_cast<float>(bar.bottom - 1 - bar.top);
    const Rgb color = map.colors[static_cast<std::size_t>(std::lround(255 * share))];
    for (int x = bar.left; x < bar.right; ++x) blend(image.at(x, y), color, 1);
  }
  for (const ColorBar::Tick& tick : bar.ticks) {
    for (int x = bar.right; x < bar.right + static_cast<int>(0.5F * size); ++x)
      for (int thick = 0; thick < std::max(1, static_cast<int>(0.12F * size)); ++thick)
        blend(image.at(x, std::clamp(tick.y + thick, 0, image.height - 1)), ink, 1);
    draw_text(image, tick.label, static_cast<float>(bar.right) + 0.9F * size,
              static_cast<float>(tick.y) - 0.5F * size, size, ink);
  }
  const auto width = static_cast<float>(image.width);
  draw_text(image, name, std::max(0.5F * size, width - text_width(name, size) - 1.2F * size),
            static_cast<float>(bar.top) - name_above * size, size, ink);
}

}  // namespace tessera::view::detail
