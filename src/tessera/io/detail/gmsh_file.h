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

/// The physical groups of entities, in version 4.
struct GmshGroups {
  std::map<std::pair<int, std::int32_t>, std::int32_t> first;  ///< by dimension and entity
  bool any[4] = {};                ///< whether an entity of that dimension is in a group
  std::uint64_t in_several = 0;    ///< how many entities are in more than one
  std::uint64_t behind_first = 0;  ///< in how many groups they are but for their first

  void add(int dimension, std::int32_t entity, const std::vector<std::int32_t>& groups) {
    if (groups.empty()) return;
    first[{dimension, entity}] = groups[0];
    any[dimension] = true;
    if (groups.size() == 1 || dimension == 0) return;
    ++in_several;
    behind_first += groups.size() - 1;
  }

  /// 0 for none.
  std::int32_t of(const GmshBlock& block) const {
    const auto found = first.find({block.dimension, block.entity});
    return found == first.end() ? 0 : found->second;
  }
};

struct GmshLayout {
  bool has_nodes = false;
  std::vector<GmshBlock> nodes;
  std::vector<GmshBlock> elements;
  GmshGroups groups;
  std::vector<std::string> skipped;  ///< names of other sections
};

struct GmshNode {
  std::uint64_t tag = 0;
  Vec3d position{};
};

/// What an element of version 2 says of itself; one of version 4 has its block for that.
struct GmshHead {
  std::uint64_t number = 0;
  int type = 0;             ///< 0 if it is out of range
  std::int32_t group = 0;   ///< the first tag, 0 for none
  std::int32_t entity = 0;  ///< the second tag
};

using GmshCorners = std::uint64_t[8];  ///< tags of nodes

struct GmshHeader {
  bool is_4 = false;  ///< version 4.1, else 2.x
  bool is_binary = false;
  bool swap = false;       ///< the numbers of a binary file are in the other byte order
  std::size_t behind = 0;  ///< the byte behind the line with the version
};

GmshHeader read_gmsh_header(const Source& source);

}  // namespace tessera::io::detail
