// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tessera/core/array.h"
#include "tessera/core/image.h"

namespace tessera {

enum class FieldOn { vertices, faces };

/// Values on the vertices or faces of a mesh, to colour it by: a number each (float, which may be
/// no number), a label each (unsigned: every label its own colour, no_index means none), or a
/// colour each.
struct Field {
  using Values = std::variant<Array<float>, Array<std::uint32_t>, Array<Rgb>>;

  std::string name;
  FieldOn on = FieldOn::vertices;
  Values values;

  std::size_t size() const {
    return std::visit([](const auto& array) { return array.size(); }, values);
  }
  bool is_numbers() const { return std::holds_alternative<Array<float>>(values); }
  bool is_labels() const { return std::holds_alternative<Array<std::uint32_t>>(values); }
};

struct FieldRange {
  float min = 0;
  float max = 0;
};

/// Of the finite numbers; 0 to 0 if there are none, and for labels and colours.
FieldRange range_of(const Field& field);

/// What to spread colours over unless a user says otherwise: all of range_of(), or, where a few
/// outliers would leave nearly one colour for the rest, the middle 96 values of 100. Judged by up
/// to 65,536 values, evenly picked.
FieldRange shown_range(const Field& field);

/// The field of that name, or nullptr.
const Field* find(const std::vector<Field>& fields, std::string_view name);

}  // namespace tessera
