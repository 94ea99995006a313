// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "tessera/io/detail/source.h"
#include "tessera/io/detail/writers.h"

namespace tessera::io::detail {

// The `.sol` text beside a MEDIT mesh: fields on the vertices, that is scalars, vectors and
// symmetric tensors (metrics). The file knows no names: a single field is read as "sol", several as
// "sol_0", "sol_1", ... The components of a tensor stay in the order of the file, the lower
// triangle row by row, as MEDIT and MMG have it: m11 m12 m22 m13 m23 m33 (in two dimensions m11 m12
// m22).

/// The fields of a mesh of `vertices` vertices, in double. Numbers are taken as they are, infinite
/// ones and NaN included. Throws InputError where the text is malformed or is about another number
/// of vertices.
Attributes read_sol(const Source& source, std::size_t vertices);

/// Whether a `.sol` file can keep a vertex attribute: one of 1, 3 or 6 components, and not "ref",
/// which the mesh file itself has room for.
bool is_field(const Attribute& attribute);

/// Whether there is such an attribute, and so something to write to a `.sol` file.
bool has_fields(const TriangleSoup& mesh);

/// Writes these attributes as scalars, vectors and tensors, in their order, and notes that their
/// names are lost.
/// `target.file` is the `.sol` file.
void write_sol(const Target& target);

}  // namespace tessera::io::detail
