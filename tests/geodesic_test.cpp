// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/geodesic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <queue>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "cancel.h"
#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "tessera/surface/detail/wavefront.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What geodesic_distance() finds, in the order of the input.
struct Found {
  Array<float> distance;
  Array<Index> level;
  Index levels;
  Index reached;
  Index iterations;
  bool settled;
  float max_distance;
  Index farthest_vertex;
};

Found distances(const TriangleSoup& soup, const std::vector<Index>& sources,
                const GeodesicOptions& options = {}, const exec::Device& device = test_device(),
                int patch_faces = 512) {
  PatchOptions patches;
  patches.patch_faces = patch_faces;
  const PatchedMesh mesh(device, soup, patches);
  const auto positions = positions_of(mesh, soup, soup.positions.front());
  const GeodesicResult result = geodesic_distance(mesh, positions, sources, options);
  EXPECT_EQ(result.distance.name(), "distance");
  return {attribute_to_host(mesh, result.distance),
          attribute_to_host(mesh, result.level),
          result.levels,
          result.reached,
          result.iterations,
          result.settled,
          result.max_distance,
          result.farthest_vertex};
}

GeodesicOptions exact() {
  GeodesicOptions options;
  options.tolerance = 0;
  return options;
}

std::vector<Index> levels_twin(const TriangleSoup& soup, const std::vector<Index>& sources) {
  std::vector<std::vector<Index>> neighbours(soup.positions.size());
  for (const Triangle& t : soup.triangles)
    for (int k = 0; k < 3; ++k) {
      neighbours[t[k]].push_back(t[(k + 1) % 3]);
      neighbours[t[(k + 1) % 3]].push_back(t[k]);
    }
  std::vector<Index> level(soup.positions.size(), no_index);
  std::queue<Index> open;
  for (const Index s : sources) {
    level[s] = 0;
    open.push(s);
  }
  for (; !open.empty(); open.pop())
    for (const Index w : neighbours[open.front()])
      if (level[w] == no_index) {
        level[w] = level[open.front()] + 1;
        open.push(w);
      }
  return level;
}

/// The update as the paper has it, with an inverse matrix, in double.
double update(const Vec3d& v, const Vec3d& x0, double t0, const Vec3d& x1, double t1) {
  const Vec3d a = x0 - v;
  const Vec3d b = x1 - v;
  const double along = std::min(t0 + length(a), t1 + length(b));
  const double det = dot(a, a) * dot(b, b) - dot(a, b) * dot(a, b);
  if (!(det > 1e-14 * dot(a, a) * dot(b, b)) || t0 == infinity || t1 == infinity) return along;
  const double q00 = dot(b, b) / det;
  const double q01 = -dot(a, b) / det;
  const double q11 = dot(a, a) / det;
  const double one = q00 + 2 * q01 + q11;
  const double delta = t0 * (q00 + q01) + t1 * (q01 + q11);
  const double root = delta * delta - one * (t0 * t0 * q00 + 2 * t0 * t1 * q01 + t1 * t1 * q11 - 1);
  if (root < 0) return along;
  const double p = (delta + std::sqrt(root)) / one;
  const bool through = q00 * (t0 - p) + q01 * (t1 - p) < 0 && q01 * (t0 - p) + q11 * (t1 - p) < 0;
  return through ? p : along;
}

/// Updates all vertices in their order, again and again, until nothing changes.
std::vector<double> distances_twin(const TriangleSoup& soup, const std::vector<Index>& sources) {
  std::vector<double> distance(soup.positions.size(), infinity);
  for (const Index s : sources) distance[s] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Triangle& t : soup.triangles)
      for (int k = 0; k < 3; ++k) {
        const Index v = t[k];
        const Index a = t[(k + 1) % 3];
        const Index b = t[(k + 2) % 3];
        const double p = update(soup.positions[v], soup.positions[a], distance[a],
                                soup.positions[b], distance[b]);
        if (p < distance[v] * (1 - 1e-12)) {
          distance[v] = p;
          changed = true;
        }
      }
  }
  return distance;
}

TEST(Geodesic, AgreesWithTwin) {
  for (const NamedMesh& named : surface_meshes()) {
    if (named.mesh.triangles.empty()) continue;
    const auto last = static_cast<Index>(named.mesh.positions.size() - 1);
    for (const std::vector<Index>& sources :
         {std::vector<Index>{0}, std::vector<Index>{last, last / 2, last}}) {
      SCOPED_TRACE(named.name + ", source " + std::to_string(sources[0]));
      const Found found = distances(named.mesh, sources, exact(), test_device(), 32);
      EXPECT_TRUE(found.settled);
      const std::vector<Index> level = levels_twin(named.mesh, sources);
      EXPECT_EQ(std::vector<Index>(found.level.begin(), found.level.end()), level);
      Index reached = 0;
      Index levels = 0;
      for (const Index l : level)
        if (l != no_index) {
          ++reached;
          levels = std::max(levels, l + 1);
        }
      EXPECT_EQ(found.reached, reached);
      EXPECT_EQ(found.levels, levels);
      const std::vector<double> twin = distances_twin(named.mesh, sources);
      double largest = 0;
      for (Index v = 0; v <= last; ++v) {
        if (twin[v] == infinity) {
          EXPECT_EQ(found.distance[v], infinity) << v;
        } else {
          EXPECT_NEAR(found.distance[v], twin[v], 1e-4 * twin[v]) << v;
          largest = std::max(largest, twin[v]);
        }
      }
      EXPECT_NEAR(found.max_distance, largest, 1e-4 * largest);
      EXPECT_EQ(found.distance[found.farthest_vertex], found.max_distance);
    }
  }
}

/// The bands of the propagation, one vertex after the other, with a copy of all distances in each
/// iteration. Returns how many there were.
Index propagate_twin(const TriangleSoup& soup, const std::vector<Index>& level, float tolerance,
                     std::vector<float>& distance) {
  const Index levels = *std::max_element(level.begin(), level.end()) + 1;
  distance.clear();
  for (const Index l : level) distance.push_back(l == 0 ? 0.0F : static_cast<float>(infinity));
  const auto place = [&](Index v) {
    return cast<float>(soup.positions[v] - soup.positions.front());
  };
  Index first = 1;
  Index last = 1;
  Index iterations = 0;
  for (bool looking = false;; ++iterations) {
    const std::vector<float> before = distance;
    for (const Triangle& t : soup.triangles)
      for (int k = 0; k < 3; ++k) {
        const Index a = t[(k + 1) % 3];
        const Index b = t[(k + 2) % 3];
        if (level[t[k]] < first || level[t[k]] > last) continue;
        const float p = detail::arrival_through_side(place(a) - place(t[k]), before[a],
                                                     place(b) - place(t[k]), before[b]);
        distance[t[k]] = std::min(distance[t[k]], p);
      }
    Index next = last + 1;
    for (Index v = 0; v < level.size(); ++v)
      if (before[v] - distance[v] > tolerance * distance[v]) next = std::min(next, level[v]);
    if (next == levels && looking) return iterations + 1;
    looking = next == levels;
    first = looking ? 1 : next;
    last = std::min(last + 1, levels - 1);
  }
}

TEST(Geodesic, BandsMoveAsTheirTwinDoes) {
  for (const Shape shape : {Shape::noisy_sphere, Shape::torus}) {
    GenerateOptions noisy;
    noisy.faces = 5000;
    noisy.noise = 0.1;
    const TriangleSoup mesh = generate(test_device(), shape, noisy);
    std::vector<float> twin;
    GeodesicOptions options;
    options.tolerance = 0.02F;  // coarse, so that it matters when a level leaves the band
    const Index iterations = propagate_twin(mesh, levels_twin(mesh, {3}), options.tolerance, twin);
    const Found found = distances(mesh, {3}, options, exec::Device::cpu(2));
    EXPECT_EQ(found.iterations, iterations);
    for (Index v = 0; v < twin.size(); ++v) EXPECT_FLOAT_EQ(found.distance[v], twin[v]) << v;
  }
}

/// Mean of the relative errors of all vertices but the sources.
template <class Distance>
double mean_error(const TriangleSoup& soup, const Found& found, const Distance& expected) {
  double sum = 0;
  std::size_t count = 0;
  for (Index v = 0; v < soup.positions.size(); ++v) {
    const double exact = expected(soup.positions[v]);
    if (exact == 0) continue;
    sum += std::abs(found.distance[v] - exact) / exact;
    ++count;
  }
  return sum / static_cast<double>(count);
}

TEST(Geodesic, NearEuclideanDistanceOnAPlane) {
  const TriangleSoup plane = generated(Shape::plane, 200000);
  for (const std::size_t source : {std::size_t{0}, plane.positions.size() / 2}) {
    const Vec3d from = plane.positions[source];
    const Found found = distances(plane, {static_cast<Index>(source)});
    EXPECT_LT(mean_error(plane, found, [&](const Vec3d& p) { return length(p - from); }), 0.01);
    EXPECT_EQ(found.reached, plane.positions.size());
  }
}

TEST(Geodesic, NearGreatCirclesOnASphere) {
  const TriangleSoup sphere = generated(Shape::icosphere, 200000);
  const Vec3d from = sphere.positions[7];
  const auto angle = [&](const Vec3d& p) {
    return std::atan2(length(cross(p, from)), dot(p, from));
  };
  const Found found = distances(sphere, {7});
  EXPECT_LT(mean_error(sphere, found, angle), 0.01);
  EXPECT_NEAR(found.max_distance, std::numbers::pi, 0.02);
  EXPECT_NEAR(angle(sphere.positions[found.farthest_vertex]), std::numbers::pi, 0.02);
}

TEST(Geodesic, NearestOfSeveralSources) {
  const TriangleSoup plane = generated(Shape::plane, 20000);
  const auto last = static_cast<Index>(plane.positions.size() - 1);
  const std::vector<Index> sources{0, last / 3, last};
  const Found found = distances(plane, sources, exact());
  std::vector<Found> single;
  for (const Index s : sources) single.push_back(distances(plane, {s}, exact()));
  for (Index v = 0; v <= last; ++v) {
    const float nearest =
        std::min({single[0].distance[v], single[1].distance[v], single[2].distance[v]});
    // Where the regions of two sources meet, a front of one takes part in an update of the other.
    EXPECT_NEAR(found.distance[v], nearest, 0.01);
  }
  for (const Index s : sources) EXPECT_EQ(found.distance[s], 0);
}

/// The way from vertex 0 to vertex 24 is two long edges over a peak, or many short ones.
TriangleSoup peak_and_strip() {
  constexpr Index n = 12;
  TriangleSoup mesh;
  for (Index i = 0; i <= n; ++i) {
    mesh.positions.push_back({0.25 * i, 0, 0});
    mesh.positions.push_back({0.25 * i, 0.25, 0});
    if (i == 0) continue;
    const Index a = 2 * i;
    mesh.triangles.push_back({a - 2, a, a - 1});
    mesh.triangles.push_back({a - 1, a, a + 1});
  }
  mesh.positions.push_back({1.5, 0, 10});
  mesh.triangles.push_back({0, 1, 2 * n + 2});
  mesh.triangles.push_back({2 * n, 2 * n + 1, 2 * n + 2});
  return mesh;
}

TEST(Geodesic, ShortEdgesComeBackToASettledLevel) {
  const Found found = distances(peak_and_strip(), {0});
  EXPECT_EQ(found.level[24], 2);
  EXPECT_NEAR(found.distance[24], 3, 1e-5);
  EXPECT_TRUE(found.settled);
}

TEST(Geodesic, UnreachableComponents) {
  TriangleSoup mesh = tetrahedron();
  append(mesh, generated(Shape::torus, 200));
  mesh.positions.push_back({5, 5, 5});
  const Found found = distances(mesh, {2});
  EXPECT_EQ(found.reached, 4);
  EXPECT_EQ(found.levels, 2);
  EXPECT_NEAR(found.max_distance, std::sqrt(2.0), 1e-6);
  for (Index v = 0; v < mesh.positions.size(); ++v) EXPECT_EQ(found.distance[v] < infinity, v < 4);

  const auto alone = static_cast<Index>(mesh.positions.size() - 1);
  const Found single = distances(mesh, {alone});
  EXPECT_EQ(single.reached, 1);
  EXPECT_EQ(single.levels, 1);
  EXPECT_EQ(single.iterations, 0);
  EXPECT_TRUE(single.settled);
  EXPECT_EQ(single.max_distance, 0);
  EXPECT_EQ(single.farthest_vertex, alone);
}

TEST(Geodesic, SameOnAnyNumberOfThreadsAndWithAnyPatches) {
  for (const Shape shape : {Shape::noisy_sphere, Shape::soup}) {
    const TriangleSoup mesh = generated(shape, 20000);
    const Found one = distances(mesh, {11, 4}, {}, exec::Device::cpu(1));
    const Found four = distances(mesh, {4, 11}, {}, exec::Device::cpu(4), 100);
    EXPECT_EQ(one.distance, four.distance);
    EXPECT_EQ(one.level, four.level);
    EXPECT_EQ(one.iterations, four.iterations);
  }
}

TEST(Geodesic, AnyUnits) {
  const TriangleSoup mesh = generated(Shape::noisy_sphere, 2000);
  const Found usual = distances(mesh, {0});
  for (const double unit : {std::ldexp(1.0, -90), std::ldexp(1.0, 90)}) {
    TriangleSoup scaled = mesh;
    for (Vec3d& p : scaled.positions) p *= unit;
    const Found found = distances(scaled, {0});
    for (Index v = 0; v < mesh.positions.size(); ++v)
      EXPECT_NEAR(found.distance[v], usual.distance[v] * unit, 1e-4 * usual.distance[v] * unit);
  }
}

TEST(Geodesic, FlatAndCoincidentFaces) {
  // A path along faces without area, two vertices at the same place, a needle.
  const TriangleSoup mesh =
      make_mesh({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 0, 0}, {3, 0, 0}, {3, 1e-9, 0}, {1e3, 0, 0}},
                {{0, 1, 2}, {2, 3, 3}, {2, 3, 4}, {3, 4, 5}, {4, 5, 6}});
  const Found found = distances(mesh, {0}, exact());
  const double expected[] = {0, 1, 2, 2, 3, 3, 1000};
  for (Index v = 0; v < mesh.positions.size(); ++v)
    EXPECT_NEAR(found.distance[v], expected[v], 1e-4 * expected[v]);
}

TEST(Geodesic, StopsAtMaxIterations) {
  const TriangleSoup plane = generated(Shape::plane, 2000);
  GeodesicOptions options;
  options.max_iterations = 5;
  const Found found = distances(plane, {0}, options);
  EXPECT_EQ(found.iterations, 5);
  EXPECT_FALSE(found.settled);
  for (Index v = 0; v < plane.positions.size(); ++v)
    EXPECT_EQ(found.distance[v] < infinity, found.level[v] <= 5) << v;
}

TEST(Geodesic, Errors) {
  const TriangleSoup soup = tetrahedron();
  const PatchedMesh mesh(test_device(), soup);
  const auto positions = positions_of(mesh, soup);
  const auto measure = [&](const std::vector<Index>& sources, const GeodesicOptions& options = {}) {
    return geodesic_distance(mesh, positions, sources, options);
  };
  EXPECT_THROW(measure({}), InputError);
  EXPECT_THROW(measure({0, 4}), InputError);
  EXPECT_THROW(measure({no_index}), InputError);
  GeodesicOptions options;
  options.tolerance = -1;
  EXPECT_THROW(measure({0}, options), InputError);
  options.tolerance = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(measure({0}, options), InputError);
  options = {};
  const TriangleSoup other = generated(Shape::torus, 60);
  const PatchedMesh other_mesh(test_device(), other);
  const auto other_positions = positions_of(other_mesh, other);
  const std::vector<Index> zero{0};
  EXPECT_THROW(geodesic_distance(mesh, other_positions, zero), std::invalid_argument);
}

TEST(Geodesic, Cancelled) {
  const TriangleSoup soup = generated(Shape::torus, 600);
  const PatchedMesh mesh(test_device(), soup);
  const auto positions = positions_of(mesh, soup);
  const std::vector<Index> zero{0};
  for (const int yes : {0, 1}) {  // finding levels, then distances
    GeodesicOptions options;
    options.progress = cancel_after(yes);
    EXPECT_THROW(geodesic_distance(mesh, positions, zero, options), Cancelled);
  }
}

}  // namespace
}  // namespace tessera::surface
