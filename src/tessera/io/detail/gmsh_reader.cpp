// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Gmsh's MSH files (https://gmsh.info/doc/texinfo/gmsh.html, "MSH file format").
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "tessera/core/parallel.h"
#include "tessera/io/detail/cells.h"
#include "tessera/io/detail/curved.h"
#include "tessera/io/detail/elements.h"
#include "tessera/io/detail/gmsh_binary.h"
#include "tessera/io/detail/gmsh_file.h"
#include "tessera/io/detail/gmsh_nodes.h"
#include "tessera/io/detail/gmsh_tags.h"
#include "tessera/io/detail/gmsh_text.h"
#include "tessera/io/detail/gmsh_types.h"

namespace tessera::io::detail {
namespace {

template <class File>
class Reader {
 public:
  Reader(const Source& source, const GmshHeader& header)
      : source_(source), header_(header), file_(source, header), layout_(file_.find_layout()) {}

  ReadPolyhedraResult read() {
    if (!layout_.has_nodes) source_.fail("the file has no $Nodes");
    std::uint64_t nodes = 0;
    std::uint64_t elements = 0;
    for (const GmshBlock& block : layout_.nodes) nodes += block.count;
    for (const GmshBlock& block : layout_.elements) elements += block.count;
    source_.check_counts(nodes, 0);
    if (elements >= no_index)
      source_.fail(fmt::format("{} elements are more than 32-bit indices can name", elements));
    Progress progress(source_.progress, "reading", 2 * (nodes + elements));
    const NodeNumbers numbers(source_, read_nodes(nodes, progress));
    read_elements(elements, numbers, progress);
    for (const std::string& section : layout_.skipped)
      result_.notes.push_back(fmt::format("section {} was not read", section));
    return std::move(result_);
  }

 private:
  /// Fills the positions and returns the tags.
  Array<std::uint64_t> read_nodes(std::uint64_t nodes, Progress& progress) {
    Array<Vec3d>& positions = result_.mesh.positions;
    positions.resize(nodes);
    Array<std::uint64_t> tags(nodes);
    std::uint64_t first = 0;
    for (const GmshBlock& block : layout_.nodes) {
      file_.read_nodes(block, progress, [&](std::uint64_t i, const GmshNode& node) {
        positions[first + i] = node.position;
        tags[first + i] = node.tag;
      });
      first += block.count;
    }
    return tags;
  }

  void read_elements(std::uint64_t elements, const NodeNumbers& numbers, Progress& progress) {
    types_.resize(elements);
    shapes_.resize(elements);
    tags_.groups.resize(elements);
    tags_.entities.resize(elements);
    if (header_.is_4)
      take_heads_of_blocks();
    else
      read_heads(progress);
    const std::uint64_t curved = note_types();
    if (!header_.is_4) leave_out_repeated(progress);
    read_corners(numbers, progress);
    add_tags();
    drop_nodes_between_corners(curved, result_);
  }

  void take_heads_of_blocks() {
    std::uint64_t e = 0;
    for (const GmshBlock& block : layout_.elements) {
      const bool is_known = gmsh_type(block.type).nodes != 0;
      const std::int32_t group = layout_.groups.of(block);
      for (std::uint64_t i = 0; i < block.count; ++i, ++e) {
        types_[e] = static_cast<std::int16_t>(is_known ? block.type : 0);
        shapes_[e] = gmsh_type(block.type).shape;
        tags_.groups[e] = group;
        tags_.entities[e] = block.entity;
      }
    }
    const GmshGroups& groups = layout_.groups;
    if (groups.in_several > 0)
      result_.notes.push_back(fmt::format(
          "{} entities are in several physical groups: the first of each was read, {} were not",
          groups.in_several, groups.behind_first));
  }

  void read_heads(Progress& progress) {
    numbers_.resize(types_.size());
    std::uint64_t first = 0;
    for (const GmshBlock& block : layout_.elements) {
      file_.read_heads(block, progress, [&](std::uint64_t i, const GmshHead& head) {
        const std::uint64_t e = first + i;
        types_[e] = static_cast<std::int16_t>(head.type);
        shapes_[e] = gmsh_type(head.type).shape;
        tags_.groups[e] = head.group;
        tags_.entities[e] = head.entity;
        numbers_[e] = head.number;
      });
      first += block.count;
    }
  }

  /// Takes the role from elements that stand in the file once more for a second group.
  void leave_out_repeated(Progress& progress) {
    GmshRepeats repeats(shapes_, tags_.groups, numbers_);
    if (!repeats.are_possible()) return;
    std::uint64_t first = 0;
    for (const GmshBlock& block : layout_.elements) {
      file_.read_elements(block, progress,
                          [&](std::uint64_t i, const char*, const auto& read_corners) {
                            GmshCorners corners;
                            read_corners(shapes_[first + i].size, corners);
                            repeats.set_corners(first + i, corners);
                          });
      first += block.count;
    }
    const Array<Index> repeated = repeats.find();
    for (const Index e : repeated) shapes_[e] = {};
    if (!repeated.empty())
      result_.notes.push_back(
          fmt::format("{} elements stand in the file once more for another physical group; they "
                      "were read once, in their first group",
                      repeated.size()));
  }

  void read_corners(const NodeNumbers& numbers, Progress& progress) {
    PolyhedralSoup& mesh = result_.mesh;
    const ElementPlaces places = make_room(source_, shapes_, mesh);
    std::uint64_t first = 0;
    for (const GmshBlock& block : layout_.elements) {
      file_.read_elements(
          block, progress, [&](std::uint64_t i, const char* where, const auto& read_corners) {
            const std::uint64_t e = first + i;
            GmshCorners corners;
            read_corners(shapes_[e].size, corners);
            Index* out = entries_of(mesh, shapes_[e], places, e);
            for (Index k = 0; k < shapes_[e].size; ++k) {
              out[k] = numbers.find(corners[k]);
              if (out[k] == no_index)
                File::fail(where,
                           fmt::format("element {} refers to node {}, which the file does not have",
                                       i + 1, corners[k]));
            }
          });
      first += block.count;
    }
  }

  void add_tags() {
    PolyhedralSoup& mesh = result_.mesh;
    const GmshGroups& groups = layout_.groups;
    tags_.add_to(mesh.segment_attributes, elements_in(shapes_, ElementRole::segment),
                 groups.any[1]);
    tags_.add_to(mesh.polygon_attributes, elements_in(shapes_, ElementRole::polygon),
                 groups.any[2]);
    tags_.add_to(mesh.cell_attributes, elements_in(shapes_, ElementRole::cell), groups.any[3]);
  }

  /// Returns how many are of higher order.
  std::uint64_t note_types() {
    std::uint64_t points = 0;
    std::uint64_t unknown = 0;
    std::uint64_t curved = 0;
    for (const std::int16_t type : types_) {
      const GmshType kind = gmsh_type(type);
      if (type == gmsh_point)
        ++points;
      else if (kind.nodes == 0)
        ++unknown;
      else if (!kind.is_linear())
        ++curved;
    }
    std::vector<std::string>& notes = result_.notes;
    if (points > 0) notes.push_back(fmt::format("{} point elements were not read", points));
    if (unknown > 0)
      notes.push_back(fmt::format("{} elements of unknown type were not read", unknown));
    return curved;
  }

  const Source& source_;
  GmshHeader header_;
  File file_;
  GmshLayout layout_;
  ReadPolyhedraResult result_;
  // Of all elements:
  Array<std::int16_t> types_;
  Array<ElementShape> shapes_;
  GmshTags tags_;
  Array<std::uint64_t> numbers_;  ///< in version 2
};

}  // namespace

ReadPolyhedraResult read_gmsh(const Source& source) {
  const GmshHeader header = read_gmsh_header(source);
  if (header.is_binary) return Reader<GmshBinary>(source, header).read();
  return Reader<GmshText>(source, header).read();
}

}  // namespace tessera::io::detail
