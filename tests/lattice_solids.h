// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Lattices by hand, and slow obvious ways to ask what solid they are.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/facet.h"
#include "tessera/core/lattice_graph.h"
#include "tessera/core/random.h"
#include "tessera/lattice/generate.h"

namespace tessera::lattice {

struct GraphBuilder {
  std::vector<Vec3d> nodes;
  std::vector<StrutNodes> struts;
  std::vector<Vec2f> radii;

  void add(Index a, Index b, double ra, double rb) {
    struts.push_back({a, b});
    radii.push_back({static_cast<float>(ra), static_cast<float>(rb)});
  }
  LatticeGraph graph() const {
    LatticeGraph g;
    g.nodes.resize(nodes.size());
    g.struts.resize(struts.size());
    g.radii.resize(radii.size());
    std::copy(nodes.begin(), nodes.end(), g.nodes.begin());
    std::copy(struts.begin(), struts.end(), g.struts.begin());
    std::copy(radii.begin(), radii.end(), g.radii.begin());
    return g;
  }
};

/// Struts from one node; those of the same length end with the same radius if not tapered.
inline LatticeGraph random_star(std::uint64_t seed, int struts, bool tapered) {
  const Random random(seed);
  std::uint64_t draw = 0;
  const auto uniform = [&](double a, double b) { return a + (b - a) * random.uniform(draw++); };
  GraphBuilder star;
  star.nodes.push_back({uniform(-10, 10), uniform(-10, 10), uniform(-10, 10)});
  const double radius = uniform(0.02, 0.25);
  for (int i = 0; i < struts; ++i) {
    Vec3d d{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    while (length(d) < 0.1) d = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    star.nodes.push_back(star.nodes[0] + d * (uniform(0.3, 1.5) / length(d)));
    star.add(0, static_cast<Index>(i + 1), radius, tapered ? uniform(0, 0.3) : radius);
  }
  return star.graph();
}

/// Many stars in one graph.
inline LatticeGraph random_stars(std::uint64_t seed, int count) {
  const Random random(seed);
  GraphBuilder all;
  for (int i = 0; i < count; ++i) {
    const auto star = static_cast<std::uint64_t>(i);
    const int struts = 1 + static_cast<int>(random.below(star, 40));
    const LatticeGraph graph = random_star(1000 * seed + star, struts, i % 2 == 1);
    const auto first = static_cast<Index>(all.nodes.size());
    all.nodes.insert(all.nodes.end(), graph.nodes.begin(), graph.nodes.end());
    for (const StrutNodes& s : graph.struts) all.struts.push_back({first + s[0], first + s[1]});
    all.radii.insert(all.radii.end(), graph.radii.begin(), graph.radii.end());
  }
  return all.graph();
}

/// Nodes near each other, all of them joined: every kind of struts that cannot share a node.
inline LatticeGraph tangle(std::uint64_t seed, int nodes) {
  const Random random(seed);
  std::uint64_t draw = 0;
  GraphBuilder builder;
  for (int i = 0; i < nodes; ++i)
    builder.nodes.push_back(
        {random.uniform(draw++) * 6, random.uniform(draw++) * 3, random.uniform(draw++) * 3});
  for (int a = 0; a < nodes; ++a)
    for (int b = a + 1; b < nodes; ++b) {
      const auto at = [&](int i) { return builder.nodes[static_cast<std::size_t>(i)]; };
      if (length(at(a) - at(b)) > 1) continue;
      builder.add(static_cast<Index>(a), static_cast<Index>(b), 0.05, a % 7 == 0 ? 0.02 : 0.05);
      if (a % 11 == 0) builder.add(static_cast<Index>(b), static_cast<Index>(a), 0.05, 0.05);
    }
  return builder.graph();
}

struct NamedLattice {
  std::string name;
  LatticeGraph graph;
};

/// Every special case that has a name.
inline std::vector<NamedLattice> lattices() {
  std::vector<NamedLattice> all;
  const auto add = [&](const std::string& name, std::vector<Vec3d> nodes,
                       const std::vector<StrutNodes>& struts, const std::vector<Vec2f>& radii) {
    GraphBuilder b{std::move(nodes), struts, radii};
    all.push_back({name, b.graph()});
  };
  add("empty", {}, {}, {});
  add("nodes only", {{0, 0, 0}, {1, 0, 0}}, {}, {});
  add("one strut", {{0, 0, 0}, {3, 0, 0}}, {{0, 1}}, {{1, 1}});
  add("cone", {{0, 0, 0}, {3, 1, 0}}, {{0, 1}}, {{1, 0.5F}});
  add("tip", {{0, 0, 0}, {3, 0, 0}}, {{0, 1}}, {{1, 0}});
  add("two tips in one node", {{0, 0, 0}, {3, 0, 0}, {0, 3, 0}}, {{0, 1}, {0, 2}},
      {{0, 1}, {0, 1}});
  add("within the ball of its end", {{0, 0, 0}, {3, 0, 0}}, {{0, 1}}, {{3.5F, 0.2F}});
  add("no length", {{1, 2, 3}, {1, 2, 3}}, {{0, 1}}, {{1, 1}});
  add("one node twice", {{1, 2, 3}}, {{0, 0}}, {{1, 1}});
  add("no radius", {{0, 0, 0}, {1, 0, 0}}, {{0, 1}}, {{0, 0}});
  add("straight", {{0, 0, 0}, {3, 0, 0}, {-3, 0, 0}}, {{0, 1}, {2, 0}}, {{1, 1}, {1, 1}});
  add("elbow", {{0, 0, 0}, {3, 0, 0}, {0, 3, 1}}, {{0, 1}, {2, 0}}, {{1, 1}, {1, 1}});
  add("elbow of cones", {{0, 0, 0}, {3, 0, 0}, {0, 3, 1}}, {{0, 1}, {2, 0}},
      {{1, 0.5F}, {0.7F, 1}});
  add("sharp elbow", {{0, 0, 0}, {3, 0, 0}, {2, 1, 0.3}}, {{0, 1}, {2, 0}}, {{1, 1}, {1, 1}});
  add("the same strut twice", {{0, 0, 0}, {3, 0, 0}}, {{0, 1}, {1, 0}}, {{1, 1}, {1, 1}});
  add("the same strut three times", {{0, 0, 0}, {3, 0, 0}}, {{0, 1}, {1, 0}, {0, 1}},
      {{1, 1}, {1, 1}, {1, 1}});
  add("several radii in one node", {{0, 0, 0}, {3, 0, 0}, {0, 3, 1}, {0, 0, 2}},
      {{0, 1}, {2, 0}, {0, 3}}, {{1, 1}, {0.7F, 0.5F}, {0.5F, 0.5F}});
  add("flat cross", {{0, 0, 0}, {3, 0, 0}, {-3, 0, 0}, {0, 3, 0}, {0, -3, 0}},
      {{0, 1}, {0, 2}, {0, 3}, {0, 4}}, {{1, 1}, {1, 1}, {1, 1}, {1, 1}});
  add("flat cross and a cone", {{0, 0, 0}, {3, 0, 0}, {-3, 0, 0}, {0, 3, 0}, {0, -3, 0}, {0, 0, 3}},
      {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}}, {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 0.6F}});
  add("overlapping ends", {{0, 0, 0}, {1, 0, 0}, {0.5, 1, 0}, {0.5, 0.4, 0.8}},
      {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}},
      {{0.2F, 0.2F}, {0.2F, 0.2F}, {0.2F, 0.2F}, {0.2F, 0.2F}, {0.2F, 0.2F}, {0.2F, 0.2F}});
  for (const CellType type : {CellType::cubic, CellType::bcc, CellType::fcc, CellType::octet,
                              CellType::diamond, CellType::kelvin}) {
    all.push_back({std::string(name_of(type)), generate({type, {2, 2, 2}, 1, 0.04, -1})});
    all.push_back(
        {std::string(name_of(type)) + ", graded", generate({type, {1, 2, 2}, 2, 0.03, 0.09})});
  }
  for (int i = 1; i <= 12; ++i) {
    all.push_back({"star of " + std::to_string(i), random_star(i, i, false)});
    all.push_back({"star of " + std::to_string(i) + " cones", random_star(100 + i, i, true)});
  }
  return all;
}

/// For comparisons that do not mind the order.
inline std::vector<Facet> sorted(std::vector<Facet> facets) {
  std::sort(facets.begin(), facets.end(),
            [](const Facet& a, const Facet& b) { return std::memcmp(&a, &b, sizeof a) < 0; });
  return facets;
}

/// How far a point lies outside of the union of all struts, negative within.
inline double distance_to_union(const LatticeGraph& graph, const Vec3d& p) {
  double nearest = 1e300;
  for (std::size_t i = 0; i < graph.struts.size(); ++i) {
    const Vec3d a = graph.nodes[graph.struts[i][0]];
    const Vec3d b = graph.nodes[graph.struts[i][1]];
    const double ra = graph.radii[i][0];
    const double rb = graph.radii[i][1];
    if (ra == 0 && rb == 0) continue;
    const double size = length(b - a);
    double t = 0;
    if (size > std::abs(ra - rb)) {
      const Vec3d d = (b - a) * (1 / size);
      const double sine = (ra - rb) / size;
      const double along = dot(p - a, d);
      const double beside = length(p - a - d * along);
      t = std::clamp((along - beside * sine / std::sqrt(1 - sine * sine)) / size, 0.0, 1.0);
    } else {
      t = ra > rb ? 0 : 1;
    }
    nearest = std::min(nearest, length(p - a - (b - a) * t) - (ra + (rb - ra) * t));
  }
  return nearest;
}

/// The number of times that a closed surface goes around a point, before rounding.
inline double winding_number(const std::vector<Facet>& facets, const Vec3d& p) {
  double sum = 0;
  for (const Facet& f : facets) {
    const Vec3d a = cast<double>(f[0]) - p;
    const Vec3d b = cast<double>(f[1]) - p;
    const Vec3d c = cast<double>(f[2]) - p;
    const double la = length(a);
    const double lb = length(b);
    const double lc = length(c);
    sum += 2 * std::atan2(dot(a, cross(b, c)),
                          la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return sum / (4 * std::numbers::pi);
}

inline double distance_to_facet(const Facet& facet, const Vec3d& p) {
  const Vec3d a = cast<double>(facet[0]);
  const Vec3d b = cast<double>(facet[1]);
  const Vec3d c = cast<double>(facet[2]);
  const Vec3d n = cross(b - a, c - a);
  const double area = length(n);
  const auto to_edge = [&](const Vec3d& from, const Vec3d& to) {
    const double squared = squared_length(to - from);
    const double t = squared > 0 ? std::clamp(dot(p - from, to - from) / squared, 0.0, 1.0) : 0;
    return length(p - from - (to - from) * t);
  };
  const bool is_above = area > 0 && dot(cross(b - a, p - a), n) >= 0 &&
                        dot(cross(c - b, p - b), n) >= 0 && dot(cross(a - c, p - c), n) >= 0;
  if (is_above) return std::abs(dot(p - a, n)) / area;
  return std::min({to_edge(a, b), to_edge(b, c), to_edge(c, a)});
}

struct EdgeReport {
  std::size_t open = 0;          ///< directed edges without their opposite
  std::size_t non_manifold = 0;  ///< directed edges of several facets
  std::size_t degenerate = 0;    ///< facets with two equal corners
};

/// After welding corners that are exactly equal.
inline EdgeReport check_edges(const std::vector<Facet>& facets) {
  using Point = std::array<float, 3>;
  using Edge = std::pair<Point, Point>;
  const auto point = [](const Vec3f& p) { return Point{p[0] + 0.F, p[1] + 0.F, p[2] + 0.F}; };
  std::vector<Edge> edges;
  EdgeReport report;
  for (const Facet& f : facets) {
    if (f[0] == f[1] || f[1] == f[2] || f[2] == f[0]) ++report.degenerate;
    for (int i = 0; i < 3; ++i) edges.emplace_back(point(f[i]), point(f[(i + 1) % 3]));
  }
  std::sort(edges.begin(), edges.end());
  const auto count = [&](const Edge& edge) {
    const auto [first, last] = std::equal_range(edges.begin(), edges.end(), edge);
    return last - first;
  };
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (i > 0 && edges[i] == edges[i - 1]) continue;
    const auto here = count(edges[i]);
    if (here > 1) ++report.non_manifold;
    if (count({edges[i].second, edges[i].first}) != here) ++report.open;
  }
  return report;
}

inline double enclosed_volume(const std::vector<Facet>& facets) {
  double six_volumes = 0;
  for (const Facet& f : facets)
    six_volumes += dot(cast<double>(f[0]), cross(cast<double>(f[1]), cast<double>(f[2])));
  return six_volumes / 6;
}

}  // namespace tessera::lattice
