// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/core/error.h"
#include "tessera/core/field.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"

namespace tessera::view {

/// An attribute as something to colour by: "color" as colours, whole numbers named "patch",
/// "component", "ref", "label" or "material" as labels, other single numbers as they are, and
/// vectors by their length. Nothing for normals and texture coordinates.
std::optional<Field> attribute_field(const Attribute& attribute, FieldOn on);

/// All attributes that can be coloured by.
std::vector<Field> attribute_fields(const TriangleSoup& mesh);

/// What can be computed for any mesh: "quality" (2 * inradius / circumradius of each face),
/// "component" (faces joined through edges) and "patch" (as PatchedMesh cuts it; none without
/// faces).
inline constexpr std::string_view computed_fields[] = {"quality", "component", "patch"};

/// The error where nothing is called so: it says what there is.
InputError no_such_field(const std::string& name, const std::vector<std::string>& known);

/// An attribute of that name, or a computed field. Throws InputError that says what there is.
Field make_field(const exec::Stream& stream, const TriangleSoup& mesh, const std::string& name,
                 std::uint64_t seed = 0);

}  // namespace tessera::view
