// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/lattice/generate.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "tessera/core/error.h"
#include "tessera/core/parallel.h"

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

class Generator {
 public:
  explicit Generator(const GenerateOptions& options)
      : options_(options), cell_(make_cell(options.cell)) {
    const auto is_radius = [](double r) { return std::isfinite(r) && r >= 0; };
    if (!(std::isfinite(options.cell_size) && options.cell_size > 0))
      throw InputError("the size of a cell is not positive");
    if (!is_radius(options.radius)) throw InputError("the radius is negative or not finite");
    for (const double x : options.origin.v)
      if (!std::isfinite(x)) throw InputError("the origin of the lattice is not finite");
    double cells = 1;
    for (const std::uint32_t n : options.size.v) {
      if (n == 0) throw InputError("a lattice needs at least one cell along each axis");
      cells *= n + 1.0;
    }
    if (cells * static_cast<double>(std::max(cell_.struts.size(), cell_.nodes.size())) >
        static_cast<double>(LatticeGraph::max_struts))
      throw InputError(
          fmt::format("a lattice of {} x {} x {} cells has more struts than the {} "
                      "that one graph can hold",
                      options.size[0], options.size[1], options.size[2], LatticeGraph::max_struts));
  }

  LatticeGraph run() {
    // Nodes on the far sides of the box belong to cells beyond it.
    const std::size_t rows = std::size_t{options_.size[1] + 1} * (options_.size[2] + 1);
    std::vector<Index> row_struts(rows + 1);
    std::vector<Index> node_numbers(rows * (options_.size[0] + 1) * cell_.nodes.size(), 0);
    parallel_for(rows, [&](std::size_t row) {
      Index count = 0;
      visit_row(row, [&](std::size_t, std::size_t, const StrutTemplate&) { ++count; });
      row_struts[row] = count;
    });
    Index struts = 0;
    for (Index& n : row_struts) {
      const Index count = n;
      n = struts;
      struts += count;
    }
    LatticeGraph graph;
    graph.struts.resize(struts);
    graph.radii.resize(struts);
    parallel_for(rows, [&](std::size_t row) {
      Index at = row_struts[row];
      visit_row(row, [&](std::size_t from, std::size_t to, const StrutTemplate&) {
        graph.struts[at++] = {static_cast<Index>(from), static_cast<Index>(to)};
      });
    });
    for (const StrutNodes& s : graph.struts)
      for (const Index n : s.v) node_numbers[n] = 1;
    Index nodes = 0;
    for (Index& n : node_numbers) n = n != 0 ? nodes++ : no_index;
    graph.nodes.resize(nodes);
    parallel_for(rows, [&](std::size_t row) {
      for (std::uint32_t x = 0; x <= options_.size[0]; ++x)
        for (std::size_t k = 0; k < cell_.nodes.size(); ++k) {
          const Index node = node_numbers[number({x, y_of(row), z_of(row)}, k)];
          if (node != no_index)
            graph.nodes[node] =
                options_.origin +
                cast<double>(place({x, y_of(row), z_of(row)}, k)) * (options_.cell_size / 4);
        }
    });
    const double top = options_.top_radius < 0 ? options_.radius : options_.top_radius;
    const double height = options_.size[2] * options_.cell_size;
    parallel_for(struts, [&](std::size_t s) {
      for (int i = 0; i < 2; ++i) {
        Index& node = graph.struts[s][i];
        node = node_numbers[node];
        const double t = (graph.nodes[node][2] - options_.origin[2]) / height;
        graph.radii[s][i] = static_cast<float>(options_.radius + (top - options_.radius) * t);
      }
    });
    return graph;
  }

 private:
  using Cell = Vec<std::int64_t, 3>;

  std::int64_t y_of(std::size_t row) const {
    return static_cast<std::int64_t>(row % (options_.size[1] + 1));
  }
  std::int64_t z_of(std::size_t row) const {
    return static_cast<std::int64_t>(row / (options_.size[1] + 1));
  }
  std::size_t number(const Cell& cell, std::size_t node) const {
    const std::size_t row = static_cast<std::size_t>(cell[2]) * (options_.size[1] + 1) +
                            static_cast<std::size_t>(cell[1]);
    return (row * (options_.size[0] + 1) + static_cast<std::size_t>(cell[0])) * cell_.nodes.size() +
           node;
  }
  Cell place(const Cell& cell, std::size_t node) const {
    return cell * 4 + cast<std::int64_t>(cell_.nodes[node]);
  }
  bool is_inside(const Cell& place) const {
    for (int i = 0; i < 3; ++i)
      if (place[i] < 0 || place[i] > 4 * std::int64_t{options_.size[i]}) return false;
    return true;
  }
  /// Calls f(first node, second node, template) for the struts of a row of cells.
  template <class F>
  void visit_row(std::size_t row, const F& f) const {
    for (std::uint32_t x = 0; x <= options_.size[0]; ++x) {
      const Cell cell{x, y_of(row), z_of(row)};
      for (const StrutTemplate& strut : cell_.struts) {
        const auto from = static_cast<std::size_t>(strut.from);
        const auto to = static_cast<std::size_t>(strut.to);
        const Cell other = cell + cast<std::int64_t>(strut.cell);
        if (!is_inside(place(cell, from)) || !is_inside(place(other, to))) continue;
        f(number(cell, from), number(other, to), strut);
      }
    }
  }

  const GenerateOptions& options_;
  UnitCell cell_;
};

}  // namespace

std::string_view name_of(CellType type) {
  constexpr std::string_view names[] = {"cubic", "bcc", "fcc", "octet", "diamond", "kelvin"};
  return names[static_cast<int>(type)];
}

LatticeGraph generate(const GenerateOptions& options) {
  return Generator(options).run();
}

}  // namespace tessera::lattice
