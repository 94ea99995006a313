// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "tessera/core/attribute.h"
#include "tessera/io/triangles.h"

namespace tessera::io {

// `.sol` files hold fields on the vertices of a mesh that is in a file of its own, of any format:
// numbers, vectors and symmetric matrices, in the order of the vertices. MEDIT, MMG and what else
// speaks of metrics uses them. As a metric a number is the length of edges, and a matrix, in the
// order xx, xy, yy, xz, yz, zz, has one over the squares of lengths as its eigenvalues.

/// Whether a file is called so.
bool is_sol(const std::filesystem::path& path);

/// The fields of a mesh of that many vertices, in double: a single one is called "sol", several
/// "sol_0", "sol_1", ... Numbers are taken as they are, infinite ones and NaN included. Throws
/// InputError, naming the file and the line, if the file is missing or malformed, or about another
/// number of vertices.
Attributes read_sol(const std::filesystem::path& path, std::size_t vertices,
                    const ReadOptions& options = {});

/// Writes attributes of vertices, of 1, 3 or 6 components each, to a file that appears when it is
/// complete, and returns its bytes. Their names are lost. Throws InputError if the name of the file
/// is unusable, OutputError if storing fails, std::invalid_argument if there is no attribute, one
/// has another number of components or is called "ref", or they are of different sizes.
std::uint64_t write_sol(const std::filesystem::path& path, const Attributes& attributes,
                        const WriteOptions& options = {});

}  // namespace tessera::io
