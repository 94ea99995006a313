// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Gmsh's MSH files (https://gmsh.info/doc/texinfo/gmsh.html, "MSH file format").
#include <cstdint>
#include <map>
#include <string>

#include <fmt/format.h>

#include "tessera/core/parallel.h"
#include "tessera/io/detail/cells.h"
#include "tessera/io/detail/elements.h"
#include "tessera/io/detail/gmsh_binary.h"
#include "tessera/io/detail/gmsh_file.h"
#include "tessera/io/detail/gmsh_nodes.h"
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
    Array<std::int16_t> types(elements);
    Array<ElementShape> shapes(elements);
    std::uint64_t first = 0;
    for (const GmshBlock& block : layout_.elements) {
      const auto set = [&](std::uint64_t i, int type) {
        types[first + i] = static_cast<std::int16_t>(type);
        shapes[first + i] = gmsh_type(type).shape;
      };
      if (block.type == 0)
        file_.read_types(block, progress, set);
      else
        for (std::uint64_t i = 0; i < block.count; ++i)
          set(i, gmsh_type(block.type).nodes == 0 ? 0 : block.type);
      first += block.count;
    }
    PolyhedralSoup& mesh = result_.mesh;
    const ElementPlaces places = make_room(source_, shapes, mesh);
    Array<std::int32_t> refs(elements);
    first = 0;
    for (const GmshBlock& block : layout_.elements) {
      const std::int32_t ref = header_.is_4 ? ref_of(block) : 0;
      file_.read_elements(
          block, progress, [&](std::uint64_t i, const char* where, const auto& read_corners) {
            const std::uint64_t e = first + i;
            GmshElement element;
            read_corners(shapes[e].size, element);
            refs[e] = header_.is_4 ? ref : element.first_tag;
            Index* out = entries_of(mesh, shapes[e], places, e);
            for (Index k = 0; k < shapes[e].size; ++k) {
              out[k] = numbers.find(element.nodes[k]);
              if (out[k] == no_index)
                File::fail(where,
                           fmt::format("element {} refers to node {}, which the file does not have",
                                       i + 1, element.nodes[k]));
            }
          });
      first += block.count;
    }
    add_refs(refs, shapes, mesh);
    note_types(types);
  }

  /// The physical group of the block's entity, or else the entity.
  std::int32_t ref_of(const GmshBlock& block) const {
    const auto found = layout_.physical.find({block.dimension, block.entity});
    return found == layout_.physical.end() ? block.entity : found->second;
  }

  void note_types(const Array<std::int16_t>& types) {
    std::uint64_t points = 0;
    std::uint64_t unknown = 0;
    std::uint64_t curved = 0;
    for (const std::int16_t type : types) {
      const GmshType kind = gmsh_type(type);
      if (type == gmsh_point)
        ++points;
      else if (kind.nodes == 0)
        ++unknown;
      else if (!kind.is_linear())
        ++curved;
    }
    std::vector<std::string>& notes = result_.notes;
    if (points > 0) notes.push_back(fmt::format("{} points were not read", points));
    if (unknown > 0)
      notes.push_back(fmt::format("{} elements of unknown type were not read", unknown));
    if (curved > 0)
      notes.push_back(
          fmt::format("{} elements of higher order were read by their corners", curved));
  }

  const Source& source_;
  GmshHeader header_;
  File file_;
  GmshLayout layout_;
  ReadPolyhedraResult result_;
};

}  // namespace

ReadPolyhedraResult read_gmsh(const Source& source) {
  const GmshHeader header = read_gmsh_header(source);
  if (header.is_binary) return Reader<GmshBinary>(source, header).read();
  return Reader<GmshText>(source, header).read();
}

}  // namespace tessera::io::detail
