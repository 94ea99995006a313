// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/lattice/generate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "tessera/core/error.h"
#include "tessera/exec/space_curve.h"

namespace tessera::lattice {
namespace {

/// Places in a cell, in quarters of its side.
using Quarters = Vec<int, 3>;

/// A strut from a node of a cell to one of the same or another cell.
struct StrutTemplate {
  int from;
  int to;
  Quarters cell;  ///< of the second node, relative to the first one's
};

struct UnitCell {
  std::vector<Quarters> nodes;  ///< those with coordinates 0 to 3: the others are other cells'
  std::vector<StrutTemplate> struts;
};

using Cell = Vec<std::int64_t, 3>;

/// Cells from `first` on, before `end`.
struct CellBox {
  Cell first;
  Cell end;
  bool contains(const Cell& c) const {
    for (int i = 0; i < 3; ++i)
      if (c[i] < first[i] || c[i] >= end[i]) return false;
    return true;
  }
  std::size_t number(const Cell& c) const {
    const auto along = [&](int i) { return static_cast<std::size_t>(c[i] - first[i]); };
    const auto size = [&](int i) { return static_cast<std::size_t>(end[i] - first[i]); };
    return (along(2) * size(1) + along(1)) * size(0) + along(0);
  }
  std::size_t cells() const { return number({end[0] - 1, end[1] - 1, end[2] - 1}) + 1; }
};

bool comes_first(const Quarters& d) {
  return d[2] != 0 ? d[2] > 0 : d[1] != 0 ? d[1] > 0 : d[0] > 0;
}

std::vector<Quarters> nodes_of(CellType type) {
  std::vector<Quarters> faces{{0, 0, 0}, {2, 2, 0}, {2, 0, 2}, {0, 2, 2}};
  switch (type) {
    case CellType::cubic:
      return {{0, 0, 0}};
    case CellType::bcc:
      return {{0, 0, 0}, {2, 2, 2}};
    case CellType::fcc:
    case CellType::octet:
      return faces;
    case CellType::diamond: {
      std::vector<Quarters> nodes = faces;
      for (const Quarters& f : faces) nodes.push_back(f + Quarters{1, 1, 1});
      return nodes;
    }
    case CellType::kelvin: {
      std::vector<Quarters> nodes;
      for (int zero = 0; zero < 3; ++zero)
        for (const int one : {(zero + 1) % 3, (zero + 2) % 3})
          for (const int side : {1, 3}) {
            Quarters node{2, 2, 2};
            node[zero] = 0;
            node[one] = side;
            nodes.push_back(node);
          }
      return nodes;
    }
  }
  return {};
}

/// The squared length of struts, in quarters.
int squared_strut_length(CellType type) {
  switch (type) {
    case CellType::cubic:
      return 16;
    case CellType::bcc:
      return 12;
    case CellType::fcc:
    case CellType::octet:
      return 8;
    case CellType::diamond:
      return 3;
    case CellType::kelvin:
      return 2;
  }
  return 0;
}

UnitCell make_cell(CellType type) {
  UnitCell cell{nodes_of(type), {}};
  const int nodes = static_cast<int>(cell.nodes.size());
  const int squared = squared_strut_length(type);
  for (int from = 0; from < nodes; ++from)
    for (int to = 0; to < nodes; ++to)
      for (int z = -1; z <= 1; ++z)
        for (int y = -1; y <= 1; ++y)
          for (int x = -1; x <= 1; ++x) {
            const Quarters d = cell.nodes[to] + 4 * Quarters{x, y, z} - cell.nodes[from];
            if (dot(d, d) != squared || !comes_first(d)) continue;
            // Corners are node 0: fcc has no struts between centres of faces.
            if (type == CellType::fcc && from != 0 && to != 0) continue;
            if (type == CellType::bcc && (from == to)) continue;
            cell.struts.push_back({from, to, {x, y, z}});
          }
  return cell;
}

}  // namespace

/// Cells are in cubes, the cubes in the order of a Z-shaped curve, and the cells of a cube row by
/// row. A block is one cube, two along x, two by two, two by two by two and so on: its own struts
/// follow each other in that order, which is the same for blocks of any size.
class GeneratedBlocks::Generator {
 public:
  Generator(const GenerateOptions& options, double struts_a_block)
      : options_(options), unit_(make_cell(options.cell)) {
    const auto is_radius = [](double r) { return std::isfinite(static_cast<float>(r)) && r >= 0; };
    if (!(std::isfinite(options.cell_size) && options.cell_size > 0))
      throw InputError("the size of a cell is not positive");
    if (!is_radius(options.radius) || (!(options.top_radius < 0) && !is_radius(options.top_radius)))
      throw InputError("the radius is negative or not finite");
    for (const double x : options.origin.v)
      if (!std::isfinite(x)) throw InputError("the origin is not finite");
    cells_ = 1;
    for (int i = 0; i < 3; ++i) {
      if (options.size[i] == 0)
        throw InputError("a lattice needs at least one cell along each axis");
      if (options.size[i] > most_cells)
        throw InputError(fmt::format("a lattice has at most {} cells along an axis", most_cells));
      cells_ *= options.size[i] + 1.0;
      cubes_[i] = std::max<std::int64_t>(1, (std::int64_t{options.size[i]} + cube / 2) / cube);
    }
    if (!(struts_a_block >= 1)) throw InputError("a block has at least one strut");
    const auto struts_of_cell = static_cast<double>(unit_.struts.size());
    double struts = cube * cube * cube * struts_of_cell;
    for (int axis = 0; 2 * struts <= 1.5 * struts_a_block; axis = (axis + 1) % 3) {
      if (cubes_a_block_[0] >= cubes_[0] && cubes_a_block_[1] >= cubes_[1] &&
          cubes_a_block_[2] >= cubes_[2])
        break;
      cubes_a_block_[axis] *= 2;
      struts *= 2;
    }
    struts_a_block_ = std::min(struts, most_struts());
    for (int i = 0; i < 3; ++i)
      blocks_[i] = (cubes_[i] + cubes_a_block_[i] - 1) / cubes_a_block_[i];
  }

  double struts_a_block() const { return struts_a_block_; }
  double most_struts() const { return cells_ * static_cast<double>(unit_.struts.size()); }
  std::uint64_t blocks() const {
    return static_cast<std::uint64_t>(blocks_[0] * blocks_[1] * blocks_[2]);
  }

  LatticeBlock block(std::uint64_t number) const {
    const auto n = static_cast<std::int64_t>(number);
    const Cell place{n % blocks_[0], n / blocks_[0] % blocks_[1], n / (blocks_[0] * blocks_[1])};
    CellBox own;
    for (int i = 0; i < 3; ++i) {
      own.first[i] = first_cell(i, place[i] * cubes_a_block_[i]);
      own.end[i] = first_cell(i, (place[i] + 1) * cubes_a_block_[i]);
    }
    CellBox all = own;
    for (int i = 0; i < 3; ++i) {
      all.first[i] = std::max<std::int64_t>(0, own.first[i] - halo);
      all.end[i] = std::min<std::int64_t>(options_.size[i] + 1, own.end[i] + halo);
    }
    LatticeBlock block = Maker(*this, own, all).run();
    block.number = number;
    return block;
  }

 private:
  /// So that numbers of places are exact in the arithmetic below.
  static constexpr std::uint32_t most_cells = std::uint32_t{1} << 19;
  static constexpr std::int64_t cube = 8;
  /// An own strut reaches into the next cell, those at its nodes one further, and so on.
  static constexpr std::int64_t halo = 3;

  /// Along an axis; the last cube takes what is left, and the nodes on the far side of the box.
  std::int64_t first_cell(int axis, std::int64_t cube_number) const {
    return cube_number >= cubes_[axis] ? std::int64_t{options_.size[axis]} + 1 : cube_number * cube;
  }
  std::int64_t cube_of(int axis, std::int64_t cell) const {
    return std::min(cell / cube, cubes_[axis] - 1);
  }
  Cell place(const Cell& cell, int node) const {
    return cell * 4 + cast<std::int64_t>(unit_.nodes[static_cast<std::size_t>(node)]);
  }
  bool is_inside(const Cell& place) const {
    for (int i = 0; i < 3; ++i)
      if (place[i] < 0 || place[i] > 4 * std::int64_t{options_.size[i]}) return false;
    return true;
  }
  Vec3d position(const Cell& place) const {
    return options_.origin + cast<double>(place) * (options_.cell_size / 4);
  }
  float radius(const Cell& place) const {
    const double top = options_.top_radius < 0 ? options_.radius : options_.top_radius;
    const double t = static_cast<double>(place[2]) / (4.0 * options_.size[2]);
    return static_cast<float>(options_.radius + (top - options_.radius) * t);
  }

  /// Makes one block.
  class Maker {
   public:
    Maker(const Generator& generator, const CellBox& own, const CellBox& all)
        : generator_(generator), own_(own), all_(all), node_count_(generator.unit_.nodes.size()) {}

    LatticeBlock run() {
      find_nodes();
      const std::vector<CellBox> cubes = cubes_in_order();
      // Struts far from the own ones are not taken.
      if (!is_whole()) {
        visit(cubes, [&](const Cell& cell, Index a, Index b) {
          if (own_.contains(cell)) marks_[a] = marks_[b] = Mark::at_own;
        });
        visit(cubes, [&](const Cell&, Index a, Index b) {
          if (marks_[a] == Mark::at_own && marks_[b] == Mark::far) marks_[b] = Mark::at_neighbour;
          if (marks_[b] == Mark::at_own && marks_[a] == Mark::far) marks_[a] = Mark::at_neighbour;
        });
      }
      LatticeBlock block;
      visit(cubes, [&](const Cell& cell, Index a, Index b) {
        const bool is_own = own_.contains(cell);
        if (!is_own && marks_[a] == Mark::far && marks_[b] == Mark::far) return;
        if (is_own && block.count++ == 0) block.first = static_cast<Index>(struts_.size());
        struts_.push_back({a, b});
      });
      number_nodes(block.graph);
      return block;
    }

   private:
    enum class Mark : std::uint8_t { far, at_own, at_neighbour };

    bool is_whole() const { return own_.first == all_.first && own_.end == all_.end; }

    /// Which nodes there are, in the numbering of all cells.
    void find_nodes() {
      const std::size_t count = all_.cells() * node_count_;
      exists_.assign(count, 0);
      marks_.assign(count, Mark::far);
      std::vector<Vec3d> positions;
      std::vector<float> radii;
      std::vector<std::size_t> numbers;
      for_cells(all_, [&](const Cell& cell) {
        for (std::size_t k = 0; k < node_count_; ++k) {
          const Cell place = generator_.place(cell, static_cast<int>(k));
          if (!generator_.is_inside(place)) continue;
          const std::size_t number = all_.number(cell) * node_count_ + k;
          exists_[number] = 1;
          if (!generator_.options_.filter) continue;
          numbers.push_back(number);
          positions.push_back(generator_.position(place));
          radii.push_back(generator_.radius(place));
        }
      });
      if (!generator_.options_.filter) return;
      std::vector<std::uint8_t> keep(numbers.size(), 1);
      generator_.options_.filter(positions, radii, keep);
      for (std::size_t i = 0; i < keep.size(); ++i) exists_[numbers[i]] = keep[i];
    }

    std::vector<CellBox> cubes_in_order() const {
      struct Placed {
        std::uint64_t code;
        CellBox box;
      };
      std::vector<Placed> placed;
      CellBox range;
      for (int i = 0; i < 3; ++i) {
        range.first[i] = generator_.cube_of(i, all_.first[i]);
        range.end[i] = generator_.cube_of(i, all_.end[i] - 1) + 1;
      }
      for_cells(range, [&](const Cell& c) {
        CellBox box;
        std::uint64_t code = 0;
        for (int i = 0; i < 3; ++i) {
          box.first[i] = std::max(all_.first[i], generator_.first_cell(i, c[i]));
          box.end[i] = std::min(all_.end[i], generator_.first_cell(i, c[i] + 1));
          code |= exec::spread(static_cast<std::uint64_t>(c[i])) << i;
        }
        placed.push_back({code, box});
      });
      std::sort(placed.begin(), placed.end(),
                [](const Placed& a, const Placed& b) { return a.code < b.code; });
      std::vector<CellBox> boxes;
      for (const Placed& p : placed) boxes.push_back(p.box);
      return boxes;
    }

    template <class F>
    static void for_cells(const CellBox& box, const F& f) {
      for (std::int64_t z = box.first[2]; z < box.end[2]; ++z)
        for (std::int64_t y = box.first[1]; y < box.end[1]; ++y)
          for (std::int64_t x = box.first[0]; x < box.end[0]; ++x) f(Cell{x, y, z});
    }

    /// Calls f(cell, node, node) for all struts, in order.
    template <class F>
    void visit(const std::vector<CellBox>& cubes, const F& f) {
      for (const CellBox& box : cubes)
        for_cells(box, [&](const Cell& cell) {
          const std::size_t nodes = all_.number(cell) * node_count_;
          for (const StrutTemplate& strut : generator_.unit_.struts) {
            const std::size_t a = nodes + static_cast<std::size_t>(strut.from);
            if (exists_[a] == 0) continue;
            const Cell other = cell + cast<std::int64_t>(strut.cell);
            if (!all_.contains(other)) continue;
            const std::size_t b =
                all_.number(other) * node_count_ + static_cast<std::size_t>(strut.to);
            if (exists_[b] != 0) f(cell, static_cast<Index>(a), static_cast<Index>(b));
          }
        });
    }

    void number_nodes(LatticeGraph& graph) {
      std::vector<Index> numbers(exists_.size(), no_index);
      for (const StrutNodes& s : struts_)
        for (const Index n : s.v) numbers[n] = 0;
      Index nodes = 0;
      for (Index& n : numbers)
        if (n != no_index) n = nodes++;
      graph.nodes.resize(nodes);
      std::vector<float> radii(nodes);
      for_cells(all_, [&](const Cell& cell) {
        for (std::size_t k = 0; k < node_count_; ++k) {
          const Index n = numbers[all_.number(cell) * node_count_ + k];
          if (n == no_index) continue;
          const Cell place = generator_.place(cell, static_cast<int>(k));
          graph.nodes[n] = generator_.position(place);
          radii[n] = generator_.radius(place);
        }
      });
      graph.struts.resize(struts_.size());
      graph.radii.resize(struts_.size());
      for (std::size_t s = 0; s < struts_.size(); ++s)
        for (int i = 0; i < 2; ++i) {
          const Index n = numbers[struts_[s][i]];
          graph.struts[s][i] = n;
          graph.radii[s][i] = radii[n];
        }
    }

    const Generator& generator_;
    CellBox own_;
    CellBox all_;
    std::size_t node_count_;  ///< of a cell
    std::vector<std::uint8_t> exists_;
    std::vector<Mark> marks_;
    std::vector<StrutNodes> struts_;
  };

  GenerateOptions options_;
  UnitCell unit_;
  double cells_ = 0;
  double struts_a_block_ = 0;  ///< about
  Cell cubes_{};               ///< along each axis
  Cell blocks_{};              ///< along each axis
  Cell cubes_a_block_{1, 1, 1};
};

std::string_view name_of(CellType type) {
  constexpr std::string_view names[] = {"cubic", "bcc", "fcc", "octet", "diamond", "kelvin"};
  return names[static_cast<int>(type)];
}

LatticeGraph generate(const GenerateOptions& options) {
  const GeneratedBlocks::Generator generator(options, std::numeric_limits<double>::infinity());
  if (generator.most_struts() > static_cast<double>(LatticeGraph::max_struts))
    throw InputError(
        fmt::format("a lattice of {} x {} x {} cells has more struts than the {} "
                    "that one graph can hold",
                    options.size[0], options.size[1], options.size[2], LatticeGraph::max_struts));
  return generator.block(0).graph;
}

GeneratedBlocks::GeneratedBlocks(const GenerateOptions& options, Index struts_a_block)
    : generator_(std::make_unique<Generator>(
          options, std::min(struts_a_block, Index{LatticeGraph::max_struts / 4}))) {}
GeneratedBlocks::~GeneratedBlocks() = default;

std::uint64_t GeneratedBlocks::blocks() const {
  return generator_->blocks();
}
std::uint64_t GeneratedBlocks::struts() const {
  return static_cast<std::uint64_t>(generator_->most_struts());
}
std::uint64_t GeneratedBlocks::largest_block() const {
  return static_cast<std::uint64_t>(generator_->struts_a_block());
}
LatticeBlock GeneratedBlocks::block(std::uint64_t number) const {
  if (number >= blocks()) throw InputError("there is no such block");
  return generator_->block(number);
}

}  // namespace tessera::lattice
