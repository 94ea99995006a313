// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Lattices against their closed form, at a million places each.
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "lattice_solids.h"
#include "sanitizers.h"
#include "tessera/core/parallel.h"
#include "tessera/exec/buffer.h"
#include "tessera/io/facet_writer.h"
#include "tessera/lattice/detail/arc_curve.h"
#include "tessera/lattice/detail/meta_mesh_data.h"
#include "tessera/lattice/generate.h"
#include "tessera/lattice/meta_mesh.h"
#include "tessera/lattice/triangulate.h"
#include "tessera/surface/winding.h"
#include "test_device.h"

namespace tessera::lattice {
namespace {

constexpr std::size_t million = is_sanitized ? 20'000 : 1'000'000;

TEST(LatticeProof, WindingNumbersOfAMillionPoints) {
  constexpr double chord_error = 0.02;
  std::vector<NamedLattice> all;
  for (const CellType cell : {CellType::octet, CellType::kelvin, CellType::bcc})
    all.push_back({std::string(name_of(cell)), generate({cell, {1, 1, 2}, 1, 0.05, 0.07})});
  all.push_back({"tangle", tangle(11, 45)});
  const std::size_t each = million / all.size();
  for (const NamedLattice& lattice : all) {
    const LatticeGraph& graph = lattice.graph;
    const exec::Stream stream(test_device());
    const MetaMesh mesh = build_meta_mesh(stream, graph);
    const Array<Facet> facets =
        exec::download(stream, triangulate(mesh, chord_error, 0, mesh.struts()));
    double radius = 0;
    for (const Vec2f& r : graph.radii) radius = std::max<double>({radius, r[0], r[1]});

    // Points within a radius of the surface.
    const Random random(7);
    Array<Vec3d> points(each);
    Array<double> distances(each);
    parallel_for(each, [&](std::size_t i) {
      const std::uint64_t draw = 10 * i;
      const Facet& f = facets[random.below(draw, static_cast<std::uint32_t>(facets.size()))];
      Vec3d p = cast<double>(f[0]);
      for (int k = 0; k < 3; ++k)
        p[k] += (random.uniform(draw + 1 + static_cast<std::uint64_t>(k)) - 0.5) * 2 * radius;
      points[i] = p;
      distances[i] = distance_to_union(graph, p);
    });
    const surface::WindingTree tree(stream, io::weld_facets(facets));
    const Array<float> winding = surface::winding_numbers(stream, tree, points);
    std::size_t tried = 0;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < each; ++i) {
      if (std::abs(distances[i]) < chord_error * radius * 1.01) continue;
      ++tried;
      const auto around = std::lround(winding[i]);
      if (distances[i] > 0 ? around != 0 : around < 1) ++wrong;
    }
    EXPECT_EQ(wrong, 0U) << lattice.name;
    EXPECT_GT(tried, each / 2) << lattice.name;
  }
}

// 128 bits for an arc are enough: its points lie on the cone or the ball and in the plane of its
// two struts, and no third strut reaches above them, within a thousandth of the radius.
TEST(LatticeProof, AMillionArcsOf128Bits) {
  constexpr double bound = 1e-3;
  std::size_t arcs = 0;
  double largest = 0;
  for (std::uint64_t seed = 1; arcs < million; ++seed) {
    const LatticeGraph graph = random_stars(seed, 500);
    const exec::Stream stream(test_device());
    const MetaMesh mesh = build_meta_mesh(stream, graph);
    const Array<Index> loops = exec::download(stream, mesh.loops());
    const Array<std::uint32_t> words = exec::download(stream, mesh.words());
    const Array<detail::StrutEnd> ends = exec::download(stream, mesh.data().ends);
    const Array<detail::Treatment> kinds = exec::download(stream, mesh.data().kinds);
    const ArcsView view = split_arcs(words);
    std::vector<std::vector<Index>> at_node(graph.nodes.size());
    for (Index e = 0; e < ends.size(); ++e)
      if (kinds[e / 2] == detail::StrutKind::shared) at_node[ends[e].node].push_back(e);
    // Without the tiny turns that part junctions of many struts.
    const auto height = [&ends](Index e, const Vec3d& y) {
      return (dot(y, ends[e].direction) - ends[e].sine) / ends[e].cosine;
    };
    const auto error_at = [&](Index e, Index other, const Vec3d& y) {
      const double level = height(e, y);
      const Vec3d slope = ends[e].direction * ends[e].secant;
      const Vec3d gradient = 2.0 * y - slope * (2 * std::max(0.0, level));
      const double level_squared = level > 0 ? level * level : 0;
      double error = std::abs(dot(y, y) - 1 - level_squared) / length(gradient);
      const Vec3d across = slope - ends[other].direction * ends[other].secant;
      error = std::max(error, std::abs(level - height(other, y)) / length(across));
      for (const Index third : at_node[ends[e].node]) {
        if (third == e || third == other) continue;
        const Vec3d towards = ends[third].direction * ends[third].secant - slope;
        error = std::max(error, (height(third, y) - level) / length(towards));
      }
      return error;
    };
    for (Index e = 0; e < ends.size(); ++e)
      for (Index a = loops[e]; a < loops[e + 1]; ++a, ++arcs) {
        const Arc arc = view[a];
        const Arc next = view[a + 1 < loops[e + 1] ? a + 1 : loops[e]];
        if (!arc.is_long() && arc.start == next.start) continue;
        const bool is_first = e < arc.neighbour();
        const Vec3d from = cast<double>(arc.start) * (1 / ends[e].radius);
        const Vec3d to = cast<double>(next.start) * (1 / ends[e].radius);
        largest = std::max(largest, error_at(e, arc.neighbour(), from));
        const detail::ArcEnds seen{ends[is_first ? e : arc.neighbour()],
                                   ends[is_first ? arc.neighbour() : e], is_first ? from : to,
                                   is_first ? to : from, arc.is_long()};
        detail::with_curve(seen, arc.is_on_ball(), [&](const auto& curve) {
          curve.visit(curve.angle(), 4, [&](Index, const Vec3d& y) {
            largest = std::max(largest, error_at(e, arc.neighbour(), y));
          });
        });
      }
  }
  EXPECT_LT(largest, bound);
  RecordProperty("largest_error", std::to_string(largest));
}

}  // namespace
}  // namespace tessera::lattice
