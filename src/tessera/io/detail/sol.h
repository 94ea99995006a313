// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tessera/io/detail/output_file.h"
#include "tessera/io/detail/source.h"

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
bool has_fields(const Attributes& vertex_attributes);

/// What a `.sol` file is written from, and where notes about it go.
struct SolFields {
  const Attributes& vertex_attributes;
  std::size_t vertices;
  const ProgressCallback& progress;
  std::vector<std::string>& notes;
};

/// Writes these attributes as scalars, vectors and tensors, in their order, and notes that their
/// names are lost.
void write_sol(OutputFile& file, const SolFields& fields);

/// Adds the fields of the `.sol` file beside a mesh file, if there is one, to the attributes, and
/// returns the bytes of that file; a note says if they do not fit.
std::uint64_t add_fields_beside(const std::filesystem::path& mesh, const ReadOptions& options,
                                std::size_t vertices, Attributes& vertex_attributes,
                                std::vector<std::string>& notes);

/// Commits a mesh file together with the `.sol` file beside it, where there are fields: both or,
/// if storing the fields fails, none. Adds to `bytes` and returns the name of the second file.
std::optional<std::filesystem::path> commit_with_fields(OutputFile& mesh_file,
                                                        const std::filesystem::path& mesh_path,
                                                        const SolFields& fields,
                                                        std::uint64_t& bytes);

}  // namespace tessera::io::detail
