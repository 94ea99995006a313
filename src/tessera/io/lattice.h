// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tessera/core/lattice_clipping.h"
#include "tessera/core/lattice_graph.h"
#include "tessera/core/progress.h"

namespace tessera::io {

struct ReadLatticeResult {
  LatticeGraph graph;
  /// Surfaces that are to clip beams (lattice::clip), one for each placement of a lattice that has
  /// one, in the order of their struts.
  std::vector<LatticeClipping> clippings;
  std::uint64_t bytes = 0;  ///< size of the file
  /// What the file held and the graph does not, one sentence each.
  std::vector<std::string> notes;
};

/// Reads the beam lattices of a 3MF file, all of them as they are placed in its build: nodes, beams
/// and their radii, default ones included. All ends are round, whatever caps the file asks for, and
/// a note says where that makes a difference. Clipping meshes come along, and are not applied.
///
/// Throws InputError, naming the file, where it is missing or malformed, or has no beams.
ReadLatticeResult read_lattice(const std::filesystem::path& path,
                               const ProgressCallback& progress = {});

/// The same for a 3MF file already in memory; `name` stands for it in messages.
ReadLatticeResult parse_lattice(std::span<const char> bytes, const std::string& name,
                                const ProgressCallback& progress = {});

struct WriteLatticeResult {
  std::uint64_t bytes = 0;
  std::uint64_t struts = 0;  ///< that are in the file
  std::vector<std::string> notes;
};

/// Writes a 3MF file with one beam lattice, coordinates and radii in single precision. Struts
/// without length or radius are left out, since 3MF has none; a note says how many. Throws
/// InputError if the graph is not valid, no strut would be left, or the name does not end in .3mf,
/// OutputError if the file cannot be written.
WriteLatticeResult write_lattice(const std::filesystem::path& path, const LatticeGraph& graph,
                                 const ProgressCallback& progress = {});

}  // namespace tessera::io
