// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/vec.h"
#include "tessera/io/detail/source.h"

namespace tessera::io::detail {

// Gmsh's files, versions 2.2 and 4.1, text and binary. Each variant has a class that finds the
// blocks of nodes and elements and then reads them; gmsh_reader.cpp makes a mesh of that.

/// Nodes or elements that lie together.
struct GmshBlock {
  std::uint64_t start = 0;  ///< of the first: a row of text, or a byte of the file
  std::uint64_t count = 0;
  int dimension = 0;        ///< of the entity they are on
  std::int32_t entity = 0;  ///< its number
  int type = 0;             ///< of elements; 0: it stands in each row
  int tags = 0;             ///< of each element in binary files of version 2
  bool parametric = false;  ///< nodes have their parameters on the entity too
};

struct GmshLayout {
  bool has_nodes = false;
  std::vector<GmshBlock> nodes;
  std::vector<GmshBlock> elements;
  std::map<std::pair<int, std::int32_t>, std::int32_t> physical;  ///< (dimension, entity) -> tag
  std::vector<std::string> skipped;                               ///< names of other sections
};

struct GmshNode {
  std::uint64_t tag = 0;
  Vec3d position{};
};

/// What an element says of itself.
struct GmshElement {
  std::int32_t first_tag = 0;  ///< version 2 alone
  std::uint64_t nodes[8];      ///< tags of the corners
};

struct GmshHeader {
  bool is_4 = false;  ///< version 4.1, else 2.x
  bool is_binary = false;
  bool swap = false;       ///< the numbers of a binary file are in the other byte order
  std::size_t behind = 0;  ///< the byte behind the line with the version
};

GmshHeader read_gmsh_header(const Source& source);

}  // namespace tessera::io::detail
