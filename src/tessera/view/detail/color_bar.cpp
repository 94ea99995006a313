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

/// 1, 2 or 5 times a power of ten, so that there are about so many steps in the range.
double nice_step(double range, int steps) {
  const double rough = range / steps;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double ratio = rough / power;
  return power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
}

std::string as_text(double value, double step) {
  if (std::abs(value) < 1e-6 * step) value = 0;
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", value);
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

int color_bar_width(int height) {
  return static_cast<int>(8 * letter_size(height));
}

void draw_color_bar(Image& image, const ColorMap& map, FieldRange range, const std::string& name,
                    Rgba background) {
  const auto height = static_cast<float>(image.height);
  const auto width = static_cast<float>(image.width);
  const float size = letter_size(image.height);
  if (width < 12 * size) return;  // no room
  const bool dark = background[3] > 0 && background[0] + background[1] + background[2] < 3 * 128;
  const Rgb ink = dark ? Rgb{{230, 230, 230}} : Rgb{{40, 40, 40}};

  double step = 1;
  const std::vector<double> values = ticks(range, step);
  float label_width = 0;
  for (const double value : values)
    label_width = std::max(label_width, text_width(as_text(value, step), size));
  const int bar_width = static_cast<int>(1.4F * size);
  const int right = static_cast<int>(width - label_width - 2.2F * size);
  const int left = right - bar_width;
  const int top = static_cast<int>(0.2F * height);
  const int bottom = static_cast<int>(0.8F * height);

  for (int y = top; y < bottom; ++y) {
    const float share = static_cast<float>(bottom - 1 - y) / static_cast<float>(bottom - 1 - top);
    const Rgb color = map.colors[static_cast<std::size_t>(std::lround(255 * share))];
    for (int x = left; x < right; ++x) blend(image.at(x, y), color, 1);
  }
  const double full = static_cast<double>(range.max) - range.min;
  for (const double value : values) {
    const double share = full > 0 ? (value - range.min) / full : 0.5;
    const auto y = static_cast<int>(std::lround(bottom - 1 - share * (bottom - 1 - top)));
    for (int x = right; x < right + static_cast<int>(0.5F * size); ++x)
      for (int thick = 0; thick < std::max(1, static_cast<int>(0.12F * size)); ++thick)
        blend(image.at(std::min(x, image.width - 1), std::clamp(y + thick, 0, image.height - 1)),
              ink, 1);
    draw_text(image, as_text(value, step), static_cast<float>(right) + 0.9F * size,
              static_cast<float>(y) - 0.5F * size, size, ink);
  }
  const float name_width = text_width(name, size);
  draw_text(image, name, std::max(0.5F * size, width - name_width - 1.2F * size),
            static_cast<float>(top) - 2.2F * size, size, ink);
}

}  // namespace tessera::view::detail
