// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/lattice/clip.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/core/box.h"
#include "tessera/core/error.h"
#include "tessera/core/parallel.h"
#include "tessera/core/random.h"
#include "tessera/lattice/generate.h"
#include "test_device.h"

namespace tessera::lattice {
namespace {

/// The box from 0 to these three numbers.
TriangleSoup box_surface(const Vec3d& size) {
  TriangleSoup mesh;
  for (Index v = 0; v < 8; ++v)
    mesh.positions.push_back({size[0] * (v & 1), size[1] * (v >> 1 & 1), size[2] * (v >> 2)});
  for (const auto& [a, b, c, d] : std::vector<std::array<Index, 4>>{
           {0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
    mesh.triangles.push_back({a, b, c});
    mesh.triangles.push_back({a, c, d});
  }
  return mesh;
}

/// How far a point is from that surface; negative inside.
double signed_distance(const Vec3d& size, const Vec3d& p) {
  Vec3d beyond{};
  double inner = -Box::infinity;
  for (int i = 0; i < 3; ++i) {
    const double away = std::max(-p[i], p[i] - size[i]);
    beyond[i] = std::max(away, 0.0);
    inner = std::max(inner, away);
  }
  return inner > 0 ? length(beyond) : inner;
}

constexpr Vec3d sides{1, 2, 0.5};

/// Struts between random nodes in and around the box, with radii that differ at each end; some
/// nodes have none.
LatticeGraph random_lattice(std::uint64_t seed, Index nodes, std::size_t struts) {
  const Random random(seed);
  std::uint64_t draw = 0;
  LatticeGraph graph;
  for (Index n = 0; n < nodes; ++n) {
    Vec3d p;
    for (int i = 0; i < 3; ++i) p[i] = sides[i] * (2 * random.uniform(draw++) - 0.5);
    graph.nodes.push_back(p);
  }
  for (std::size_t s = 0; s < struts; ++s) {
    graph.struts.push_back({random.below(draw++, nodes), random.below(draw++, nodes)});
    graph.radii.push_back({static_cast<float>(0.3 * random.uniform(draw++)),
                           static_cast<float>(0.3 * random.uniform(draw++))});
  }
  return graph;
}

bool is_dropped(const LatticeGraph& graph, std::size_t s, ClipSide keep) {
  for (int i = 0; i < 2; ++i) {
    const double d = signed_distance(sides, graph.nodes[graph.struts[s][i]]);
    if ((keep == ClipSide::inside ? d : -d) > graph.radii[s][i]) return true;
  }
  return false;
}

/// The struts that the predicate leaves, in order, and every node has one.
template <class Dropped>
void expect_clipped(const ClipResult& result, const LatticeGraph& graph, const Dropped& dropped) {
  std::vector<std::size_t> kept;
  for (std::size_t s = 0; s < graph.struts.size(); ++s)
    if (!dropped(s)) kept.push_back(s);
  EXPECT_EQ(result.graph.validate(), std::nullopt);
  ASSERT_EQ(result.graph.struts.size(), kept.size());
  EXPECT_EQ(result.struts_dropped, graph.struts.size() - kept.size());
  std::vector<bool> used(result.graph.nodes.size(), false);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(result.graph.radii[i], graph.radii[kept[i]]);
    for (int k = 0; k < 2; ++k) {
      const Index node = result.graph.struts[i][k];
      EXPECT_EQ(result.graph.nodes[node], graph.nodes[graph.struts[kept[i]][k]]);
      used[node] = true;
    }
  }
  EXPECT_EQ(std::find(used.begin(), used.end(), false), used.end());
}

TEST(LatticeClip, AgreesWithAnalyticBox) {
  const TriangleSoup surface = box_surface(sides);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const LatticeGraph graph = random_lattice(seed, 400, 1000);
    const ClipResult inside = keep_inside(test_device(), graph, surface);
    EXPECT_GT(inside.struts_dropped, 100U);
    EXPECT_GT(inside.graph.struts.size(), 50U);
    expect_clipped(inside, graph,
                   [&](std::size_t s) { return is_dropped(graph, s, ClipSide::inside); });
    const ClipResult outside = keep_outside(test_device(), graph, surface);
    EXPECT_GT(outside.struts_dropped, 10U);
    expect_clipped(outside, graph,
                   [&](std::size_t s) { return is_dropped(graph, s, ClipSide::outside); });
  }
}

TEST(LatticeClip, PartsHaveTheirOwnSurfaces) {
  const LatticeGraph graph = random_lattice(4, 300, 900);
  const TriangleSoup surface = box_surface(sides);
  const std::vector<LatticeClipping> clippings{{surface, ClipSide::inside, 100, 300},
                                               {surface, ClipSide::outside, 300, 500},
                                               {surface, ClipSide::outside, 900, 0}};
  const ClipResult result = clip(test_device(), graph, clippings);
  expect_clipped(result, graph, [&](std::size_t s) {
    return (s >= 100 && s < 400 && is_dropped(graph, s, ClipSide::inside)) ||
           (s >= 300 && s < 800 && is_dropped(graph, s, ClipSide::outside));
  });
  EXPECT_EQ(clip(test_device(), graph, {}).struts_dropped, 0U);
  EXPECT_THROW(clip(test_device(), graph,
                    std::vector<LatticeClipping>{{surface, ClipSide::inside, 800, 101}}),
               std::invalid_argument);
}

TEST(LatticeClip, BallsInBlocks) {
  const BallLocator locator(test_device(), box_surface(sides));
  const LatticeGraph graph = random_lattice(5, 1000, 0);
  const Random random(1);
  std::map<BallPlace, int> counts;
  for (std::size_t first = 0; first < graph.nodes.size(); first += 300) {
    const std::size_t end = std::min(first + 300, graph.nodes.size());
    const Array<Vec3d> centres(graph.nodes.begin() + static_cast<std::ptrdiff_t>(first),
                               graph.nodes.begin() + static_cast<std::ptrdiff_t>(end));
    Array<float> radii(centres.size());
    for (std::size_t i = 0; i < radii.size(); ++i)
      radii[i] = static_cast<float>(0.2 * random.uniform(first + i));
    const Array<BallPlace> places = locator.places(centres, radii);
    for (std::size_t i = 0; i < radii.size(); ++i) {
      const double d = signed_distance(sides, centres[i]);
      EXPECT_EQ(places[i], d > radii[i]    ? BallPlace::outside
                           : d < -radii[i] ? BallPlace::inside
                                           : BallPlace::crossing);
      ++counts[places[i]];
    }
  }
  EXPECT_EQ(counts.size(), 3U);
  EXPECT_TRUE(locator.places({}, {}).empty());
  const Array<float> one{1};
  EXPECT_THROW(locator.places(Array<Vec3d>{{0, 0, 0}}, {}), std::invalid_argument);
  EXPECT_THROW(locator.places(Array<Vec3d>{{Box::infinity, 0, 0}}, one), InputError);
}

TEST(LatticeClip, BallsBySeveralThreads) {
  const BallLocator locator(test_device(), generated(surface::Shape::torus, 3000));
  const LatticeGraph graph = random_lattice(8, 20000, 0);
  const std::vector<float> radii(graph.nodes.size(), 0.05F);
  const Array<BallPlace> expected = locator.places(graph.nodes, radii);
  constexpr std::size_t block = 1000;
  Array<BallPlace> found(graph.nodes.size());
  parallel_for(found.size() / block, [&](std::size_t b) {
    const Array<BallPlace> part =
        locator.places({graph.nodes.data() + b * block, block}, {radii.data() + b * block, block});
    std::copy(part.begin(), part.end(), found.begin() + static_cast<std::ptrdiff_t>(b * block));
  });
  EXPECT_EQ(found, expected);
}

TEST(LatticeClip, BallThatTouchesStays) {
  // Powers of two: distance and radius are the same number.
  LatticeGraph graph;
  graph.nodes = {{0.5, 0.5, 0.25}, {1.25, 0.5, 0.25}};
  graph.struts = {{0, 1}, {0, 1}};
  graph.radii = {{0.125F, 0.25F}, {0.125F, std::nextafter(0.25F, 0.0F)}};
  const ClipResult result = keep_inside(test_device(), graph, box_surface(sides));
  expect_clipped(result, graph, [](std::size_t s) { return s == 1; });
}

TEST(LatticeClip, SphereOfCells) {
  GenerateOptions options;
  options.size = {10, 10, 10};
  options.cell_size = 0.3;
  options.radius = 0.02;
  options.origin = {-1.5, -1.5, -1.5};
  const LatticeGraph graph = generate(options);
  const ClipResult result =
      keep_inside(test_device(), graph, generated(surface::Shape::icosphere, 20000));
  // The polyhedron lies within 2e-4 of the sphere, and no node does.
  expect_clipped(result, graph, [&](std::size_t s) {
    const auto out = [&](Index n) { return length(graph.nodes[n]) - 1 > 0.02; };
    return out(graph.struts[s][0]) || out(graph.struts[s][1]);
  });
}

TEST(LatticeClip, NothingToClipOrWith) {
  const LatticeGraph graph = random_lattice(6, 20, 30);
  EXPECT_EQ(keep_inside(test_device(), graph, {}).struts_dropped, 30U);
  EXPECT_TRUE(keep_inside(test_device(), graph, {}).graph.nodes.empty());
  EXPECT_EQ(keep_outside(test_device(), graph, {}).struts_dropped, 0U);
  EXPECT_EQ(keep_inside(test_device(), {}, box_surface(sides)).struts_dropped, 0U);
}

TEST(LatticeClip, RefusesNonsense) {
  LatticeGraph graph = random_lattice(7, 20, 30);
  TriangleSoup surface = box_surface(sides);
  EXPECT_THROW(keep_inside(test_device(), graph, surface,
                           [](std::string_view, double) { return Continue::no; }),
               Cancelled);
  surface.triangles[0][0] = 8;
  EXPECT_THROW(keep_inside(test_device(), graph, surface), InputError);
  graph.struts[3][1] = 20;
  EXPECT_THROW(keep_inside(test_device(), graph, box_surface(sides)), InputError);
}

}  // namespace
}  // namespace tessera::lattice
