// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/gmsh_text.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "tessera/io/detail/gmsh_types.h"

namespace tessera::io::detail {

namespace {

/// Whether the row goes on with two tags and ends.
bool ends_with_tags(Scanner& row) {
  std::uint64_t tag = 0;
  return row.read_whole(tag) && row.read_whole(tag) && at_row_end(row);
}

/// A number of tags and the tags.
bool read_tags(Scanner& row, std::vector<std::int32_t>& tags) {
  std::uint64_t count = 0;
  if (!row.read_whole(count)) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::int32_t tag = 0;
    if (!row.read_whole(tag)) return false;
    tags.push_back(tag);
  }
  return true;
}

}  // namespace

GmshLayout GmshText::find_layout() {
  GmshLayout layout;
  bool has_elements = false;
  while (row_ < table_.size()) {
    Scanner line = table_.row(row_);
    const char* where = line.position;
    const std::string name(line.token());
    if (name[0] != '$')
      source_.fail_at_line(where,
                           "expected a section; there may be more rows here than the one above "
                           "announces");
    ++row_;
    if (name == "$Nodes") {
      if (std::exchange(layout.has_nodes, true)) source_.fail_at_line(where, "a second $Nodes");
      find_nodes(layout);
    } else if (name == "$Elements") {
      if (std::exchange(has_elements, true)) source_.fail_at_line(where, "a second $Elements");
      find_elements(layout);
    } else if (name == "$Entities" && header_.is_4) {
      find_entities(layout);
    } else {
      const std::string end = "$End" + name.substr(1);
      while (row_ < table_.size() && table_.row(row_).token() != end) ++row_;
      if (name != "$MeshFormat") layout.skipped.push_back(name);
    }
    const std::string end = "$End" + name.substr(1);
    Scanner last = next_row(name.c_str());
    const char* last_where = last.position;
    if (last.token() != end) source_.fail_at_line(last_where, fmt::format("expected {}", end));
  }
  return layout;
}

Scanner GmshText::next_row(const char* section) {
  if (row_ == table_.size()) source_.fail(fmt::format("the file ends within {}", section));
  return table_.row(row_++);
}

void GmshText::require_rows(std::uint64_t rows, const char* what) {
  if (rows > table_.size() - row_)
    source_.fail(fmt::format("{} {} are announced, but only {} lines follow", rows, what,
                             table_.size() - row_));
}

void GmshText::find_nodes(GmshLayout& layout) {
  Scanner line = next_row("$Nodes");
  const char* where = line.position;
  if (!header_.is_4) {
    GmshBlock block;
    if (!line.read_whole(block.count) || !at_row_end(line))
      source_.fail_at_line(where, "$Nodes needs a number below it");
    require_rows(block.count, "nodes");
    block.start = row_;
    row_ += block.count;
    layout.nodes.push_back(block);
    return;
  }
  std::uint64_t blocks = 0;
  std::uint64_t announced = 0;
  if (!line.read_whole(blocks) || !line.read_whole(announced) || !ends_with_tags(line))
    source_.fail_at_line(where,
                         "$Nodes needs four numbers below it: those of blocks and of nodes, "
                         "the smallest tag and the largest");
  std::uint64_t found = 0;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    line = next_row("$Nodes");
    GmshBlock block;
    int parametric = 0;
    if (!line.read_whole(block.dimension) || !line.read_whole(block.entity) ||
        !line.read_whole(parametric) || !line.read_whole(block.count) || !at_row_end(line))
      source_.fail_at_line(line.position,
                           "expected dimension, entity, parametric and count of a block of nodes");
    if (block.dimension < 0 || block.dimension > 3)
      source_.fail_at_line(line.position,
                           fmt::format("nodes on an entity of dimension {}", block.dimension));
    block.parametric = parametric != 0;
    if (block.count > table_.size()) require_rows(block.count, "nodes");
    require_rows(2 * block.count, "rows of nodes");
    block.start = row_;
    row_ += 2 * block.count;
    found += block.count;
    layout.nodes.push_back(block);
  }
  if (found != announced)
    source_.fail_at_line(
        where, fmt::format("{} nodes are announced, but the blocks have {}", announced, found));
}

void GmshText::find_elements(GmshLayout& layout) {
  Scanner line = next_row("$Elements");
  const char* where = line.position;
  if (!header_.is_4) {
    GmshBlock block;
    if (!line.read_whole(block.count) || !at_row_end(line))
      source_.fail_at_line(where, "$Elements needs a number below it");
    require_rows(block.count, "elements");
    block.start = row_;
    row_ += block.count;
    layout.elements.push_back(block);
    return;
  }
  std::uint64_t blocks = 0;
  std::uint64_t announced = 0;
  if (!line.read_whole(blocks) || !line.read_whole(announced) || !ends_with_tags(line))
    source_.fail_at_line(where,
                         "$Elements needs four numbers below it: those of blocks and of "
                         "elements, the smallest tag and the largest");
  std::uint64_t found = 0;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    line = next_row("$Elements");
    GmshBlock block;
    if (!line.read_whole(block.dimension) || !line.read_whole(block.entity) ||
        !line.read_whole(block.type) || !line.read_whole(block.count) || !at_row_end(line) ||
        block.type < 1)
      source_.fail_at_line(line.position,
                           "expected dimension, entity, type and count of a block of elements");
    require_rows(block.count, "elements");
    block.start = row_;
    row_ += block.count;
    found += block.count;
    layout.elements.push_back(block);
  }
  if (found != announced)
    source_.fail_at_line(
        where, fmt::format("{} elements are announced, but the blocks have {}", announced, found));
}

void GmshText::find_entities(GmshLayout& layout) {
  Scanner line = next_row("$Entities");
  std::uint64_t counts[4] = {};
  bool good = true;
  for (std::uint64_t& count : counts) good = good && line.read_whole(count);
  if (!good || !at_row_end(line))
    source_.fail_at_line(line.position,
                         "$Entities needs the numbers of points, curves, surfaces and volumes");
  for (int dimension = 0; dimension < 4; ++dimension)
    for (std::uint64_t i = 0; i < counts[dimension]; ++i) {
      line = next_row("$Entities");
      std::int32_t tag = 0;
      double coordinate = 0;
      good = line.read_whole(tag);
      for (int k = 0; k < (dimension == 0 ? 3 : 6); ++k) good = good && line.read_whole(coordinate);
      std::vector<std::int32_t> groups;
      good = good && read_tags(line, groups);
      std::vector<std::int32_t> bounds;
      if (dimension > 0) good = good && read_tags(line, bounds);
      if (!good || !at_row_end(line))
        source_.fail_at_line(line.position, "this row of an entity lacks something or is too long");
      layout.groups.add(dimension, tag, groups);
    }
}

std::uint64_t GmshText::read_tag(Scanner& row, const char* kind, std::uint64_t i) {
  std::uint64_t tag = 0;
  if (!row.read_whole(tag))
    throw RowError{row.position, fmt::format("{} {} has no tag", kind, i + 1)};
  return tag;
}

void GmshText::require_row_end(Scanner& row, const char* kind, std::uint64_t i) {
  if (!at_row_end(row))
    throw RowError{row.position,
                   fmt::format("{} {} has more in its row than it should", kind, i + 1)};
}

Vec3d GmshText::read_position(Scanner& row, std::uint64_t i, int parameters) {
  Vec3d p{};
  for (double& x : p.v)
    if (!row.read_whole(x))
      throw RowError{row.position, fmt::format("node {} needs 3 coordinates", i + 1)};
  if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2]))
    throw RowError{row.position, fmt::format("node {} has a coordinate that is not finite", i + 1)};
  for (int k = 0; k < parameters; ++k) {
    double parameter = 0;
    if (!row.read_whole(parameter))
      throw RowError{row.position, fmt::format("node {} lacks a parameter on its entity", i + 1)};
  }
  require_row_end(row, "node", i);
  return p;
}

GmshHead GmshText::read_head(Scanner& row, std::uint64_t i) {
  GmshHead head;
  head.number = read_tag(row, "element", i);
  std::int64_t type = 0;
  if (!row.read_whole(type))
    throw RowError{row.position, fmt::format("element {} has no type", i + 1)};
  if (type > 0 && type <= std::numeric_limits<std::int16_t>::max())
    head.type = static_cast<int>(type);
  std::uint64_t tags = 0;
  if (!row.read_whole(tags))
    throw RowError{row.position, fmt::format("element {} has no number of tags", i + 1)};
  for (std::uint64_t k = 0; k < tags; ++k) {
    std::int32_t tag = 0;
    if (!row.read_whole(tag))
      throw RowError{row.position, fmt::format("element {} lacks a tag", i + 1)};
    if (k == 0) head.group = tag;
    if (k == 1) head.entity = tag;
  }
  return head;
}

void GmshText::read_element(Scanner& row, std::uint64_t i, int type, Index count,
                            GmshCorners& corners) const {
  if (header_.is_4)
    read_tag(row, "element", i);
  else
    type = read_head(row, i).type;
  const Index nodes = gmsh_type(type).nodes;
  for (Index k = 0; k < nodes; ++k) {
    std::uint64_t node = 0;
    if (!row.read_whole(node))
      throw RowError{row.position, fmt::format("element {} lacks a node", i + 1)};
    if (k < count) corners[k] = node;
  }
  if (nodes > 0) require_row_end(row, "element", i);
}

}  // namespace tessera::io::detail
