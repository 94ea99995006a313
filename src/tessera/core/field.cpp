// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/core/field.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tessera/core/parallel.h"

namespace tessera {

FieldRange range_of(const Field& field) {
  const auto* numbers = std::get_if<Array<float>>(&field.values);
  if (numbers == nullptr) return {};
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const FieldRange range = parallel_reduce(
      numbers->size(), 65536, FieldRange{infinity, -infinity},
      [&](std::size_t begin, std::size_t end, FieldRange part) {
        for (std::size_t i = begin; i < end; ++i) {
          const float value = (*numbers)[i];
          if (!std::isfinite(value)) continue;
          part.min = std::min(part.min, value);
          part.max = std::max(part.max, value);
        }
        return part;
      },
      [](const FieldRange& a, const FieldRange& b) {
        return FieldRange{std::min(a.min, b.min), std::max(a.max, b.max)};
      });
  if (range.min > range.max) return {};
  return range;
}

FieldRange shown_range(const Field& field) {
  const FieldRange all = range_of(field);
  const auto* numbers = std::get_if<Array<float>>(&field.values);
  if (numbers == nullptr || numbers->empty()) return all;
  constexpr std::size_t most_samples = 65536;
  const std::size_t step = (numbers->size() + most_samples - 1) / most_samples;
  std::vector<float> samples;
  for (std::size_t i = 0; i < numbers->size(); i += step)
    if (std::isfinite((*numbers)[i])) samples.push_back((*numbers)[i]);
  if (samples.empty()) return all;
  std::sort(samples.begin(), samples.end());
  const std::size_t left_out = samples.size() / 50;
  const FieldRange middle{samples[left_out], samples[samples.size() - 1 - left_out]};
  // A quarter: a field that fills this much of its range shows its shape.
  const bool has_outliers = middle.max - middle.min < (all.max - all.min) / 4;
  return has_outliers && middle.min < middle.max ? middle : all;
}

const Field* find(const std::vector<Field>& fields, std::string_view name) {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

}  // namespace tessera
