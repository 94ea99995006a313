// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/dynamic_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "random_operations.h"
#include "sanitizers.h"
#include "surface_meshes.h"
#include "tessera/core/random.h"
#include "tessera/surface/analysis.h"
#include "tessera/surface/operators.h"
#include "tessera/surface/update.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

struct Topology {
  std::int64_t euler;
  std::uint64_t components;
  std::uint64_t loops;
  std::uint64_t non_manifold;
  bool operator==(const Topology&) const = default;
};

Topology topology_of(DynamicMesh& mesh) {
  const MeshInfo info = analyze(mesh.stream(), mesh.to_soup());
  return {info.euler_characteristic, info.components, info.boundary_loops, info.non_manifold_edges};
}

using Corners = std::array<Vec3d, 3>;

bool is_less(const Corners& a, const Corners& b) {
  for (std::size_t i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      if (a[i][k] != b[i][k]) return a[i][k] < b[i][k];
  return false;
}

/// Each from its smallest corner on, in order, without those that have a vertex twice.
std::vector<Corners> faces_of(const TriangleSoup& mesh) {
  std::vector<Corners> faces;
  for (const Triangle& t : mesh.triangles) {
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
    std::array<Corners, 3> turns;
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t i = 0; i < 3; ++i)
        turns[k][i] = mesh.positions[t[static_cast<int>((k + i) % 3)]];
    faces.push_back(*std::min_element(turns.begin(), turns.end(), is_less));
  }
  std::sort(faces.begin(), faces.end(), is_less);
  return faces;
}

TEST(DynamicMesh, HoldsEveryMesh) {
  for (const NamedMesh& named : surface_meshes()) {
    DynamicMesh mesh(test_device(), named.mesh);
    EXPECT_EQ(mesh.validate(), std::nullopt) << named.name;
    EXPECT_TRUE(faces_of(mesh.to_soup()) == faces_of(named.mesh)) << named.name;
    mesh.pack();
    EXPECT_EQ(mesh.validate(), std::nullopt) << named.name;
    EXPECT_TRUE(faces_of(mesh.to_soup()) == faces_of(named.mesh)) << named.name;
  }
}

TEST(DynamicMesh, RandomOperationsKeepTheTopology) {
  std::uint64_t done[random_operations] = {};
  for (const NamedMesh& named : surface_meshes()) {
    DynamicMesh mesh(test_device(), named.mesh);
    if (mesh.faces() > 20000) continue;
    mesh.mark_creases(30);
    const Topology before = topology_of(mesh);
    for (std::uint64_t seed = 0; seed < (is_sanitized ? 16 : 24); ++seed) {
      UpdateOptions few;
      few.most_rounds = 4;
      const auto number = static_cast<int>(seed % random_operations);
      const std::int64_t vertices = mesh.vertices();
      int added = 0;
      const UpdateReport report = apply_random(mesh, number, {seed, 30}, few, added);
      done[number] += report.done;
      EXPECT_EQ(mesh.vertices(), vertices + added * static_cast<std::int64_t>(report.done))
          << named.name << ", seed " << seed;
      if (seed % 3 == 0) update(mesh, RemoveThreeValent{}, few);
      if (seed % 4 == 0) mesh.pack();
      ASSERT_EQ(mesh.validate(), std::nullopt) << named.name << ", seed " << seed;
      ASSERT_TRUE(topology_of(mesh) == before) << named.name << ", seed " << seed;
    }
  }
  for (const std::uint64_t n : done) EXPECT_GT(n, is_sanitized ? 15U : 300U);
}

/// Many patches: every kind of operation, in patches alone or with rounds for what is between them.
TEST(DynamicMesh, PatchesKeepTheTopology) {
  const bool is_on_cpu = test_device().backend() == exec::Backend::cpu;
  for (const Scheme scheme : {Scheme::patches, Scheme::automatic}) {
    DynamicMesh mesh(test_device(), generated(Shape::torus, 30000));
    const Topology before = topology_of(mesh);
    for (std::uint64_t seed = 0; seed < (is_sanitized ? 8 : 16); ++seed) {
      UpdateOptions some;
      some.most_rounds = 3;
      some.scheme = scheme;
      const auto number = static_cast<int>(seed % random_operations);
      constexpr int from_vertices = 5;
      const std::int64_t vertices = mesh.vertices();
      int added = 0;
      const UpdateReport done = apply_random(mesh, number, {seed, 20}, some, added);
      mesh.pack();
      EXPECT_GT(done.done, 300U) << "seed " << seed;
      EXPECT_EQ(done.in_patches > done.done / 4, is_on_cpu && number != from_vertices)
          << "seed " << seed;
      EXPECT_EQ(mesh.vertices(), vertices + added * static_cast<std::int64_t>(done.done))
          << "seed " << seed;
      ASSERT_EQ(mesh.validate(), std::nullopt) << "seed " << seed;
      ASSERT_TRUE(topology_of(mesh) == before) << "seed " << seed;
    }
  }
}

/// Hundreds of thousands of cavities of every kind.
TEST(DynamicMesh, ManyRandomCavities) {
  constexpr int rounds = is_sanitized ? 1 : 4;
  std::uint64_t done = 0;
  for (const Shape shape : {Shape::torus, Shape::plane}) {
    DynamicMesh mesh(test_device(), generated(shape, 100000));
    const Topology before = topology_of(mesh);
    for (std::uint64_t seed = 100; seed < 100 + rounds * random_operations; ++seed) {
      UpdateOptions once;
      once.most_rounds = 1;
      once.looks_again = false;
      int added = 0;
      done +=
          apply_random(mesh, static_cast<int>(seed % random_operations), {seed, 10}, once, added)
              .done;
      if (seed % 4 == 0) mesh.pack();
      ASSERT_EQ(mesh.validate(), std::nullopt) << "seed " << seed;
      ASSERT_TRUE(topology_of(mesh) == before) << "seed " << seed;
    }
  }
  EXPECT_GT(done, rounds * 40'000U);
}

/// A linear function of the position, which every operation puts vertices between others by.
double height(const Vec3d& p) {
  return 2 * p[0] - 3 * p[1] + 5 * p[2] + 7;
}

TEST(DynamicMesh, AttributesFollowTheirElements) {
  for (const NamedMesh& named : surface_meshes()) {
    TriangleSoup input = named.mesh;
    if (input.triangles.size() > 20000) continue;
    Array<double> heights(input.positions.size());
    Array<float> pairs(2 * input.positions.size());
    Array<std::int32_t> numbers(input.positions.size());
    double size = 0;
    for (std::size_t v = 0; v < heights.size(); ++v) {
      heights[v] = height(input.positions[v]);
      size = std::max(size, std::abs(heights[v]));
      pairs[2 * v] = static_cast<float>(v);
      pairs[2 * v + 1] = -static_cast<float>(v);
      numbers[v] = static_cast<std::int32_t>(v);
    }
    Array<std::uint32_t> faces(input.triangles.size());
    for (std::size_t f = 0; f < faces.size(); ++f) faces[f] = static_cast<std::uint32_t>(f);
    input.vertex_attributes = {{"pair", 2, pairs}, {"number", 1, numbers}, {"height", 1, heights}};
    input.face_attributes = {{"face", 1, faces}};
    DynamicMesh mesh(test_device(), input);
    for (std::uint64_t seed = 0; seed < 24; ++seed) {
      UpdateOptions few;
      few.most_rounds = 2;
      int added = 0;
      apply_random(mesh, static_cast<int>(seed % random_operations), {seed, 30}, few, added);
      if (seed % 4 == 0) mesh.pack();
      const TriangleSoup now = mesh.to_soup();
      ASSERT_EQ(now.validate(), std::nullopt) << named.name;
      ASSERT_EQ(now.vertex_attributes.size(), 3U);
      ASSERT_EQ(now.face_attributes.size(), 1U);
      const auto& pair = std::get<Array<float>>(now.vertex_attributes[0].values);
      const auto& number = std::get<Array<std::int32_t>>(now.vertex_attributes[1].values);
      const auto& at = std::get<Array<double>>(now.vertex_attributes[2].values);
      for (std::size_t v = 0; v < at.size(); ++v) {
        ASSERT_NEAR(at[v], height(now.positions[v]), 1e-9 * size) << named.name << seed;
        ASSERT_EQ(pair[2 * v], -pair[2 * v + 1]);
        ASSERT_LT(static_cast<std::size_t>(number[v]), input.positions.size());
      }
    }
  }
}

/// Splits alone: every face lies in the one that it has its attributes from.
TEST(DynamicMesh, NewFacesHaveTheAttributesOfThoseTheyAreIn) {
  TriangleSoup input = generated(Shape::plane, 2000);
  Array<std::uint32_t> numbers(input.triangles.size());
  for (std::size_t f = 0; f < numbers.size(); ++f) numbers[f] = static_cast<std::uint32_t>(f);
  input.face_attributes = {{"face", 1, numbers}};
  DynamicMesh mesh(test_device(), input);
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    UpdateOptions few;
    few.most_rounds = 3;
    int added = 0;
    apply_random(mesh, seed % 2 == 0 ? 1 : 3, {seed, 40}, few, added);
    mesh.pack();
  }
  const TriangleSoup now = mesh.to_soup();
  EXPECT_GT(now.triangles.size(), 10000U);
  const auto& from = std::get<Array<std::uint32_t>>(now.face_attributes[0].values);
  const auto middle = [](const TriangleSoup& m, const Triangle& t) {
    return (m.positions[t[0]] + m.positions[t[1]] + m.positions[t[2]]) * (1. / 3);
  };
  for (std::size_t f = 0; f < from.size(); ++f) {
    const Vec3d p = middle(now, now.triangles[f]);
    const Triangle& t = input.triangles[from[f]];
    for (int k = 0; k < 3; ++k) {
      const Vec3d a = input.positions[t[k]];
      const Vec3d b = input.positions[t[(k + 1) % 3]];
      const Vec3d c = input.positions[t[(k + 2) % 3]];
      ASSERT_GT(dot(cross(b - a, p - a), cross(b - a, c - a)), 0) << f;
    }
  }
}

/// Flips replace faces but keep their number: no attribute is lost or there twice.
TEST(DynamicMesh, FlipsKeepTheAttributesOfAllFaces) {
  TriangleSoup input = generated(Shape::torus, 3000);
  Array<std::uint32_t> numbers(input.triangles.size());
  for (std::size_t f = 0; f < numbers.size(); ++f) numbers[f] = static_cast<std::uint32_t>(f);
  input.face_attributes = {{"face", 1, numbers}};
  DynamicMesh mesh(test_device(), input);
  int added = 0;
  EXPECT_GT(apply_random(mesh, 0, {1, 50}, {4}, added).done, 300U);
  auto now = std::get<Array<std::uint32_t>>(mesh.to_soup().face_attributes[0].values);
  std::sort(now.begin(), now.end());
  EXPECT_TRUE(now == numbers);
}

TEST(DynamicMesh, UpdatesCanBeCancelled) {
  for (const Scheme scheme : {Scheme::rounds, Scheme::automatic}) {
    DynamicMesh mesh(test_device(), generated(Shape::torus, 60000));
    const Topology before = topology_of(mesh);
    UpdateOptions options;
    options.scheme = scheme;
    int calls = 0;
    options.progress = [&calls](std::string_view, double) {
      return ++calls > 1 ? Continue::no : Continue::yes;
    };
    EXPECT_THROW(update(mesh, RandomCollapses{{1, 100}}, options), Cancelled);
    EXPECT_EQ(mesh.validate(), std::nullopt);
    EXPECT_TRUE(topology_of(mesh) == before);
    options.progress = {};
    EXPECT_TRUE(update(mesh, RandomCollapses{{1, 100}}, options).is_complete);
  }
}

TEST(DynamicMesh, EverySchemeCompletes) {
  for (const Scheme scheme : {Scheme::rounds, Scheme::automatic}) {
    DynamicMesh mesh(test_device(), generated(Shape::torus, 40000));
    UpdateOptions options;
    options.scheme = scheme;
    const UpdateReport report = update(mesh, RandomCollapses{{1, 100}}, options);
    EXPECT_TRUE(report.is_complete);
    EXPECT_EQ(mesh.validate(), std::nullopt);
    EXPECT_LT(mesh.faces(), 100U);  // the smallest tori have 14
  }
}

TEST(DynamicMesh, PatchesSayWhatTheyLeave) {
  DynamicMesh mesh(test_device(), generated(Shape::torus, 40000));
  UpdateOptions options;
  options.scheme = Scheme::patches;
  const UpdateReport some = update(mesh, RandomCollapses{{1, 30}}, options);
  EXPECT_EQ(some.is_complete, test_device().backend() != exec::Backend::cpu);
  EXPECT_EQ(mesh.validate(), std::nullopt);
}

TEST(DynamicMesh, OperationsAreLimited) {
  for (const Scheme scheme : {Scheme::rounds, Scheme::patches, Scheme::automatic}) {
    DynamicMesh mesh(test_device(), generated(Shape::torus, 40000));
    UpdateOptions options;
    options.scheme = scheme;
    options.most_operations = 700;
    const Index before = mesh.vertices();
    const UpdateReport report = update(mesh, RandomCollapses{{1, 100}}, options);
    EXPECT_LE(report.done, 700U);
    EXPECT_GT(report.done, scheme == Scheme::patches ? 600U : 699U);
    EXPECT_EQ(mesh.vertices(), before - report.done);
  }
}

// Copies of one vertex are opposite to an edge: a vertex on it would have two edges to them.
TEST(DynamicMesh, DoubledFacesGetNoNewEdgeOfFourFaces) {
  const TriangleSoup doubled = make_mesh({{0, 0, 0}, {1, 0, 0}, {0.5, 1, 0}, {2, 1, 0}, {-1, 1, 0}},
                                         {{0, 1, 2}, {1, 0, 2}, {1, 2, 3}, {2, 0, 4}});
  DynamicMesh mesh(test_device(), doubled);
  const Topology before = topology_of(mesh);
  update(mesh, RandomSplits{{1, 100}}, {2});
  EXPECT_EQ(mesh.validate(), std::nullopt);
  EXPECT_TRUE(topology_of(mesh) == before);
}

/// A disc of many triangles around one vertex.
TriangleSoup wheel(Index spokes) {
  TriangleSoup mesh;
  mesh.positions.push_back({0, 0, 0});
  for (Index i = 0; i < spokes; ++i) {
    const double angle = 2 * 3.14159265358979 * i / spokes;
    mesh.positions.push_back({std::cos(angle), std::sin(angle), 0});
    mesh.triangles.push_back({0, i + 1, (i + 1) % spokes + 1});
  }
  return mesh;
}

// The spokes have too many faces around them until the rim has few edges left.
TEST(DynamicMesh, LargeStarsShrinkFromTheirRim) {
  DynamicMesh mesh(test_device(), wheel(1000));
  const UpdateReport report = update(mesh, RandomCollapses{{1, 100}});
  EXPECT_TRUE(report.is_complete);
  EXPECT_EQ(mesh.validate(), std::nullopt);
  EXPECT_EQ(mesh.faces(), 1U);
}

TEST(DynamicMesh, VertexOperationsGoOnUntilNoneIsWanted) {
  DynamicMesh mesh(test_device(), tetrahedron());
  for (std::uint64_t seed = 0; seed < 6; ++seed) update(mesh, RandomFaceSplits{{seed, 70}}, {1});
  EXPECT_GT(mesh.faces(), 20U);
  const UpdateReport report = update(mesh, RemoveThreeValent{});
  EXPECT_TRUE(report.is_complete);
  EXPECT_EQ(mesh.faces(), 4U);
}

TEST(DynamicMesh, TheNumberOfThreadsChangesNothing) {
  TriangleSoup torus = generated(Shape::torus, 30000);
  Array<double> heights(torus.positions.size());
  for (std::size_t v = 0; v < heights.size(); ++v) heights[v] = height(torus.positions[v]);
  torus.vertex_attributes = {{"height", 1, heights}};
  const auto run = [&](int threads) {
    DynamicMesh mesh(exec::Device::cpu(threads), torus);
    for (std::uint64_t seed = 0; seed < 2 * random_operations; ++seed) {
      int added = 0;
      apply_random(mesh, static_cast<int>(seed % random_operations), {seed, 40}, {3}, added);
    }
    return mesh.to_soup();
  };
  const TriangleSoup one = run(1);
  const TriangleSoup three = run(3);
  EXPECT_TRUE(one.triangles == three.triangles);
  EXPECT_TRUE(one.positions == three.positions);
  EXPECT_TRUE(one.vertex_attributes[0].values == three.vertex_attributes[0].values);
}

TEST(DynamicMesh, CutsAreFixedAndJoinedAgain) {
  const TriangleSoup pages = book(5);
  DynamicMesh mesh(test_device(), pages);
  EXPECT_GT(mesh.vertices(), pages.positions.size());
  update(mesh, RandomSplits{{1, 100}}, {3});
  const TriangleSoup after = mesh.to_soup();
  const MeshInfo info = analyze(test_device(), after);
  EXPECT_EQ(info.non_manifold_edges, 1U);
  EXPECT_GT(info.faces, 5U);
}

}  // namespace
}  // namespace tessera::surface
