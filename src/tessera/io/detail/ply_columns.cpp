// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/ply_columns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

namespace tessera::io::detail {
namespace {

struct KnownGroup {
  std::string_view attribute;
  std::array<std::string_view, 4> properties;
  std::size_t components;
};
/// Where two groups make the same attribute, the writer takes the first of that many components.
constexpr std::array<KnownGroup, 6> known_groups{{
    {"normal", {"nx", "ny", "nz"}, 3},
    {"color", {"red", "green", "blue", "alpha"}, 4},
    {"color", {"red", "green", "blue"}, 3},
    {"texcoord", {"s", "t"}, 2},
    {"texcoord", {"u", "v"}, 2},
    {"texcoord", {"texture_u", "texture_v"}, 2},
}};

/// Calls f with a value of the type that `type` names.
template <class F>
decltype(auto) with_type(PlyType type, F f) {
  switch (type) {
    case PlyType::int8:
      return f(std::int8_t{});
    case PlyType::uint8:
      return f(std::uint8_t{});
    case PlyType::int16:
      return f(std::int16_t{});
    case PlyType::uint16:
      return f(std::uint16_t{});
    case PlyType::int32:
      return f(std::int32_t{});
    case PlyType::uint32:
      return f(std::uint32_t{});
    case PlyType::float32:
      return f(float{});
    case PlyType::float64:
      break;
  }
  return f(double{});
}

template <class T, bool swap>
T load(const char* from) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), from, sizeof(T));
  if constexpr (swap) std::reverse(bytes.begin(), bytes.end());
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

template <class T>
bool is_vertex(T value, std::uint64_t vertices) {
  if constexpr (std::is_floating_point_v<T>)
    return value >= 0 && value < static_cast<double>(vertices);
  else
    return value >= 0 && static_cast<std::uint64_t>(value) < vertices;
}

template <class T, bool swap>
std::size_t move_as(const PlyBlock& block, const PlySink& sink, std::size_t offset,
                    std::size_t length) {
  const char* from = block.records + offset;
  char* to = sink.base + block.first * sink.stride;
  std::size_t wrong = PlyBlock::all_well;
  auto for_each = [&](auto&& f) {
    for (std::size_t i = 0; i < block.count; ++i, from += block.stride, to += sink.stride)
      for (std::size_t k = 0; k < length; ++k) f(i, k, load<T, swap>(from + k * sizeof(T)));
  };
  switch (sink.kind) {
    case PlySink::Kind::attribute:
      for_each([&](std::size_t, std::size_t k, T value) {
        std::memcpy(to + k * sizeof(T), &value, sizeof(T));
      });
      break;
    case PlySink::Kind::coordinate:
      for_each([&](std::size_t i, std::size_t, T value) {
        const double number = static_cast<double>(value);
        if (!std::isfinite(number)) wrong = std::min(wrong, i);
        std::memcpy(to, &number, sizeof number);
      });
      break;
    case PlySink::Kind::corner:
      for_each([&](std::size_t i, std::size_t k, T value) {
        if (!is_vertex(value, block.vertices)) {
          wrong = std::min(wrong, i);
          return;
        }
        const Index corner = static_cast<Index>(value);
        std::memcpy(to + k * sizeof corner, &corner, sizeof corner);
      });
      break;
    case PlySink::Kind::skip:
      break;
  }
  return wrong;
}

/// "name" of "name_7", if that is the number; else nothing.
std::string_view base_of(std::string_view name, std::size_t number) {
  const std::string ending = fmt::format("_{}", number);
  if (name.size() <= ending.size() || !name.ends_with(ending)) return {};
  return name.substr(0, name.size() - ending.size());
}

/// How many properties from `first` on are name_0, name_1, ... of one type.
std::size_t numbered_run(const PlyElement& element, const std::vector<bool>& taken,
                         std::size_t first) {
  const std::string_view base = base_of(element.properties[first].name, 0);
  std::size_t n = 0;
  while (!base.empty() && first + n < element.properties.size()) {
    const PlyProperty& p = element.properties[first + n];
    if (taken[first + n] || p.is_list() || p.type != element.properties[first].type ||
        base_of(p.name, n) != base)
      break;
    ++n;
  }
  return n;
}

}  // namespace

std::vector<PlyGroup> group_properties(const PlyElement& element, std::vector<bool> taken) {
  std::unordered_map<std::string_view, std::size_t> number_of;
  for (std::size_t i = 0; i < element.properties.size(); ++i)
    number_of[element.properties[i].name] = i;
  std::vector<PlyGroup> groups;
  std::unordered_set<std::string> used;
  auto is_free = [&](std::string_view name) {
    return number_of.count(name) == 0 && used.count(std::string(name)) == 0;
  };
  auto add = [&](std::string_view attribute, std::vector<std::size_t> properties) {
    for (const std::size_t p : properties) taken[p] = true;
    used.emplace(attribute);
    groups.push_back({std::string(attribute), std::move(properties)});
  };

  for (const KnownGroup& known : known_groups) {
    std::vector<std::size_t> members;
    for (std::size_t k = 0; k < known.components; ++k) {
      const auto found = number_of.find(known.properties[k]);
      if (found == number_of.end() || taken[found->second]) break;
      const PlyProperty& p = element.properties[found->second];
      if (p.is_list() || (!members.empty() && p.type != element.properties[members.front()].type))
        break;
      members.push_back(found->second);
    }
    if (members.size() == known.components && is_free(known.attribute))
      add(known.attribute, std::move(members));
  }
  for (std::size_t i = 0; i < element.properties.size(); ++i) {
    if (taken[i] || element.properties[i].is_list()) continue;
    const std::size_t run = numbered_run(element, taken, i);
    const std::string_view base = base_of(element.properties[i].name, 0);
    if (run >= 2 && is_free(base)) {
      std::vector<std::size_t> members(run);
      for (std::size_t k = 0; k < run; ++k) members[k] = i + k;
      add(base, std::move(members));
    } else {
      add(element.properties[i].name, {i});
    }
  }
  std::sort(groups.begin(), groups.end(), [](const PlyGroup& a, const PlyGroup& b) {
    return a.properties.front() < b.properties.front();
  });
  return groups;
}

std::vector<std::string> property_names(const Attribute& attribute) {
  const auto components = static_cast<std::size_t>(attribute.components);
  for (const KnownGroup& known : known_groups)
    if (known.attribute == attribute.name && known.components == components)
      return {known.properties.begin(),
              known.properties.begin() + static_cast<std::ptrdiff_t>(components)};
  if (components == 1) return {attribute.name};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < components; ++i)
    names.push_back(fmt::format("{}_{}", attribute.name, i));
  return names;
}

AttributeValues make_values(PlyType type, std::size_t count) {
  return with_type(type, [&]<class T>(T) { return AttributeValues(Array<T>(count)); });
}

std::size_t move_numbers(const PlyBlock& block, const PlySink& sink, PlyType type,
                         std::size_t offset, std::size_t length) {
  return with_type(type, [&]<class T>(T) {
    return block.swap ? move_as<T, true>(block, sink, offset, length)
                      : move_as<T, false>(block, sink, offset, length);
  });
}

bool all_lists_have(const PlyBlock& block, PlyType count_type, std::size_t offset,
                    std::uint64_t length) {
  return with_type(count_type, [&]<class T>(T) {
    const T expected = static_cast<T>(length);
    const char* from = block.records + offset;
    bool all = true;
    for (std::size_t i = 0; i < block.count; ++i, from += block.stride)
      all &= (block.swap ? load<T, true>(from) : load<T, false>(from)) == expected;
    return all;
  });
}

double load_number(const char* from, PlyType type, bool swap) {
  return with_type(type, [&]<class T>(T) {
    return static_cast<double>(swap ? load<T, true>(from) : load<T, false>(from));
  });
}

bool store_number(const PlySink& sink, PlyType type, std::uint64_t element, std::size_t i,
                  double value, std::uint64_t vertices) {
  char* to = sink.base + element * sink.stride;
  switch (sink.kind) {
    case PlySink::Kind::attribute:
      with_type(type, [&]<class T>(T) {
        const T number = static_cast<T>(value);
        std::memcpy(to + i * sizeof number, &number, sizeof number);
      });
      break;
    case PlySink::Kind::coordinate:
      std::memcpy(to, &value, sizeof value);
      return std::isfinite(value);
    case PlySink::Kind::corner: {
      if (!is_vertex(value, vertices)) return false;
      const Index corner = static_cast<Index>(value);
      std::memcpy(to + i * sizeof corner, &corner, sizeof corner);
      break;
    }
    case PlySink::Kind::skip:
      break;
  }
  return true;
}

}  // namespace tessera::io::detail
