// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "tessera/core/parallel.h"
#include "tessera/io/detail/byte_order.h"
#include "tessera/io/detail/gmsh_file.h"
#include "tessera/io/detail/gmsh_types.h"
#include "tessera/io/detail/table.h"

namespace tessera::io::detail {

/// A binary Gmsh file, with the interface of GmshText.
class GmshBinary {
 public:
  GmshBinary(const Source& source, const GmshHeader& header)
      : source_(source), header_(header), at_(header.behind) {}

  /// Throws InputError where the sections are not what they announce.
  GmshLayout find_layout();

  template <class Store>
  void read_nodes(const GmshBlock& block, Progress& progress, const Store& store) const {
    const char* tags = source_.begin() + block.start;
    const char* positions = header_.is_4 ? tags + block.count * sizeof(std::uint64_t) : tags + 4;
    const std::size_t tag_step = header_.is_4 ? sizeof(std::uint64_t) : old_node_bytes;
    const std::size_t step = header_.is_4 ? position_bytes(block) : old_node_bytes;
    for_each(block.count, progress, [&](std::uint64_t i) {
      const char* tag = tags + i * tag_step;
      GmshNode node{header_.is_4 ? number<std::uint64_t>(tag) : number<std::uint32_t>(tag), {}};
      for (std::size_t k = 0; k < 3; ++k)
        node.position[static_cast<int>(k)] =
            number<double>(positions + i * step + k * sizeof(double));
      check(node, i, positions + i * step);
      store(i, node);
    });
  }

  template <class Store>
  void read_heads(const GmshBlock& block, Progress& progress, const Store& store) const {
    const std::size_t size = number_bytes();
    for_each(block.count, progress, [&](std::uint64_t i) {
      const char* at = source_.begin() + block.start + i * element_bytes(block);
      GmshHead head{number<std::uint32_t>(at), block.type, 0, 0};
      if (block.tags > 0) head.group = number<std::int32_t>(at + size);
      if (block.tags > 1) head.entity = number<std::int32_t>(at + 2 * size);
      store(i, head);
    });
  }

  template <class Use>
  void read_elements(const GmshBlock& block, Progress& progress, const Use& use) const {
    const std::size_t size = number_bytes();
    const std::size_t step = element_bytes(block);
    for_each(block.count, progress, [&](std::uint64_t i) {
      const char* at = source_.begin() + block.start + i * step;
      use(i, at, [&](Index count, GmshCorners& corners) {
        const char* node = at + (1 + static_cast<std::size_t>(block.tags)) * size;
        for (Index k = 0; k < count; ++k, node += size)
          corners[k] = header_.is_4 ? number<std::uint64_t>(node) : number<std::uint32_t>(node);
      });
    });
  }

  [[noreturn]] static void fail(const char* where, std::string message) {
    throw RowError{where, std::move(message)};
  }

 private:
  static constexpr std::size_t old_node_bytes = sizeof(std::int32_t) + 3 * sizeof(double);

  template <class T>
  T number(const char* from) const {
    return load_number<T>(from, header_.swap);
  }

  std::size_t number_bytes() const { return header_.is_4 ? 8 : 4; }
  static std::size_t position_bytes(const GmshBlock& block) {
    const int parameters = block.parametric ? block.dimension : 0;
    return static_cast<std::size_t>(3 + parameters) * sizeof(double);
  }
  std::size_t element_bytes(const GmshBlock& block) const {
    return (1 + static_cast<std::size_t>(block.tags) + gmsh_type(block.type).nodes) *
           number_bytes();
  }

  /// Calls f(i) for i below count from all threads; of the RowErrors that it throws the first of
  /// the file becomes an InputError.
  template <class F>
  void for_each(std::uint64_t count, Progress& progress, const F& f) const {
    FirstError error;
    parallel_for_ranges(count, 16384, [&](std::size_t begin, std::size_t end) {
      try {
        for (std::size_t i = begin; i < end; ++i) f(i);
      } catch (RowError& row_error) {
        error.report(row_error.where, std::move(row_error.message));
        return;
      }
      progress.advance(end - begin);
    });
    error.raise_at_offset(source_);
  }

  static void check(const GmshNode& node, std::uint64_t i, const char* where);

  template <class T>
  T take(std::string_view section);
  std::uint64_t take_count_line(std::string_view section);
  void take_bytes(std::uint64_t count, std::uint64_t size, std::string_view what);
  bool next_section(std::string& name);
  void end_section(const std::string& name);
  void find_nodes(GmshLayout& layout);
  void find_elements(GmshLayout& layout);
  void find_old_elements(GmshLayout& layout);
  void find_entities(GmshLayout& layout);

  const Source& source_;
  GmshHeader header_;
  std::size_t at_;
};

}  // namespace tessera::io::detail
