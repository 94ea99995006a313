// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/gmsh_binary.h"

#include <cmath>

#include <fmt/format.h>

#include "tessera/io/detail/text.h"

namespace tessera::io::detail {

GmshLayout GmshBinary::find_layout() {
  GmshLayout layout;
  bool has_elements = false;
  end_section("$MeshFormat");
  for (std::string name; next_section(name);) {
    const std::size_t start = at_;
    if (name == "$Nodes") {
      if (std::exchange(layout.has_nodes, true)) source_.fail_at_offset(start, "a second $Nodes");
      find_nodes(layout);
    } else if (name == "$Elements") {
      if (std::exchange(has_elements, true)) source_.fail_at_offset(start, "a second $Elements");
      if (header_.is_4)
        find_elements(layout);
      else
        find_old_elements(layout);
    } else if (name == "$Entities" && header_.is_4) {
      find_entities(layout);
    } else {
      const std::string_view rest(source_.begin() + at_, source_.bytes.size() - at_);
      const std::size_t end = rest.find("$End" + name.substr(1));
      if (end == std::string_view::npos) source_.fail(fmt::format("the file ends within {}", name));
      at_ += end;
      layout.skipped.push_back(name);
    }
    end_section(name);
  }
  return layout;
}

void GmshBinary::check(const GmshNode& node, std::uint64_t i, const char* where) {
  for (const double x : node.position.v)
    if (!std::isfinite(x))
      throw RowError{where, fmt::format("node {} has a coordinate that is not finite", i + 1)};
}

bool GmshBinary::next_section(std::string& name) {
  const char* bytes = source_.begin();
  while (at_ < source_.bytes.size() && (is_blank(bytes[at_]) || bytes[at_] == '\n')) ++at_;
  if (at_ == source_.bytes.size()) return false;
  Scanner line{bytes + at_, source_.end()};
  constexpr std::size_t longest = 64;
  name = std::string(line.token().substr(0, longest));
  if (name[0] != '$')
    source_.fail_at_offset(at_, "expected a section; the one above may be longer than it says");
  at_ = static_cast<std::size_t>(line_end(line.position, source_.end()) - bytes);
  if (at_ < source_.bytes.size()) ++at_;
  return true;
}

void GmshBinary::end_section(const std::string& name) {
  const std::size_t before = at_;
  const std::string end = "$End" + name.substr(1);
  const char* bytes = source_.begin();
  while (at_ < source_.bytes.size() && (is_blank(bytes[at_]) || bytes[at_] == '\n')) ++at_;
  Scanner line{bytes + at_, source_.end()};
  if (line.token() != end) source_.fail_at_offset(before, fmt::format("expected {}", end));
  at_ = static_cast<std::size_t>(line.position - bytes);
}

template <class T>
T GmshBinary::take(std::string_view section) {
  if (source_.bytes.size() - at_ < sizeof(T))
    source_.fail(fmt::format("the file ends within {}", section));
  const T value = number<T>(source_.begin() + at_);
  at_ += sizeof(T);
  return value;
}

std::uint64_t GmshBinary::take_count_line(std::string_view section) {
  const char* start = source_.begin() + at_;
  Scanner line{start, line_end(start, source_.end())};
  std::uint64_t count = 0;
  if (!line.read(count) || !line.at_end())
    source_.fail_at_offset(at_, fmt::format("{} needs a number below it", section));
  at_ += static_cast<std::size_t>(line.end - start);
  if (at_ < source_.bytes.size()) ++at_;
  return count;
}

void GmshBinary::take_bytes(std::uint64_t count, std::uint64_t size, std::string_view what) {
  const std::size_t left = source_.bytes.size() - at_;
  if (size != 0 && count > left / size)
    source_.fail_at_offset(
        at_, fmt::format("{} {} are announced, but the file ends after {} at most", count, what,
                         left / size));
  at_ += count * size;
}

void GmshBinary::find_nodes(GmshLayout& layout) {
  if (!header_.is_4) {
    GmshBlock block;
    block.count = take_count_line("$Nodes");
    block.start = at_;
    take_bytes(block.count, old_node_bytes, "nodes");
    layout.nodes.push_back(block);
    return;
  }
  const std::size_t start = at_;
  const auto blocks = take<std::uint64_t>("$Nodes");
  const auto announced = take<std::uint64_t>("$Nodes");
  take_bytes(2, sizeof(std::uint64_t), "tags");
  std::uint64_t found = 0;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    GmshBlock block;
    block.dimension = take<std::int32_t>("$Nodes");
    block.entity = take<std::int32_t>("$Nodes");
    block.parametric = take<std::int32_t>("$Nodes") != 0;
    block.count = take<std::uint64_t>("$Nodes");
    if (block.dimension < 0 || block.dimension > 3)
      source_.fail_at_offset(at_,
                             fmt::format("nodes on an entity of dimension {}", block.dimension));
    block.start = at_;
    take_bytes(block.count, sizeof(std::uint64_t) + position_bytes(block), "nodes");
    found += block.count;
    layout.nodes.push_back(block);
  }
  if (found != announced)
    source_.fail_at_offset(
        start, fmt::format("{} nodes are announced, but the blocks have {}", announced, found));
}

void GmshBinary::find_elements(GmshLayout& layout) {
  const std::size_t start = at_;
  const auto blocks = take<std::uint64_t>("$Elements");
  const auto announced = take<std::uint64_t>("$Elements");
  take_bytes(2, sizeof(std::uint64_t), "tags");
  std::uint64_t found = 0;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    GmshBlock block;
    block.dimension = take<std::int32_t>("$Elements");
    block.entity = take<std::int32_t>("$Elements");
    block.type = take<std::int32_t>("$Elements");
    block.count = take<std::uint64_t>("$Elements");
    if (gmsh_type(block.type).nodes == 0)
      source_.fail_at_offset(at_, fmt::format("elements of the unknown type {}", block.type));
    block.start = at_;
    take_bytes(block.count, element_bytes(block), "elements");
    found += block.count;
    layout.elements.push_back(block);
  }
  if (found != announced)
    source_.fail_at_offset(
        start, fmt::format("{} elements are announced, but the blocks have {}", announced, found));
}

void GmshBinary::find_old_elements(GmshLayout& layout) {
  const std::uint64_t announced = take_count_line("$Elements");
  for (std::uint64_t found = 0; found < announced;) {
    GmshBlock block;
    block.type = take<std::int32_t>("$Elements");
    const auto count = take<std::int32_t>("$Elements");
    block.tags = take<std::int32_t>("$Elements");
    if (gmsh_type(block.type).nodes == 0)
      source_.fail_at_offset(at_, fmt::format("elements of the unknown type {}", block.type));
    if (count < 1 || block.tags < 0 || static_cast<std::uint64_t>(count) > announced - found)
      source_.fail_at_offset(at_,
                             fmt::format("a block of {} elements with {} tags", count, block.tags));
    block.count = static_cast<std::uint64_t>(count);
    block.start = at_;
    take_bytes(block.count, element_bytes(block), "elements");
    found += block.count;
    layout.elements.push_back(block);
  }
}

void GmshBinary::find_entities(GmshLayout& layout) {
  std::uint64_t counts[4] = {};
  for (std::uint64_t& count : counts) count = take<std::uint64_t>("$Entities");
  const auto take_tags = [&] {
    const auto count = take<std::uint64_t>("$Entities");
    const std::size_t first = at_;
    take_bytes(count, sizeof(std::int32_t), "tags");
    std::vector<std::int32_t> tags;
    for (std::size_t at = first; at < at_; at += sizeof(std::int32_t))
      tags.push_back(number<std::int32_t>(source_.begin() + at));
    return tags;
  };
  for (int dimension = 0; dimension < 4; ++dimension)
    for (std::uint64_t i = 0; i < counts[dimension]; ++i) {
      const auto tag = take<std::int32_t>("$Entities");
      take_bytes(dimension == 0 ? 3 : 6, sizeof(double), "coordinates");
      layout.groups.add(dimension, tag, take_tags());
      if (dimension > 0) take_tags();  // what bounds it
    }
}

}  // namespace tessera::io::detail
