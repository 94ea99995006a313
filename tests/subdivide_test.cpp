// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/subdivide.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "tessera/surface/analysis.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

SubdivideOptions with(SubdivisionMethod method, int levels = 1) {
  SubdivideOptions options;
  options.method = method;
  options.levels = levels;
  return options;
}

struct EdgeInfo {
  Index number = 0;
  std::vector<Index> opposite;
};

/// One level, from maps and the rules as the header states them.
TriangleSoup brute_force(const TriangleSoup& mesh, SubdivisionMethod method) {
  std::map<std::pair<Index, Index>, EdgeInfo> edges;
  for (const Triangle& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) {
      const auto ends = std::minmax({t[k], t[(k + 1) % 3]});
      if (ends.first != ends.second) edges[ends].opposite.push_back(t[(k + 2) % 3]);
    }
  Index number = 0;
  for (auto& [ends, info] : edges) info.number = number++;

  const bool loop = method == SubdivisionMethod::loop;
  const auto& p = mesh.positions;
  TriangleSoup result;
  for (Index v = 0; v < p.size(); ++v) {
    std::vector<Index> neighbours;
    std::vector<Index> creases;
    for (const auto& [ends, info] : edges) {
      if (ends.first != v && ends.second != v) continue;
      const Index other = ends.first == v ? ends.second : ends.first;
      neighbours.push_back(other);
      if (info.opposite.size() != 2) creases.push_back(other);
    }
    Vec3d moved = p[v];
    const auto n = static_cast<double>(neighbours.size());
    if (loop && creases.size() == 2) {
      moved = 0.75 * p[v] + 0.125 * p[creases[0]] + 0.125 * p[creases[1]];
    } else if (loop && creases.empty() && n > 0) {
      const double beta =
          (5.0 / 8 - std::pow(3.0 / 8 + std::cos(2 * std::numbers::pi / n) / 4, 2)) / n;
      moved = (1 - n * beta) * p[v];
      for (const Index u : neighbours) moved += beta * p[u];
    }
    result.positions.push_back(moved);
  }
  for (const auto& [ends, info] : edges) {
    Vec3d q = 0.5 * (p[ends.first] + p[ends.second]);
    if (loop && info.opposite.size() == 2)
      q = 0.375 * (p[ends.first] + p[ends.second]) +
          0.125 * (p[info.opposite[0]] + p[info.opposite[1]]);
    result.positions.push_back(q);
  }
  const auto middle = [&](Index a, Index b) {
    return a == b ? a : static_cast<Index>(p.size() + edges[std::minmax({a, b})].number);
  };
  for (const Triangle& t : mesh.triangles) {
    const Index m01 = middle(t[0], t[1]);
    const Index m12 = middle(t[1], t[2]);
    const Index m20 = middle(t[2], t[0]);
    result.triangles.push_back({t[0], m01, m20});
    result.triangles.push_back({m01, t[1], m12});
    result.triangles.push_back({m20, m12, t[2]});
    result.triangles.push_back({m01, m12, m20});
  }
  return result;
}

TEST(Subdivide, AgreesWithBruteForce) {
  for (const NamedMesh& named : surface_meshes())
    for (const auto method : {SubdivisionMethod::midpoint, SubdivisionMethod::loop}) {
      SCOPED_TRACE(named.name);
      TriangleSoup expected = brute_force(named.mesh, method);
      for (const int levels : {1, 2}) {
        if (levels == 2) expected = brute_force(expected, method);
        const TriangleSoup found = subdivide(test_device(), named.mesh, with(method, levels));
        ASSERT_EQ(found.validate(), std::nullopt);
        ASSERT_EQ(found.triangles, expected.triangles);
        ASSERT_EQ(found.positions.size(), expected.positions.size());
        for (std::size_t v = 0; v < found.positions.size(); ++v)
          EXPECT_LT(length(found.positions[v] - expected.positions[v]),
                    1e-13 * (1 + length(expected.positions[v])));
      }
    }
}

TEST(Subdivide, MidpointKeepsTheSurface) {
  const TriangleSoup mesh = generated(Shape::noisy_sphere, 1000);
  const MeshInfo before = analyze(test_device(), mesh);
  const MeshInfo after =
      analyze(test_device(), subdivide(test_device(), mesh, with(SubdivisionMethod::midpoint, 3)));
  EXPECT_EQ(after.faces, 64 * before.faces);
  EXPECT_EQ(after.euler_characteristic, before.euler_characteristic);
  EXPECT_TRUE(after.consistently_oriented);
  EXPECT_NEAR(after.area, before.area, 1e-12 * before.area);
  EXPECT_NEAR(*after.volume, *before.volume, 1e-12 * *before.volume);
  EXPECT_NEAR(after.min_angle, before.min_angle, 1e-9);
}

TEST(Subdivide, LoopKeepsRegularGridInPlace) {
  // All vertices of a regular grid have six neighbours around them, or lie on a straight border:
  // only the four corners move.
  const TriangleSoup mesh = generated(Shape::plane, 128);
  const TriangleSoup smooth = subdivide(test_device(), mesh, with(SubdivisionMethod::loop));
  const TriangleSoup flat = subdivide(test_device(), mesh, with(SubdivisionMethod::midpoint));
  ASSERT_EQ(smooth.triangles, flat.triangles);
  int moved = 0;
  for (std::size_t v = 0; v < flat.positions.size(); ++v)
    if (length(smooth.positions[v] - flat.positions[v]) > 1e-14) ++moved;
  EXPECT_EQ(moved, 4);
}

TEST(Subdivide, LoopKeepsTopologyAndSmooths) {
  const TriangleSoup mesh = generated(Shape::noisy_sphere, 2000);
  const MeshInfo before = analyze(test_device(), mesh);
  const MeshInfo after =
      analyze(test_device(), subdivide(test_device(), mesh, with(SubdivisionMethod::loop, 2)));
  EXPECT_TRUE(after.closed && after.manifold && after.consistently_oriented);
  EXPECT_EQ(after.genus, 0);
  EXPECT_LT(after.area, before.area);
  EXPECT_GT(after.mean_quality, before.mean_quality);
}

TEST(Subdivide, AttributesFollow) {
  TriangleSoup mesh = tetrahedron();
  const auto coordinates = [](const TriangleSoup& soup) {
    Array<float> values;
    for (const Vec3d& p : soup.positions)
      for (int i = 0; i < 3; ++i) values.push_back(static_cast<float>(p[i]));
    return values;
  };
  mesh.vertex_attributes.push_back({"place", 3, coordinates(mesh)});
  mesh.vertex_attributes.push_back({"id", 1, Array<std::int16_t>{10, 11, 12, 13}});
  mesh.vertex_attributes.push_back({"height", 1, Array<double>{1, 2, 3, 4}});
  mesh.face_attributes.push_back({"ref", 1, Array<std::uint8_t>{5, 6, 7, 8}});
  for (const auto method : {SubdivisionMethod::midpoint, SubdivisionMethod::loop}) {
    const TriangleSoup result = subdivide(test_device(), mesh, with(method));
    ASSERT_EQ(result.validate(), std::nullopt);
    ASSERT_EQ(result.vertex_attributes.size(), 3u);
    const auto& place = std::get<Array<float>>(find(result.vertex_attributes, "place")->values);
    const Array<float> expected = coordinates(result);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(place[i], expected[i], 1e-6);
    // Edges in order: 01 02 03 12 13 23.
    EXPECT_EQ(std::get<Array<std::int16_t>>(result.vertex_attributes[1].values),
              (Array<std::int16_t>{10, 11, 12, 13, 10, 10, 10, 11, 11, 12}));
    EXPECT_EQ(std::get<Array<std::uint8_t>>(result.face_attributes[0].values),
              (Array<std::uint8_t>{5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8}));
    const auto& height = std::get<Array<double>>(result.vertex_attributes[2].values);
    EXPECT_EQ(height[4], method == SubdivisionMethod::loop ? 0.375 * 3 + 0.125 * 7 : 1.5);
  }
}

TEST(Subdivide, LevelZeroCopies) {
  TriangleSoup mesh = tetrahedron();
  mesh.precision = Precision::float32;
  const TriangleSoup copy = subdivide(test_device(), mesh, with(SubdivisionMethod::loop, 0));
  EXPECT_EQ(copy.positions, mesh.positions);
  EXPECT_EQ(copy.triangles, mesh.triangles);
  EXPECT_EQ(copy.precision, Precision::float32);
}

TEST(Subdivide, ThreadsDoNotMatter) {
  const TriangleSoup mesh = generated(Shape::noisy_sphere, 20000);
  for (const auto method : {SubdivisionMethod::midpoint, SubdivisionMethod::loop}) {
    const TriangleSoup one = subdivide(exec::Device::cpu(1), mesh, with(method, 2));
    for (const int threads : {2, 7}) {
      const TriangleSoup many = subdivide(exec::Device::cpu(threads), mesh, with(method, 2));
      EXPECT_EQ(many.positions, one.positions);
      EXPECT_EQ(many.triangles, one.triangles);
    }
  }
}

TEST(Subdivide, SaysWhatIsWrong) {
  const TriangleSoup mesh = tetrahedron();
  EXPECT_THROW(subdivide(test_device(), mesh, with(SubdivisionMethod::loop, -1)), InputError);
  EXPECT_THROW(subdivide(test_device(), mesh, with(SubdivisionMethod::loop, 15)), InputError);
  EXPECT_THROW(subdivide(test_device(), mesh, with(SubdivisionMethod::loop, 1 << 30)), InputError);
  SubdivideOptions options;
  options.progress = [](std::string_view, double) { return Continue::no; };
  EXPECT_THROW(subdivide(test_device(), mesh, options), Cancelled);
}

}  // namespace
}  // namespace tessera::surface
