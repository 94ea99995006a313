// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "tessera/core/lattice_block.h"
#include "tessera/core/lattice_graph.h"
#include "tessera/core/vec.h"

namespace tessera::lattice {

/// Unit cells, each with a cube of side 1 as its period.
enum class CellType {
  cubic,    ///< the cube's edges
  bcc,      ///< the centre to the eight corners
  fcc,      ///< the centres of the faces to the corners
  octet,    ///< fcc, and the octahedron between the centres of the faces
  diamond,  ///< four struts at each node, at the angles of a tetrahedron
  kelvin    ///< truncated octahedra, which fill space as foam does
};

/// "cubic", "bcc", ...
std::string_view name_of(CellType type);

/// Says which of some nodes a lattice is to have: keep[i] = 0 leaves node i out, with its struts.
using NodeFilter = std::function<void(std::span<const Vec3d> nodes, std::span<const float> radii,
                                      std::span<std::uint8_t> keep)>;

struct GenerateOptions {
  CellType cell = CellType::cubic;
  Vec<std::uint32_t, 3> size{1, 1, 1};  ///< cells along x, y and z
  double cell_size = 1;                 ///< side of a cell
  double radius = 0.05;                 ///< of the nodes at the bottom
  double top_radius = -1;               ///< of those at the top; below 0: as at the bottom
  Vec3d origin{};                       ///< where the box starts
  NodeFilter filter = nullptr;          ///< called by several threads at once; none: all nodes
};

/// A regular lattice in a box. Struts that would leave the box are left out, as are nodes without
/// struts. Throws InputError if a size is not positive or finite, a radius is negative or not
/// finite, or there are more struts than a graph can hold.
LatticeGraph generate(const GenerateOptions& options);

/// The same lattice, of any size, in cubes of cells that are made when asked for.
class GeneratedBlocks final : public LatticeSource {
 public:
  /// Blocks have about so many struts. Throws as generate() does, but for the number of struts.
  GeneratedBlocks(const GenerateOptions& options, Index struts_a_block);
  ~GeneratedBlocks() override;

  std::uint64_t blocks() const override;
  std::uint64_t struts() const override;
  std::uint64_t largest_block() const override;
  LatticeBlock block(std::uint64_t number) const override;

 private:
  friend LatticeGraph generate(const GenerateOptions& options);
  class Generator;
  std::unique_ptr<Generator> generator_;
};

}  // namespace tessera::lattice
