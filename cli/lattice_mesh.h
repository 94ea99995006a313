// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "run.h"
#include "tessera/core/lattice_block.h"
#include "tessera/io/lattice.h"
#include "tessera/lattice/stream.h"

namespace tessera::cli {

/// How lattices are meshed.
struct LatticeMeshFlags {
  std::vector<double> chord_errors{0.02};
  double memory = 2;  ///< GiB
};
void add_lattice_mesh_flags(CLI::App& command, LatticeMeshFlags& flags);
/// --memory alone.
void add_lattice_memory_flag(CLI::App& command, LatticeMeshFlags& flags);

lattice::StreamOptions stream_options(Run& run, const LatticeMeshFlags& flags);

/// The output that makes all triangles and drops them.
inline constexpr const char* nowhere = "null:";

/// Whether a lattice is meshed to such a file; `null:` is one.
bool is_lattice_mesh(const std::string& path);

/// Meshes a lattice to one file for each chord error, and reports it.
void mesh_lattice(Run& run, const LatticeSource& source, const std::string& output,
                  const LatticeMeshFlags& flags);

void add_lattice_mesh(CLI::App& parent, const SharedFlags& flags);
void add_lattice_meta(CLI::App& parent, const SharedFlags& flags);

}  // namespace tessera::cli
