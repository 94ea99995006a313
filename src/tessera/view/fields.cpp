// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/view/fields.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <type_traits>

#include "tessera/core/parallel.h"
#include "tessera/surface/face_labels.h"
#include "tessera/surface/patched_mesh.h"
#include "tessera/surface/shape_histograms.h"

namespace tessera::view {
namespace {

constexpr std::size_t grain = 65536;

bool names_labels(std::string_view name) {
  constexpr std::string_view names[] = {"patch", "component", "ref", "label", "material"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// out[i] = make(i), in parallel.
template <class T, class Make>
Array<T> make_array(std::size_t size, const Make& make) {
  Array<T> out(size);
  parallel_for_ranges(size, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = make(i);
  });
  return out;
}

template <class T>
std::uint8_t as_byte(T value) {
  if constexpr (std::is_floating_point_v<T>)  // 0 to 1
    return static_cast<std::uint8_t>(std::lround(255 * std::clamp<T>(value, 0, 1)));
  else
    return static_cast<std::uint8_t>(std::clamp<std::int64_t>(value, 0, 255));
}

template <class T>
float length_of(const T* values, std::size_t components) {
  double sum = 0;
  for (std::size_t k = 0; k < components; ++k)
    sum += static_cast<double>(values[k]) * static_cast<double>(values[k]);
  return static_cast<float>(std::sqrt(sum));
}

template <class T>
Field::Values values_of(const Attribute& attribute, const Array<T>& values) {
  const auto components = static_cast<std::size_t>(attribute.components);
  const std::size_t size = attribute.size();
  if (attribute.name == "color" && components >= 3)
    return make_array<Rgb>(size, [&](std::size_t i) {
      const T* color = values.data() + i * components;
      return Rgb{{as_byte(color[0]), as_byte(color[1]), as_byte(color[2])}};
    });
  if (components > 1)
    return make_array<float>(
        size, [&](std::size_t i) { return length_of(values.data() + i * components, components); });
  if constexpr (std::is_integral_v<T>)
    if (names_labels(attribute.name))
      return make_array<std::uint32_t>(
          size, [&](std::size_t i) { return static_cast<std::uint32_t>(values[i]); });
  return make_array<float>(size, [&](std::size_t i) { return static_cast<float>(values[i]); });
}

}  // namespace

std::optional<Field> attribute_field(const Attribute& attribute, FieldOn on) {
  if (attribute.name == "normal" || attribute.name == "texcoord") return std::nullopt;
  return Field{attribute.name, on,
               std::visit([&](const auto& values) { return values_of(attribute, values); },
                          attribute.values)};
}

std::vector<Field> attribute_fields(const TriangleSoup& mesh) {
  std::vector<Field> fields;
  for (const Attribute& attribute : mesh.vertex_attributes)
    if (auto field = attribute_field(attribute, FieldOn::vertices))
      fields.push_back(std::move(*field));
  for (const Attribute& attribute : mesh.face_attributes)
    if (auto field = attribute_field(attribute, FieldOn::faces))
      fields.push_back(std::move(*field));
  return fields;
}

InputError no_such_field(const std::string& name, const std::vector<std::string>& known) {
  std::string list;
  for (auto one = known.begin(); one != known.end(); ++one)
    if (std::find(known.begin(), one, *one) == one) list += (list.empty() ? "" : ", ") + *one;
  return InputError("there is nothing called '" + name + "' to colour by; there are " + list);
}

Field make_field(const exec::Stream& stream, const TriangleSoup& mesh, const std::string& name,
                 std::uint64_t seed) {
  std::vector<std::string> known;
  for (const auto on : {FieldOn::vertices, FieldOn::faces})
    for (const Attribute& attribute :
         on == FieldOn::vertices ? mesh.vertex_attributes : mesh.face_attributes) {
      if (attribute.name == name)
        if (auto field = attribute_field(attribute, on)) return std::move(*field);
      if (attribute.name != "normal" && attribute.name != "texcoord")
        known.push_back(attribute.name);
    }
  if (name == "quality") return {name, FieldOn::faces, surface::face_qualities(stream, mesh)};
  if (name == "component") return {name, FieldOn::faces, surface::component_of_faces(stream, mesh)};
  if (name == "patch") {
    surface::PatchOptions options;
    options.seed = seed;
    return {name, FieldOn::faces,
            surface::PatchedMesh(stream, mesh, options).patch_of_input_faces()};
  }
  known.insert(known.end(), std::begin(computed_fields), std::end(computed_fields));
  throw no_such_field(name, known);
}

}  // namespace tessera::view
