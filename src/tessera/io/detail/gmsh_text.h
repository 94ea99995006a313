// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tessera/io/detail/gmsh_file.h"
#include "tessera/io/detail/table.h"

namespace tessera::io::detail {

/// A Gmsh file in text.
class GmshText {
 public:
  GmshText(const Source& source, const GmshHeader& header)
      : source_(source), header_(header), table_(source) {}

  /// Throws InputError where the sections are not what they announce.
  GmshLayout find_layout();

  /// Calls store(i, node) for the nodes of a block, in parallel; i counts from 0.
  template <class Store>
  void read_nodes(const GmshBlock& block, Progress& progress, const Store& store) const {
    if (!header_.is_4) {
      table_.for_each(block.start, block.count, progress, [&](std::uint64_t i, Scanner& row) {
        const std::uint64_t tag = read_tag(row, "node", i);
        store(i, GmshNode{tag, read_position(row, i, 0)});
      });
      return;
    }
    // Version 4.1 has the tags of a block first. Positions wait for theirs.
    Array<std::uint64_t> tags(block.count);
    table_.for_each(block.start, block.count, progress, [&](std::uint64_t i, Scanner& row) {
      tags[i] = read_tag(row, "node", i);
      require_row_end(row, "node", i);
    });
    const int parameters = block.parametric ? block.dimension : 0;
    table_.for_each(block.start + block.count, block.count, progress,
                    [&](std::uint64_t i, Scanner& row) {
                      store(i, GmshNode{tags[i], read_position(row, i, parameters)});
                    });
  }

  /// Calls store(i, head) for the elements of a block of version 2.
  template <class Store>
  void read_heads(const GmshBlock& block, Progress& progress, const Store& store) const {
    table_.for_each(block.start, block.count, progress,
                    [&](std::uint64_t i, Scanner& row) { store(i, read_head(row, i)); });
  }

  /// Calls use(i, where, read) for the elements of a block, in parallel; read(count, corners) reads
  /// so many corners.
  template <class Use>
  void read_elements(const GmshBlock& block, Progress& progress, const Use& use) const {
    table_.for_each(block.start, block.count, progress, [&](std::uint64_t i, Scanner& row) {
      const char* where = row.position;
      use(i, where, [&](Index count, GmshCorners& corners) {
        read_element(row, i, block.type, count, corners);
      });
    });
  }

  /// Throws what is wrong at `where` in an element, out of read_elements().
  [[noreturn]] static void fail(const char* where, std::string message) {
    throw RowError{where, std::move(message)};
  }

 private:
  static std::uint64_t read_tag(Scanner& row, const char* kind, std::uint64_t i);
  static GmshHead read_head(Scanner& row, std::uint64_t i);
  /// The position of a node, whose row ends with its parameters on the entity.
  static Vec3d read_position(Scanner& row, std::uint64_t i, int parameters);
  /// `type` is that of the block, 0 where it stands in the row.
  void read_element(Scanner& row, std::uint64_t i, int type, Index count,
                    GmshCorners& corners) const;
  static void require_row_end(Scanner& row, const char* kind, std::uint64_t i);

  Scanner next_row(const char* section);
  void require_rows(std::uint64_t rows, const char* what);
  void find_nodes(GmshLayout& layout);
  void find_elements(GmshLayout& layout);
  void find_entities(GmshLayout& layout);

  const Source& source_;
  GmshHeader header_;
  LineTable table_;
  std::uint64_t row_ = 0;
};

}  // namespace tessera::io::detail
