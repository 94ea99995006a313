// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/array.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"

namespace tessera::surface {

/// For each face the number of its component, counted from 0 in the order of their first faces.
/// Faces joined through shared edges are one component. Throws InputError if the mesh is not valid.
Array<Index> component_of_faces(const exec::Stream& stream, const TriangleSoup& mesh);

/// What is special about the sides of a face: bit k is set where the side from corner k to the
/// next is a boundary edge, bit 3 + k where more than two faces share it. Throws InputError if the
/// mesh is not valid.
Array<std::uint8_t> special_sides(const exec::Stream& stream, const TriangleSoup& mesh);

}  // namespace tessera::surface
