// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/bilateral.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "cancel.h"
#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

/// A mesh whose vertices are off their places at random, so that none is just at the border of a
/// ball, where rounding decides.
TriangleSoup jittered(TriangleSoup soup) {
  const Random random(11);
  for (std::size_t v = 0; v < soup.positions.size(); ++v)
    for (int k = 0; k < 3; ++k)
      soup.positions[v][k] += 0.02 * random.uniform(3 * v + static_cast<std::size_t>(k));
  return soup;
}

/// A disc of n faces around one vertex, and a rim that goes up and down.
TriangleSoup fan(Index n) {
  TriangleSoup soup;
  soup.positions.push_back({0, 0, 0});
  for (Index i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * i / n;
    soup.positions.push_back({std::cos(angle), std::sin(angle), 0});
    soup.triangles.push_back({0, i + 1, (i + 1) % n + 1});
  }
  return jittered(soup);
}

Array<Vec3f> denoised(const exec::Device& device, const TriangleSoup& soup, int iterations,
                      BilateralResult* result = nullptr, int patch_faces = 512) {
  PatchOptions patches;
  patches.patch_faces = patch_faces;
  const PatchedMesh mesh(device, soup, patches);
  VertexAttribute<Vec3f> positions = positions_of(mesh, soup);
  BilateralOptions options;
  options.iterations = iterations;
  const BilateralResult done = bilateral_denoise(mesh, positions, options);
  EXPECT_EQ(done.iterations, iterations);
  EXPECT_EQ(positions.name(), "position");
  if (result != nullptr) *result = done;
  return attribute_to_host(mesh, positions);
}

struct Neighbour {
  double height;
  double distance;
};

/// One iteration, vertex by vertex, by the words of the header.
std::vector<Vec3d> twin(const TriangleSoup& soup) {
  std::vector<Vec3d> from;
  for (const Vec3d& p : soup.positions) from.push_back(cast<double>(cast<float>(p)));
  std::vector<std::set<Index>> adjacent(from.size());
  std::vector<Vec3d> normals(from.size());
  std::vector<double> scales(from.size());
  for (const Triangle& t : soup.triangles) {
    for (const Index a : t.v)
      for (const Index b : t.v)
        if (a != b) adjacent[a].insert(b);
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
    for (int k = 0; k < 3; ++k) {
      const Vec3d a = from[t[(k + 1) % 3]] - from[t[k]];
      const Vec3d b = from[t[(k + 2) % 3]] - from[t[k]];
      normals[t[k]] += cross(a, b);
      scales[t[k]] += squared_length(a) + squared_length(b);
    }
  }
  std::vector<Vec3d> to = from;
  for (Index v = 0; v < from.size(); ++v) {
    double shortest = 0;
    for (const Index w : adjacent[v]) {
      const double size = length(from[w] - from[v]);
      if (size > 0 && (shortest == 0 || size < shortest)) shortest = size;
    }
    if (shortest == 0 || length(normals[v]) <= 1e-6 * scales[v]) continue;
    const Vec3d n = normals[v] * (1 / length(normals[v]));
    std::set<Index> seen{v};
    std::set<Index> ring = adjacent[v];
    std::vector<Neighbour> inside;
    while (true) {
      const std::size_t before = inside.size();
      for (const Index w : ring) {
        const Vec3d q = from[w] - from[v];
        if (length(q) <= 2 * shortest) inside.push_back({dot(n, q), length(q)});
      }
      if (inside.size() == before) break;
      seen.insert(ring.begin(), ring.end());
      std::set<Index> next;
      for (const Index w : ring)
        for (const Index u : adjacent[w])
          if (seen.count(u) == 0) next.insert(u);
      ring = next;
    }
    const auto count = static_cast<double>(inside.size());
    double mean = 0;
    for (const Neighbour& x : inside) mean += x.height / count;
    double variance = 0;
    for (const Neighbour& x : inside) variance += (x.height - mean) * (x.height - mean) / count;
    variance = std::max(variance, 1e-6 * shortest * shortest);
    double least = 1e300;
    const auto exponent = [&](const Neighbour& x) {
      return x.distance * x.distance / (2 * shortest * shortest) +
             x.height * x.height / (2 * variance);
    };
    for (const Neighbour& x : inside) least = std::min(least, exponent(x));
    double weights = 0;
    double heights = 0;
    for (const Neighbour& x : inside) {
      const double weight = std::exp(least - exponent(x));
      weights += weight;
      heights += weight * x.height;
    }
    to[v] = from[v] + n * (heights / weights);
  }
  return to;
}

void expect_near(const Array<Vec3f>& found, const std::vector<Vec3d>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t v = 0; v < expected.size(); ++v)
    EXPECT_LT(length(cast<double>(found[v]) - expected[v]), 2e-5 * (1 + length(expected[v]))) << v;
}

TEST(Bilateral, AgreesWithTwin) {
  for (const NamedMesh& named : surface_meshes()) {
    if (named.mesh.triangles.empty()) continue;
    SCOPED_TRACE(named.name);
    const TriangleSoup soup = jittered(named.mesh);
    const std::vector<Vec3d> expected = twin(soup);
    for (const int size : {16, 512})
      expect_near(denoised(test_device(), soup, 1, nullptr, size), expected);
  }
}

TEST(Bilateral, NeighbourhoodsOfAnySize) {
  for (const Index n : {120, 300, 2500}) {  // fits, and needs two passes, and three
    SCOPED_TRACE(n);
    const TriangleSoup soup = fan(n);
    BilateralResult result;
    expect_near(denoised(test_device(), soup, 1, &result), twin(soup));
    EXPECT_EQ(result.wide_walks, n > 128 ? n + 1 : 0);
  }
}

TEST(Bilateral, IterationsFollowEachOther) {
  TriangleSoup soup = generated(Shape::noisy_sphere, 2000);
  const Array<Vec3f> together = denoised(test_device(), soup, 3);
  for (int i = 0; i < 3; ++i) {
    const Array<Vec3f> once = denoised(test_device(), soup, 1);
    for (std::size_t v = 0; v < once.size(); ++v) soup.positions[v] = cast<double>(once[v]);
  }
  for (std::size_t v = 0; v < together.size(); ++v)
    EXPECT_LT(length(cast<double>(together[v]) - soup.positions[v]), 1e-6);
  const Array<Vec3f> none = denoised(test_device(), soup, 0);
  for (std::size_t v = 0; v < none.size(); ++v) EXPECT_EQ(none[v], cast<float>(soup.positions[v]));
}

/// How far radii are from their mean.
double roughness(const Array<Vec3f>& positions) {
  double sum = 0;
  double squares = 0;
  for (const Vec3f& p : positions) {
    const double radius = length(cast<double>(p));
    sum += radius;
    squares += radius * radius;
  }
  const double mean = sum / static_cast<double>(positions.size());
  return std::sqrt(squares / static_cast<double>(positions.size()) - mean * mean);
}

TEST(Bilateral, SmoothsANoisySphere) {
  GenerateOptions options;
  options.faces = 20000;
  options.noise = 0.01;
  const TriangleSoup soup = generate(test_device(), Shape::noisy_sphere, options);
  const double before = roughness(denoised(test_device(), soup, 0));
  const double once = roughness(denoised(test_device(), soup, 1));
  const double often = roughness(denoised(test_device(), soup, 5));
  EXPECT_LT(once, 0.8 * before);
  EXPECT_LT(often, 0.4 * before);
  RecordProperty("roughness",
                 std::to_string(before) + " " + std::to_string(once) + " " + std::to_string(often));
}

TEST(Bilateral, RoundsAnEdgeLittle) {
  // A roof with noise. A mean without weights for height takes 1.35 edges off its ridge.
  TriangleSoup soup = generated(Shape::plane, 5000);
  const double edge = 1.0 / 50;
  const auto roof = [](double x) { return 0.5 - std::abs(x - 0.5); };
  const Random random(5);
  for (std::size_t v = 0; v < soup.positions.size(); ++v) {
    Vec3d& p = soup.positions[v];
    p[2] = roof(p[0]) + 0.1 * edge * (random.uniform(v) - 0.5);
  }
  const Array<Vec3f> found = denoised(test_device(), soup, 5);
  double noise_before = 0;
  double noise_after = 0;
  double ridge = 0;
  int ridge_vertices = 0;
  for (std::size_t v = 0; v < found.size(); ++v) {
    const Vec3d& p = soup.positions[v];
    const Vec3d q = cast<double>(found[v]);
    const double from_ridge = std::abs(p[0] - 0.5);
    if (p[1] < 0.2 || p[1] > 0.8 || from_ridge > 0.3) continue;
    if (from_ridge < 0.5 * edge) {
      ridge += 0.5 - q[2];
      ++ridge_vertices;
    } else if (from_ridge > 8 * edge) {
      noise_before += std::pow(p[2] - roof(p[0]), 2);
      noise_after += std::pow(q[2] - roof(q[0]), 2);
    }
  }
  EXPECT_LT(noise_after, 0.25 * noise_before);
  EXPECT_EQ(ridge_vertices, 31);
  EXPECT_LT(ridge / ridge_vertices, 0.75 * edge);
}

TEST(Bilateral, LeavesWhatItCannotMove) {
  TriangleSoup soup = tetrahedron();
  soup.positions.push_back({7, 8, 9});  // without faces
  for (int i = 0; i < 3; ++i) soup.positions.push_back({3, 3, 3});
  soup.triangles.push_back({5, 6, 7});  // without extent
  const Array<Vec3f> found = denoised(test_device(), soup, 4);
  for (Index v = 4; v < 8; ++v) EXPECT_EQ(found[v], cast<float>(soup.positions[v]));
  for (const Vec3f& p : found) EXPECT_TRUE(std::isfinite(length(p)));
}

TEST(Bilateral, SameOnAnyNumberOfThreads) {
  for (const TriangleSoup& soup :
       {generated(Shape::noisy_sphere, 20000), generated(Shape::soup, 5000), fan(400)})
    EXPECT_EQ(denoised(exec::Device::cpu(1), soup, 3), denoised(exec::Device::cpu(4), soup, 3));
}

TEST(Bilateral, RefusesAndStops) {
  const TriangleSoup soup = generated(Shape::noisy_sphere, 500);
  const PatchedMesh mesh(test_device(), soup);
  VertexAttribute<Vec3f> positions = positions_of(mesh, soup);
  const Array<Vec3f> before = attribute_to_host(mesh, positions);
  BilateralOptions options;
  options.iterations = -1;
  EXPECT_THROW(bilateral_denoise(mesh, positions, options), InputError);
  options.iterations = 3;
  for (int yes = 0; yes < 4; ++yes) {
    options.progress = cancel_after(yes);
    EXPECT_THROW(bilateral_denoise(mesh, positions, options), Cancelled);
    EXPECT_EQ(attribute_to_host(mesh, positions), before);
  }
  const PatchedMesh other(test_device(), tetrahedron());
  EXPECT_THROW(bilateral_denoise(other, positions), std::invalid_argument);
}

}  // namespace
}  // namespace tessera::surface
