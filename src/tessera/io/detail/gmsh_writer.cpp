// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Gmsh's MSH files, version 4.1, text and binary.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tessera/core/parallel.h"
#include "tessera/io/detail/binary_writer.h"
#include "tessera/io/detail/cells.h"
#include "tessera/io/detail/lost_attributes.h"
#include "tessera/io/detail/select.h"
#include "tessera/io/detail/text_writer.h"

namespace tessera::io::detail {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are stored as they are");

/// Elements of one type that lie on one entity.
struct Block {
  int dimension = 0;
  std::int32_t entity = 0;
  int type = 0;
  Index corners = 0;
  Array<Index> elements;
  std::function<const Index*(Index)> corners_of;
};

/// What decides on which entity an element lies: "ref", and "entity" or, without that, "ref" again.
struct Tags {
  std::int32_t ref = 0;
  std::int32_t entity = 0;

  friend auto operator<=>(const Tags&, const Tags&) = default;
};

/// A part of the model: elements of one dimension with the same tags.
struct Entity {
  int dimension = 0;
  std::int32_t tag = 0;
  std::int32_t physical = 0;
};

/// An entity for each of the tags, which are sorted: the one that they name, if it is not negative
/// and is not taken, else the first that is free.
std::vector<std::int32_t> entities_for(const std::vector<Tags>& all) {
  std::vector<std::int32_t> entities(all.size(), -1);
  std::set<std::int32_t> taken;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].entity >= 0 && taken.insert(all[i].entity).second) entities[i] = all[i].entity;
  std::int32_t next = 1;
  for (std::int32_t& entity : entities) {
    if (entity >= 0) continue;
    while (!taken.insert(next).second) ++next;
    entity = next;
  }
  return entities;
}

bool any_ref(const Attributes& attributes) {
  const Attribute* refs = find_refs(attributes);
  return refs != nullptr &&
         std::visit(
             [](const auto& values) {
               return std::any_of(values.begin(), values.end(), [](auto ref) { return ref != 0; });
             },
             refs->values);
}

class Writer {
 public:
  explicit Writer(const CellTarget& target)
      : target_(target), mesh_(target.mesh), is_text_(target.encoding == Encoding::text) {}

  void write() {
    require_cells(target_,
                  {CellType::tetrahedron, CellType::pyramid, CellType::prism, CellType::hexahedron},
                  "Gmsh");
    std::vector<const Attribute*> kept;
    for (const Attributes* attributes :
         {&mesh_.segment_attributes, &mesh_.polygon_attributes, &mesh_.cell_attributes}) {
      kept.push_back(find_refs(*attributes));
      kept.push_back(find_refs(*attributes, "entity"));
      has_groups_ = has_groups_ || any_ref(*attributes);
    }
    std::vector<std::string>& notes = target_.result.notes;
    note_lost(notes, "Gmsh", mesh_.vertex_attributes, "vertex", {});
    note_lost(notes, "Gmsh", mesh_.segment_attributes, "edge", kept);
    note_lost(notes, "Gmsh", mesh_.polygon_attributes, "polygon", kept);
    note_lost(notes, "Gmsh", mesh_.cell_attributes, "cell", kept);
    note_large_polygons(target_, "Gmsh");
    make_blocks();
    Progress progress(target_.progress, "writing", total_progress());
    put(fmt::format("$MeshFormat\n4.1 {} 8\n", is_text_ ? 0 : 1));
    if (!is_text_) {
      put_number(std::int32_t{1});
      put("\n");
    }
    put("$EndMeshFormat\n");
    write_entities();
    write_nodes(progress);
    write_elements(progress);
  }

 private:
  void put(std::string_view text) { target_.file.append(text); }

  template <class T>
  void put_number(T value) {
    target_.file.append({reinterpret_cast<const char*>(&value), sizeof value});
  }

  void make_blocks() {
    std::vector<Block> segments(1);
    segments[0] = {1,
                   0,
                   1,
                   2,
                   select(mesh_.segments.size(), [](std::size_t) { return true; }),
                   [this](Index e) { return mesh_.segments[e].v; }};
    add_blocks(std::move(segments), mesh_.segment_attributes);
    const auto of_polygon = [this](Index p) {
      return mesh_.polygon_corners.data() + mesh_.polygon_offsets[p];
    };
    std::vector<Block> polygons;
    polygons.push_back({2, 0, 2, 3, polygons_of(mesh_, 3), of_polygon});
    polygons.push_back({2, 0, 3, 4, polygons_of(mesh_, 4), of_polygon});
    add_blocks(std::move(polygons), mesh_.polygon_attributes);
    std::vector<Block> cells;
    for (const auto& [type, number] :
         {std::pair{CellType::tetrahedron, 4}, std::pair{CellType::pyramid, 7},
          std::pair{CellType::prism, 6}, std::pair{CellType::hexahedron, 5}})
      cells.push_back({3, 0, number, corners_of(type), cells_of(mesh_, type), [this](Index c) {
                         return mesh_.cell_entries.data() + mesh_.cell_offsets[c];
                       }});
    add_blocks(std::move(cells), mesh_.cell_attributes);
  }

  /// Cuts the blocks of one dimension by the tags of their elements, and makes an entity for each.
  void add_blocks(std::vector<Block> blocks, const Attributes& attributes) {
    std::vector<Tags> values;
    std::vector<Array<Tags>> tags_of_blocks;
    for (const Block& block : blocks) {
      tags_of_blocks.push_back(tags_of(block.elements, attributes));
      const Array<Tags>& all = tags_of_blocks.back();
      // Equal neighbours are left out first: most references come in long runs.
      for (std::size_t i = 0; i < all.size(); ++i)
        if (i == 0 || all[i] != all[i - 1]) values.push_back(all[i]);
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    const std::vector<std::int32_t> entities = entities_for(values);
    for (std::size_t v = 0; v < values.size(); ++v)
      entities_.push_back({blocks[0].dimension, entities[v], values[v].ref});
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (blocks[b].elements.empty()) continue;
      std::vector<Array<Index>> by_value(values.size());
      if (values.size() == 1) {
        by_value[0] = std::move(blocks[b].elements);
      } else {
        const Array<Tags>& all = tags_of_blocks[b];
        for (std::size_t i = 0; i < all.size(); ++i) {
          const auto at = std::lower_bound(values.begin(), values.end(), all[i]);
          by_value[static_cast<std::size_t>(at - values.begin())].push_back(blocks[b].elements[i]);
        }
      }
      for (std::size_t v = 0; v < values.size(); ++v) {
        if (by_value[v].empty()) continue;
        Block block = blocks[b];
        block.entity = entities[v];
        block.elements = std::move(by_value[v]);
        blocks_.push_back(std::move(block));
      }
    }
  }

  static Array<Tags> tags_of(const Array<Index>& elements, const Attributes& attributes) {
    Array<Tags> out(elements.size(), Tags{});
    const Attribute* refs = find_refs(attributes);
    const Attribute* entities = find_refs(attributes, "entity");
    set_tags(elements, refs, out, &Tags::ref);
    set_tags(elements, entities == nullptr ? refs : entities, out, &Tags::entity);
    return out;
  }

  static void set_tags(const Array<Index>& elements, const Attribute* from, Array<Tags>& to,
                       std::int32_t Tags::*tag) {
    if (from == nullptr) return;
    std::visit(
        [&](const auto& values) {
          parallel_for_ranges(elements.size(), 65536, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
              to[i].*tag = static_cast<std::int32_t>(values[elements[i]]);
          });
        },
        from->values);
  }

  std::uint64_t total_progress() const {
    std::uint64_t elements = 0;
    for (const Block& block : blocks_) elements += block.elements.size();
    if (is_text_) return 2 * mesh_.positions.size() + elements;
    std::uint64_t bytes = 32 * mesh_.positions.size();
    for (const Block& block : blocks_) bytes += 8 * block.elements.size() * (block.corners + 1);
    return bytes;
  }

  /// The box of all vertices, which Gmsh wants of every entity.
  std::pair<Vec3d, Vec3d> box() const {
    if (mesh_.positions.empty()) return {};
    std::pair<Vec3d, Vec3d> box{mesh_.positions[0], mesh_.positions[0]};
    for (const Vec3d& p : mesh_.positions)
      for (int k = 0; k < 3; ++k) {
        box.first[k] = std::min(box.first[k], p[k]);
        box.second[k] = std::max(box.second[k], p[k]);
      }
    return box;
  }

  void write_entities() {
    // Vertices need a home even where there are no elements.
    if (entities_.empty()) entities_.push_back({3, 0, 0});
    const auto [low, high] = box();
    std::uint64_t counts[4] = {};
    for (const Entity& entity : entities_) ++counts[entity.dimension];
    if (is_text_) {
      std::string text =
          fmt::format("$Entities\n{} {} {} {}\n", counts[0], counts[1], counts[2], counts[3]);
      for (const Entity& entity : entities_) {
        text += fmt::format("{} {} {} {} {} {} {} ", entity.tag, low[0], low[1], low[2], high[0],
                            high[1], high[2]);
        text += has_groups_ ? fmt::format("1 {} 0\n", entity.physical) : "0 0\n";
      }
      put(text + "$EndEntities\n");
      return;
    }
    put("$Entities\n");
    for (const std::uint64_t count : counts) put_number(count);
    for (const Entity& entity : entities_) {
      put_number(entity.tag);
      put_number(low);
      put_number(high);
      put_number(std::uint64_t{has_groups_ ? 1U : 0U});
      if (has_groups_) put_number(entity.physical);
      put_number(std::uint64_t{0});
    }
    put("\n$EndEntities\n");
  }

  void write_nodes(Progress& progress) {
    const std::uint64_t nodes = mesh_.positions.size();
    const Entity& home = entities_.back();
    const std::uint64_t blocks = nodes > 0 ? 1 : 0;
    if (is_text_) {
      put(fmt::format("$Nodes\n{} {} {} {}\n", blocks, nodes, blocks, nodes));
      if (nodes > 0) put(fmt::format("{} {} 0 {}\n", home.dimension, home.tag, nodes));
      append_text(target_.file, nodes, progress,
                  [](std::size_t first, std::size_t last, TextBuffer& text) {
                    for (std::size_t v = first; v < last; ++v) {
                      text.put(static_cast<std::uint64_t>(v + 1));
                      text.put('\n');
                    }
                  });
      append_text(target_.file, nodes, progress,
                  [&](std::size_t first, std::size_t last, TextBuffer& text) {
                    for (std::size_t v = first; v < last; ++v) {
                      text.put(mesh_.positions[v], target_.precision);
                      text.put('\n');
                    }
                  });
      put("$EndNodes\n");
      return;
    }
    put("$Nodes\n");
    for (const std::uint64_t number : {blocks, nodes, blocks, nodes}) put_number(number);
    if (nodes > 0) {
      put_number(std::int32_t{home.dimension});
      put_number(home.tag);
      put_number(std::int32_t{0});
      put_number(nodes);
      append_binary(target_.file, nodes, sizeof(std::uint64_t), progress,
                    [](std::uint64_t first, std::uint64_t last, char* out) {
                      auto* tags = reinterpret_cast<std::uint64_t*>(out);
                      for (std::uint64_t v = first; v < last; ++v) *tags++ = v + 1;
                    });
      append_binary(target_.file, nodes, sizeof(Vec3d), progress,
                    [&](std::uint64_t first, std::uint64_t last, char* out) {
                      auto* positions = reinterpret_cast<Vec3d*>(out);
                      const bool single = target_.precision == Precision::float32;
                      for (std::uint64_t v = first; v < last; ++v) {
                        const Vec3d& p = mesh_.positions[v];
                        *positions++ = single ? cast<double>(cast<float>(p)) : p;
                      }
                    });
    }
    put("\n$EndNodes\n");
  }

  void write_elements(Progress& progress) {
    std::uint64_t elements = 0;
    for (const Block& block : blocks_) elements += block.elements.size();
    const std::uint64_t blocks = blocks_.size();
    const std::uint64_t first_tag = elements > 0 ? 1 : 0;
    put("$Elements\n");
    if (is_text_)
      put(fmt::format("{} {} {} {}\n", blocks, elements, first_tag, elements));
    else
      for (const std::uint64_t number : {blocks, elements, first_tag, elements}) put_number(number);
    std::uint64_t tag = 1;
    for (const Block& block : blocks_) {
      if (is_text_)
        write_block_as_text(block, tag, progress);
      else
        write_block(block, tag, progress);
      tag += block.elements.size();
    }
    put(is_text_ ? "$EndElements\n" : "\n$EndElements\n");
  }

  void write_block_as_text(const Block& block, std::uint64_t tag, Progress& progress) {
    put(fmt::format("{} {} {} {}\n", block.dimension, block.entity, block.type,
                    block.elements.size()));
    append_text(target_.file, block.elements.size(), progress,
                [&](std::size_t first, std::size_t last, TextBuffer& text) {
                  for (std::size_t i = first; i < last; ++i) {
                    text.put(tag + i);
                    const Index* corners = block.corners_of(block.elements[i]);
                    for (Index k = 0; k < block.corners; ++k) {
                      text.put(' ');
                      text.put(corners[k] + 1);
                    }
                    text.put('\n');
                  }
                });
  }

  void write_block(const Block& block, std::uint64_t tag, Progress& progress) {
    put_number(std::int32_t{block.dimension});
    put_number(block.entity);
    put_number(std::int32_t{block.type});
    put_number(std::uint64_t{block.elements.size()});
    const std::size_t size = (block.corners + std::size_t{1}) * sizeof(std::uint64_t);
    append_binary(target_.file, block.elements.size(), size, progress,
                  [&](std::uint64_t first, std::uint64_t last, char* out) {
                    auto* numbers = reinterpret_cast<std::uint64_t*>(out);
                    for (std::uint64_t i = first; i < last; ++i) {
                      *numbers++ = tag + i;
                      const Index* corners = block.corners_of(block.elements[i]);
                      for (Index k = 0; k < block.corners; ++k)
                        *numbers++ = std::uint64_t{corners[k]} + 1;
                    }
                  });
  }

  const CellTarget& target_;
  const PolyhedralSoup& mesh_;
  bool is_text_;
  /// If an element is in a physical group all must be, or meshio refuses the file; those without
  /// are in group 0.
  bool has_groups_ = false;
  std::vector<Entity> entities_;
  std::vector<Block> blocks_;
};

}  // namespace

void write_gmsh(const CellTarget& target) {
  Writer(target).write();
}

}  // namespace tessera::io::detail
