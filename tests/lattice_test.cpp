// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "lattice_solids.h"
#include "sanitizers.h"
#include "tessera/core/error.h"
#include "tessera/lattice/detail/arc_tangent.h"
#include "tessera/lattice/generate.h"
#include "tessera/lattice/meta_mesh.h"
#include "tessera/lattice/triangulate.h"
#include "test_device.h"

namespace tessera::lattice {
namespace {

std::vector<Facet> facets_of(const MetaMesh& mesh, double chord_error, Index first, Index count) {
  const Array<Facet> facets =
      exec::download(mesh.stream(), triangulate(mesh, chord_error, first, count));
  return {facets.begin(), facets.end()};
}

std::vector<Facet> mesh_of(const LatticeGraph& graph, double chord_error) {
  const exec::Stream stream(test_device());
  const MetaMesh mesh = build_meta_mesh(stream, graph);
  return facets_of(mesh, chord_error, 0, mesh.struts());
}

double largest_radius(const LatticeGraph& graph) {
  float largest = 0;
  for (const Vec2f& r : graph.radii) largest = std::max({largest, r[0], r[1]});
  return largest;
}

TEST(ArcTangent, IsThatOfTheStandardLibrary) {
  for (int k = -4000; k <= 4000; ++k) {
    const double angle = k * std::numbers::pi / 4000;
    const double x = 3 * std::cos(angle);
    const double y = 3 * std::sin(angle);
    EXPECT_NEAR(detail::arc_tangent(y, x), std::atan2(y, x), 1e-12) << angle;
  }
  EXPECT_EQ(detail::arc_tangent(0, 0), 0);
  EXPECT_EQ(detail::arc_tangent(0, 2), 0);
  EXPECT_NEAR(detail::arc_tangent(0, -2), std::numbers::pi, 1e-12);
  EXPECT_NEAR(detail::arc_tangent(-2, 0), -std::numbers::pi / 2, 1e-12);
}

TEST(LatticeGraph, ValidateSaysWhatIsWrong) {
  LatticeGraph graph = generate({});
  EXPECT_FALSE(graph.validate());
  graph.radii[3][1] = -1;
  EXPECT_EQ(graph.validate(),
            "strut 3 has the radii 0.05 and -1, which must be finite and not negative");
  graph.struts[2] = {1, 99};
  EXPECT_EQ(graph.validate(), "strut 2 refers to node 99, but there are only 8");
  graph.nodes[5][0] = NAN;
  EXPECT_EQ(graph.validate(), "node 5 has a coordinate that is not finite");
  graph.nodes[5][0] = 0;
  graph.radii.resize(1);
  EXPECT_EQ(graph.validate(), "1 pairs of radii for 12 struts");
}

TEST(LatticeGenerate, InnerNodesHaveTheStrutsOfTheirCell) {
  const std::map<CellType, std::set<int>> valences{
      {CellType::cubic, {6}},  {CellType::bcc, {8}},     {CellType::fcc, {4, 12}},
      {CellType::octet, {12}}, {CellType::diamond, {4}}, {CellType::kelvin, {4}}};
  for (const auto& [type, expected] : valences) {
    const LatticeGraph graph = generate({type, {3, 4, 5}, 2, 0.1, -1});
    EXPECT_FALSE(graph.validate());
    std::vector<int> valence(graph.nodes.size());
    std::set<std::pair<Index, Index>> pairs;
    for (const StrutNodes& s : graph.struts) {
      ++valence[s[0]];
      ++valence[s[1]];
      EXPECT_TRUE(pairs.emplace(std::min(s[0], s[1]), std::max(s[0], s[1])).second);
    }
    std::set<int> inner;
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      EXPECT_GT(valence[n], 0);
      const Vec3d& p = graph.nodes[n];
      if (p[0] > 0 && p[0] < 6 && p[1] > 0 && p[1] < 8 && p[2] > 0 && p[2] < 10)
        inner.insert(valence[n]);
    }
    EXPECT_EQ(inner, expected) << name_of(type);
  }
}

TEST(LatticeGenerate, RefusesWhatMakesNoSense) {
  EXPECT_THROW(generate({CellType::bcc, {0, 1, 1}}), InputError);
  EXPECT_THROW(generate({CellType::bcc, {1, 1, 1}, 0.0}), InputError);
  EXPECT_THROW(generate({CellType::bcc, {1, 1, 1}, 1.0, -0.1}), InputError);
  EXPECT_THROW(generate({CellType::bcc, {1, 1, 1}, 1.0, 1e300}), InputError);
  EXPECT_THROW(generate({CellType::bcc, {1, 1, 1}, 1.0, 0.1, INFINITY}), InputError);
  EXPECT_THROW(generate({CellType::octet, {4000, 4000, 4000}}), InputError);
}

TEST(MetaMesh, EveryArcHasItsTwin) {
  for (const auto& [name, graph] : lattices()) {
    const exec::Stream stream(test_device());
    const MetaMesh mesh = build_meta_mesh(stream, graph);
    EXPECT_EQ(mesh.report().closed_nodes, 0U) << name;
    const Array<Index> loops = exec::download(stream, mesh.loops());
    ASSERT_EQ(loops.size(), 2 * graph.struts.size() + 1);
    const ArcsView view = mesh.arc_views();
    const Array<float> x = exec::download<float>(stream, view.x);
    const Array<float> y = exec::download<float>(stream, view.y);
    const Array<float> z = exec::download<float>(stream, view.z);
    const Array<std::uint32_t> link = exec::download<std::uint32_t>(stream, view.link);
    const auto arc = [&](Index i) { return Arc{{x[i], y[i], z[i]}, link[i]}; };
    for (Index e = 0; e + 1 < loops.size(); ++e)
      for (Index i = loops[e]; i < loops[e + 1]; ++i) {
        const Arc a = arc(i);
        const Arc next = arc(i + 1 < loops[e + 1] ? i + 1 : loops[e]);
        const Index f = a.neighbour();
        EXPECT_EQ(graph.struts[e / 2][static_cast<int>(e % 2)],
                  graph.struts[f / 2][static_cast<int>(f % 2)]);
        int twins = 0;
        for (Index k = loops[f]; k < loops[f + 1]; ++k) {
          const Arc b = arc(k);
          const Arc after = arc(k + 1 < loops[f + 1] ? k + 1 : loops[f]);
          if (b.neighbour() == e && b.start == next.start && after.start == a.start &&
              b.is_on_ball() == a.is_on_ball() && b.is_long() == a.is_long())
            ++twins;
        }
        EXPECT_EQ(twins, 1) << name << ", end " << e << ", arc " << i;
      }
  }
}

TEST(MetaMesh, RefusesWhatSinglePrecisionCannotHold) {
  const exec::Stream stream(test_device());
  LatticeGraph far = generate({});
  far.nodes[3][1] = -1e38;
  EXPECT_THROW(build_meta_mesh(stream, far), InputError);
  LatticeGraph thick = generate({});
  thick.radii[2][0] = 2e38F;
  EXPECT_THROW(build_meta_mesh(stream, thick), InputError);
}

TEST(MetaMesh, CountsWhatIsTreatedApart) {
  std::map<std::string, MetaReport> reports;
  const exec::Stream stream(test_device());
  for (const auto& [name, graph] : lattices())
    reports[name] = build_meta_mesh(stream, graph).report();
  EXPECT_EQ(reports["the same strut twice"].capsules, 1U);
  EXPECT_EQ(reports["the same strut three times"].capsules, 2U);
  EXPECT_EQ(reports["several radii in one node"].capsules, 2U);
  EXPECT_EQ(reports["sharp elbow"].capsules, 1U);
  EXPECT_EQ(reports["elbow"].capsules, 0U);
  EXPECT_EQ(reports["within the ball of its end"].swallowed, 1U);
  EXPECT_EQ(reports["no length"].swallowed, 1U);
  EXPECT_EQ(reports["one node twice"].swallowed, 1U);
  EXPECT_EQ(reports["no radius"].pinched, 1U);
  EXPECT_EQ(reports["octet"].capsules, 0U);
}

TEST(Triangulate, IsClosedAndManifold) {
  for (const auto& [name, graph] : lattices())
    for (const double chord_error : {0.2, 0.02, 0.004}) {
      const EdgeReport report = check_edges(mesh_of(graph, chord_error));
      EXPECT_EQ(report.open, 0U) << name << " at " << chord_error;
      EXPECT_EQ(report.non_manifold, 0U) << name << " at " << chord_error;
      EXPECT_EQ(report.degenerate, 0U) << name << " at " << chord_error;
    }
}

constexpr std::uint64_t thousands_of_stars = is_sanitized ? 1 : 10;

TEST(Triangulate, RandomNodesAreClosedAndManifold) {
  for (std::uint64_t seed = 1; seed <= 2 * thousands_of_stars; ++seed) {
    const EdgeReport report = check_edges(mesh_of(random_stars(seed, 500), 0.3));
    EXPECT_EQ(report.open, 0U) << "seed " << seed;
    EXPECT_EQ(report.non_manifold, 0U) << "seed " << seed;
  }
}

TEST(Triangulate, LiesNearTheUnionAndCoversItsBoundary) {
  constexpr double chord_error = 0.02;
  for (const auto& [name, graph] : lattices()) {
    const std::vector<Facet> facets = mesh_of(graph, chord_error);
    if (facets.empty() || facets.size() > (is_sanitized ? 1500U : 6000U)) continue;
    const double tolerance = chord_error * largest_radius(graph) * (1 + 1e-3);
    const Random random(1);
    std::uint64_t draw = 0;
    for (const Facet& f : facets) {
      double u = random.uniform(draw++);
      double v = random.uniform(draw++);
      if (u + v > 1) {
        u = 1 - u;
        v = 1 - v;
      }
      const Vec3d p =
          cast<double>(f[0]) * (1 - u - v) + cast<double>(f[1]) * u + cast<double>(f[2]) * v;
      EXPECT_LT(distance_to_union(graph, p), tolerance) << name;
    }
    // Points of the boundary: of each strut's own surface, those within no other strut.
    std::size_t tried = 0;
    for (std::size_t i = 0; tried < 300 && i < 40000; ++i) {
      const std::size_t s = random.below(draw++, static_cast<std::uint32_t>(graph.struts.size()));
      const double t = random.uniform(draw++) * 1.4 - 0.2;
      Vec3d p = graph.nodes[graph.struts[s][0]] * (1 - t) + graph.nodes[graph.struts[s][1]] * t;
      const double r = largest_radius(graph);
      for (int k = 0; k < 3; ++k) p[k] += (random.uniform(draw++) - 0.5) * 4 * r;
      // Onto the boundary along the gradient of the distance.
      for (int step = 0; step < 40; ++step) {
        const double d = distance_to_union(graph, p);
        Vec3d gradient;
        for (int k = 0; k < 3; ++k) {
          Vec3d q = p;
          q[k] += 1e-6;
          gradient[k] = (distance_to_union(graph, q) - d) * 1e6;
        }
        if (length(gradient) < 0.5) break;
        p = p - gradient * (d / squared_length(gradient));
      }
      if (std::abs(distance_to_union(graph, p)) > 1e-6) continue;
      ++tried;
      double nearest = 1e300;
      for (const Facet& f : facets) nearest = std::min(nearest, distance_to_facet(f, p));
      EXPECT_LT(nearest, tolerance) << name;
    }
    EXPECT_GT(tried, 100U) << name;
  }
}

// The loop of two struts that nearly lie on one another passes close by their poles.
TEST(Triangulate, StaysNearTheUnionAtSharpElbows) {
  for (const double angle : {0.1, 0.2, 0.27, 0.4, 0.53, 0.8})
    for (const double chord_error : {0.02, 0.05, 0.15, 0.3}) {
      GraphBuilder elbow;
      elbow.nodes = {{0, 0, 0}, {30, 0, 0}, {30 * std::cos(angle), 30 * std::sin(angle), 0.01}};
      elbow.add(0, 1, 1, 1);
      elbow.add(2, 0, 1, 1);
      const LatticeGraph graph = elbow.graph();
      double lowest = 0;
      double highest = 0;
      for (const Facet& f : mesh_of(graph, chord_error))
        for (int i = 0; i <= 12; ++i)
          for (int k = 0; i + k <= 12; ++k) {
            const Vec3d p = cast<double>(f[0]) * ((12 - i - k) / 12.0) +
                            cast<double>(f[1]) * (i / 12.0) + cast<double>(f[2]) * (k / 12.0);
            const double d = distance_to_union(graph, p);
            lowest = std::min(lowest, d);
            highest = std::max(highest, d);
          }
      EXPECT_GT(lowest, -chord_error * (1 + 1e-3)) << angle << ", " << chord_error;
      EXPECT_LT(highest, chord_error * (1 + 1e-3)) << angle << ", " << chord_error;
    }
}

TEST(Triangulate, GoesOnceAroundTheInsideAndNotAroundTheOutside) {
  constexpr double chord_error = 0.02;
  for (const auto& [name, graph] : lattices()) {
    const std::vector<Facet> facets = mesh_of(graph, chord_error);
    if (facets.empty() || facets.size() > 6000) continue;
    const Random random(2);
    std::uint64_t draw = 0;
    const double r = largest_radius(graph);
    for (int i = 0; i < 400; ++i) {
      const Facet& f = facets[random.below(draw++, static_cast<std::uint32_t>(facets.size()))];
      Vec3d p = cast<double>(f[0]);
      for (int k = 0; k < 3; ++k) p[k] += (random.uniform(draw++) - 0.5) * r;
      const double d = distance_to_union(graph, p);
      if (std::abs(d) < chord_error * r * 1.1) continue;
      const auto winding = std::lround(winding_number(facets, p));
      if (d > 0)
        EXPECT_EQ(winding, 0) << name;
      else
        EXPECT_GE(winding, 1) << name;
    }
  }
}

TEST(Triangulate, VolumeConverges) {
  GraphBuilder capsule;
  capsule.nodes = {{0, 0, 0}, {3, 0, 0}};
  capsule.add(0, 1, 1, 1);
  const double exact = std::numbers::pi * (3 + 4.0 / 3);
  double last = exact;
  for (const double chord_error : {0.016, 0.004, 0.001}) {
    const double error = exact - enclosed_volume(mesh_of(capsule.graph(), chord_error));
    EXPECT_LT(std::abs(error), 2 * exact * chord_error);
    EXPECT_LT(std::abs(error), last / 2);
    last = std::abs(error);
  }
  // Two cylinders of radius 1 that cross at right angles have 16/3 in common.
  GraphBuilder cross;
  cross.nodes = {{0, 0, 0}, {3, 0, 0}, {-3, 0, 0}, {0, 3, 0}, {0, -3, 0}};
  for (Index i = 1; i <= 4; ++i) cross.add(0, i, 1, 1);
  const double solid = 2 * (6 * std::numbers::pi) + 4 * (2.0 / 3) * std::numbers::pi - 16.0 / 3;
  EXPECT_NEAR(enclosed_volume(mesh_of(cross.graph(), 1e-4)), solid, 0.01);
}

// Struts within the ball of an end far away in the list must not be compared with all in between.
TEST(MetaMesh, ManySwallowedStrutsTakeNoLonger) {
  GraphBuilder all;
  constexpr Index count = 100'000;
  for (Index i = 0; i < 2 * count; ++i)
    all.nodes.push_back({3.0 * (i % count), i < count ? 0.0 : 0.5, 0});
  for (Index i = 0; i < count; ++i) all.add(i, count + i, 0.01, 1);
  const exec::Stream stream(test_device());
  EXPECT_EQ(build_meta_mesh(stream, all.graph()).report().swallowed, count);
}

TEST(Triangulate, RangesMakeTheWhole) {
  const exec::Stream stream(test_device());
  const MetaMesh mesh = build_meta_mesh(stream, generate({CellType::octet, {2, 2, 2}}));
  const std::vector<Facet> whole = facets_of(mesh, 0.02, 0, mesh.struts());
  std::vector<Facet> parts;
  for (Index first = 0; first < mesh.struts(); first += 17) {
    const std::vector<Facet> part =
        facets_of(mesh, 0.02, first, std::min<Index>(17, mesh.struts() - first));
    parts.insert(parts.end(), part.begin(), part.end());
  }
  EXPECT_EQ(sorted(parts), sorted(whole));
  EXPECT_TRUE(facets_of(mesh, 0.02, mesh.struts(), 0).empty());
  EXPECT_THROW(triangulate(mesh, 0.02, 1, mesh.struts()), InputError);
  EXPECT_THROW(triangulate(mesh, 0, 0, 1), InputError);
  EXPECT_THROW(triangulate(mesh, 1e-9, 0, 1), InputError);
  EXPECT_THROW(triangulate(mesh, 0.6, 0, 1), InputError);
}

TEST(Triangulate, FewTrianglesAStrut) {
  const exec::Stream stream(test_device());
  const MetaMesh mesh = build_meta_mesh(stream, generate({CellType::octet, {8, 8, 8}}));
  const std::size_t facets = triangulate(mesh, 0.02, 0, mesh.struts()).size();
  EXPECT_LT(static_cast<double>(facets), 35.0 * mesh.struts());
}

}  // namespace
}  // namespace tessera::lattice
