// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/dynamic_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/core/random.h"
#include "tessera/surface/analysis.h"
#include "tessera/surface/operators.h"
#include "tessera/surface/update.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

/// Each operation wherever it is possible and a coin says so, which falls anew for each seed.
struct RandomChoice {
  std::uint64_t seed;
  std::uint32_t percent;
  TESSERA_KERNEL bool operator()(Index i, Wish& wish) const {
    const std::uint64_t bits = Random(seed).bits(i);
    wish.priority = static_cast<std::uint16_t>(bits);
    return (bits >> 32) % 100 < percent;
  }
};

struct RandomFlips {
  static constexpr Seed seed = Seed::edge;
  static constexpr Index new_faces = 0;
  static constexpr Index new_vertices = 0;
  RandomChoice choice;
  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index h, Wish& wish) const {
    return choice(h, wish) && can_flip(mesh, h);
  }
  TESSERA_KERNEL void take(const DynamicView& mesh, Index h, Cavity& cavity) const {
    take_flip(mesh, h, cavity);
  }
  TESSERA_KERNEL void fill(Index h, int, Filling& filling) const { fill_flip(h, filling); }
};

struct RandomSplits {
  static constexpr Seed seed = Seed::edge;
  static constexpr Index new_faces = 2;
  static constexpr Index new_vertices = 1;
  RandomChoice choice;
  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index h, Wish& wish) const {
    return choice(h, wish) && can_split(mesh, h);
  }
  TESSERA_KERNEL void take(const DynamicView&, Index h, Cavity& cavity) const {
    cavity.take_edge(h);
  }
  TESSERA_KERNEL void fill(Index h, int, Filling& filling) const {
    const DynamicView& mesh = filling.mesh();
    fill_split(h, (mesh.positions[mesh.from(h)] + mesh.positions[mesh.to(h)]) * 0.5, filling);
  }
};

struct RandomCollapses {
  static constexpr Seed seed = Seed::edge;
  static constexpr Index new_faces = 0;
  static constexpr Index new_vertices = 0;
  RandomChoice choice;
  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index h, Wish& wish) const {
    return choice(h, wish) && can_collapse(mesh, h);
  }
  TESSERA_KERNEL void take(const DynamicView& mesh, Index h, Cavity& cavity) const {
    take_collapse(mesh, h, cavity);
  }
  TESSERA_KERNEL void fill(Index h, int, Filling& filling) const {
    fill_collapse(h, filling.mesh().positions[filling.mesh().to(h)], filling);
  }
};

/// A new vertex in the middle of faces.
struct RandomFaceSplits {
  static constexpr Seed seed = Seed::face;
  static constexpr Index new_faces = 2;
  static constexpr Index new_vertices = 1;
  RandomChoice choice;
  TESSERA_KERNEL bool wants(const DynamicView&, Index f, Wish& wish) const {
    return choice(f, wish);
  }
  TESSERA_KERNEL void take(const DynamicView&, Index f, Cavity& cavity) const {
    cavity.take_face(f);
  }
  TESSERA_KERNEL void fill(Index f, int, Filling& filling) const {
    const DynamicView& mesh = filling.mesh();
    const Triangle t = mesh.triangles[f];
    const Vec3d sum = mesh.positions[t[0]] + mesh.positions[t[1]] + mesh.positions[t[2]];
    filling.add_fan(filling.add_vertex(sum * (1. / 3)));
    filling.commit([](Index, Index) { return std::uint8_t{0}; });
  }
};

/// Takes a vertex of three faces out, which leaves one.
struct RemoveThreeValent {
  static constexpr Seed seed = Seed::vertex;
  static constexpr Index new_faces = 0;
  static constexpr Index new_vertices = 0;
  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index v, Wish&) const {
    if (mesh.is_on_border(v) || mesh.is_fixed(v) || mesh.valence(v) != 3) return false;
    // Not if its neighbours have a face already.
    const Index h = mesh.vertex_edges[v];
    return mesh.valence(mesh.to(h)) > 3 && mesh.valence(mesh.opposite(h)) > 3;
  }
  TESSERA_KERNEL void take(const DynamicView&, Index v, Cavity& cavity) const {
    cavity.take_star(v);
  }
  TESSERA_KERNEL void fill(Index v, int, Filling& filling) const {
    filling.add_fan(filling.side(0).from);
    filling.remove_vertex(v);
    filling.commit([](Index, Index) { return std::uint8_t{0}; });
  }
};

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
  for (const NamedMesh& named : surface_meshes()) {
    DynamicMesh mesh(test_device(), named.mesh);
    if (mesh.faces() > 20000) continue;
    const Topology before = topology_of(mesh);
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const RandomChoice choice{seed, 30};
      UpdateOptions once;
      once.most_rounds = 4;
      const Index vertices = mesh.vertices();
      UpdateReport done;
      switch (seed % 4) {
        case 0:
          done = update(mesh, RandomFlips{choice}, once);
          break;
        case 1:
          done = update(mesh, RandomSplits{choice}, once);
          EXPECT_EQ(mesh.vertices(), vertices + done.done) << named.name;
          break;
        case 2:
          done = update(mesh, RandomCollapses{choice}, once);
          EXPECT_EQ(mesh.vertices(), vertices - done.done) << named.name;
          break;
        default:
          done = update(mesh, RandomFaceSplits{choice}, once);
          EXPECT_EQ(mesh.vertices(), vertices + done.done) << named.name;
          update(mesh, RemoveThreeValent{}, once);
          mesh.pack();
          break;
      }
      ASSERT_EQ(mesh.validate(), std::nullopt) << named.name << ", seed " << seed;
      ASSERT_TRUE(topology_of(mesh) == before) << named.name << ", seed " << seed;
    }
  }
}

/// Many patches: every kind of operation, in patches alone or with rounds for what is between them.
TEST(DynamicMesh, PatchesKeepTheTopology) {
  const bool is_on_cpu = test_device().backend() == exec::Backend::cpu;
  for (const Scheme scheme : {Scheme::patches, Scheme::automatic}) {
    DynamicMesh mesh(test_device(), generated(Shape::torus, 60000));
    const Topology before = topology_of(mesh);
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const RandomChoice choice{seed, 20};
      UpdateOptions some;
      some.most_rounds = 4;
      some.scheme = scheme;
      const Index vertices = mesh.vertices();
      UpdateReport done;
      Index expected = vertices;
      switch (seed % 4) {
        case 0:
          done = update(mesh, RandomFlips{choice}, some);
          break;
        case 1:
          done = update(mesh, RandomSplits{choice}, some);
          expected += static_cast<Index>(done.done);
          break;
        case 2:
          done = update(mesh, RandomCollapses{choice}, some);
          expected -= static_cast<Index>(done.done);
          break;
        default:
          done = update(mesh, RandomFaceSplits{choice}, some);
          expected += static_cast<Index>(done.done);
          break;
      }
      mesh.pack();
      EXPECT_GT(done.done, 1000U);
      EXPECT_EQ(done.in_patches > done.done / 4, is_on_cpu) << "seed " << seed;
      EXPECT_EQ(mesh.vertices(), expected) << "seed " << seed;
      ASSERT_EQ(mesh.validate(), std::nullopt) << "seed " << seed;
      ASSERT_TRUE(topology_of(mesh) == before) << "seed " << seed;
    }
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
  const TriangleSoup torus = generated(Shape::torus, 30000);
  const auto run = [&](int threads) {
    DynamicMesh mesh(exec::Device::cpu(threads), torus);
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const RandomChoice choice{seed, 40};
      update(mesh, RandomSplits{choice}, {3});
      update(mesh, RandomCollapses{choice}, {3});
      update(mesh, RandomFlips{choice}, {3});
    }
    return mesh.to_soup();
  };
  const TriangleSoup one = run(1);
  const TriangleSoup three = run(3);
  EXPECT_TRUE(one.triangles == three.triangles);
  EXPECT_TRUE(one.positions == three.positions);
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
