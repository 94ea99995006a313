// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/gmsh_tags.h"

#include <algorithm>
#include <tuple>

namespace tessera::io::detail {
namespace {

/// A step of splitmix64 (Steele, Lea and Flood, 2014): every bit of the input changes half of the
/// output.
std::uint64_t mix(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15;
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9;
  value = (value ^ value >> 27) * 0x94D049BB133111EB;
  return value ^ value >> 31;
}

Attribute chosen(const char* name, const Array<std::int32_t>& values,
                 const Array<Index>& elements) {
  Array<std::int32_t> out(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) out[i] = values[elements[i]];
  return {name, 1, std::move(out)};
}

}  // namespace

void GmshTags::add_to(Attributes& attributes, const Array<Index>& elements, bool has_groups) const {
  const auto any = [&](const auto& is) {
    return std::any_of(elements.begin(), elements.end(), is);
  };
  const bool has_group = any([&](Index e) { return groups[e] != 0; });
  if (!has_group && !has_groups) {
    if (any([&](Index e) { return entities[e] != 0; }))
      attributes.push_back(chosen("ref", entities, elements));
    return;
  }
  if (has_group) attributes.push_back(chosen("ref", groups, elements));
  if (any([&](Index e) { return entities[e] != groups[e]; }))
    attributes.push_back(chosen("entity", entities, elements));
}

bool GmshRepeats::are_possible() {
  bool ascending = true;
  for (std::size_t e = 1; e < numbers_.size() && ascending; ++e)
    ascending = numbers_[e] > numbers_[e - 1];
  bool has_group[4] = {};
  std::int32_t group[4] = {};
  bool differ = false;
  for (std::size_t e = 0; e < shapes_.size() && !differ; ++e) {
    const auto role = static_cast<std::size_t>(shapes_[e].role);
    if (shapes_[e].role == ElementRole::none) continue;
    differ = has_group[role] && groups_[e] != group[role];
    has_group[role] = true;
    group[role] = groups_[e];
  }
  if (ascending && !differ) return false;
  keys_.resize(shapes_.size());
  return true;
}

void GmshRepeats::set_corners(std::uint64_t element, const GmshCorners& corners) {
  const ElementShape& shape = shapes_[element];
  const auto kind = static_cast<std::uint64_t>(shape.role) << 8 |
                    static_cast<std::uint64_t>(shape.cell) << 4 | shape.size;
  Key key{mix(kind), mix(~kind), static_cast<Index>(element)};
  for (Index k = 0; k < shape.size; ++k) {
    key.low += mix(corners[k]);
    key.high += mix(~corners[k]);
  }
  keys_[element] = key;
}

Array<Index> GmshRepeats::find() {
  std::sort(keys_.begin(), keys_.end(), [](const Key& a, const Key& b) {
    return std::tie(a.low, a.high, a.element) < std::tie(b.low, b.high, b.element);
  });
  Array<Index> repeated;
  for (std::size_t i = 0; i < keys_.size();) {
    const Key& first = keys_[i];
    for (++i; i < keys_.size() && keys_[i].low == first.low && keys_[i].high == first.high; ++i) {
      const Index e = keys_[i].element;
      if (shapes_[e].role != ElementRole::none &&
          (groups_[e] != groups_[first.element] || numbers_[e] == numbers_[first.element]))
        repeated.push_back(e);
    }
  }
  std::sort(repeated.begin(), repeated.end());
  return repeated;
}

}  // namespace tessera::io::detail
