// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/analysis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

using std::numbers::pi;

/// Sets by relabelling: slow and obvious.
struct Labels {
  std::vector<std::size_t> label;
  explicit Labels(std::size_t n) : label(n) { std::iota(label.begin(), label.end(), 0); }
  void unite(std::size_t a, std::size_t b) {
    const std::size_t from = std::max(label[a], label[b]);
    const std::size_t to = std::min(label[a], label[b]);
    std::replace(label.begin(), label.end(), from, to);
  }
  std::size_t count() const { return std::set(label.begin(), label.end()).size(); }
};

/// MeshInfo from maps and sets, serially.
MeshInfo brute_force(const TriangleSoup& mesh) {
  MeshInfo info;
  const std::size_t faces = mesh.triangles.size();
  info.vertices = mesh.positions.size();
  info.faces = faces;
  const auto vertex = [&](std::size_t h) { return mesh.triangles[h / 3][static_cast<int>(h % 3)]; };
  const auto next = [](std::size_t h) { return h % 3 == 2 ? h - 2 : h + 1; };

  std::map<std::pair<Index, Index>, std::vector<std::size_t>> edges;
  for (std::size_t h = 0; h < 3 * faces; ++h) {
    const auto ends = std::minmax({vertex(h), vertex(next(h))});
    if (ends.first != ends.second) edges[ends].push_back(h);
  }
  info.edges = edges.size();
  const auto faces_at = faces_at_edges(mesh);

  Labels components(faces);
  Labels fans(3 * faces);
  Labels sides(2 * faces);
  std::set<Index> bad_vertices;
  double length_sum = 0;
  info.min_edge_length = edges.empty() ? 0 : 1e300;
  for (const auto& [ends, halves] : edges) {
    const double l = length(mesh.positions[ends.first] - mesh.positions[ends.second]);
    length_sum += l;
    info.min_edge_length = std::min(info.min_edge_length, l);
    info.max_edge_length = std::max(info.max_edge_length, l);
    for (const std::size_t h : halves)
      for (const std::size_t g : halves) {
        components.unite(h / 3, g / 3);
        for (const std::size_t c : {h, next(h)})
          for (const std::size_t d : {g, next(g)})
            if (vertex(c) == vertex(d)) fans.unite(c, d);
      }
    const std::size_t faces_here = faces_at.at(ends).size();
    if (faces_here == 1) ++info.boundary_edges;
    if (faces_here > 2) {
      ++info.non_manifold_edges;
      info.consistently_oriented = false;
      bad_vertices.insert({ends.first, ends.second});
    }
    if (halves.size() == 2) {
      const bool agree = vertex(halves[0]) != vertex(halves[1]);
      if (!agree) info.consistently_oriented = false;
      const std::size_t f = halves[0] / 3;
      const std::size_t g = halves[1] / 3;
      sides.unite(2 * f, 2 * g + (agree ? 0 : 1));
      sides.unite(2 * f + 1, 2 * g + (agree ? 1 : 0));
    }
  }
  if (!edges.empty()) info.mean_edge_length = length_sum / static_cast<double>(edges.size());
  info.components = components.count();
  for (std::size_t f = 0; f < faces; ++f)
    if (sides.label[2 * f] == sides.label[2 * f + 1]) info.orientable = false;

  std::map<Index, std::set<std::size_t>> fans_at;
  for (std::size_t h = 0; h < 3 * faces; ++h) fans_at[vertex(h)].insert(fans.label[h]);
  for (const auto& [v, labels] : fans_at)
    if (labels.size() > 1) bad_vertices.insert(v);
  info.non_manifold_vertices = bad_vertices.size();
  info.unreferenced_vertices = info.vertices - fans_at.size();
  info.manifold = bad_vertices.empty();
  info.closed = faces > 0 && info.boundary_edges == 0;
  info.euler_characteristic =
      static_cast<std::int64_t>(fans_at.size() + faces) - static_cast<std::int64_t>(edges.size());

  for (const auto& [ends, halves] : edges)
    if (faces_at.at(ends).size() == 1) fans.unite(halves[0], next(halves[0]));
  std::set<std::size_t> loops;
  for (const auto& [ends, halves] : edges)
    if (faces_at.at(ends).size() == 1) loops.insert(fans.label[halves[0]]);
  info.boundary_loops = loops.size();
  if (faces > 0 && info.manifold && info.orientable)
    info.genus = static_cast<std::int64_t>(2 * info.components) - info.euler_characteristic -
                 static_cast<std::int64_t>(info.boundary_loops);
  if (info.genus) info.genus = *info.genus / 2;

  std::set<std::array<Index, 3>> seen;
  double volume = 0;
  double quality_sum = 0;
  info.min_quality = faces > 0 ? 1 : 0;
  info.min_angle = faces > 0 ? 180 : 0;
  for (const Triangle& t : mesh.triangles) {
    std::array<Index, 3> sorted{t[0], t[1], t[2]};
    std::sort(sorted.begin(), sorted.end());
    if (!seen.insert(sorted).second) ++info.duplicate_faces;
    const Vec3d& p = mesh.positions[t[0]];
    const Vec3d& q = mesh.positions[t[1]];
    const Vec3d& r = mesh.positions[t[2]];
    const double a = length(q - p);
    const double b = length(r - q);
    const double c = length(p - r);
    const double area = 0.5 * length(cross(q - p, r - p));
    info.area += area;
    volume += dot(p, cross(q, r)) / 6;
    const bool repeated = sorted[0] == sorted[1] || sorted[1] == sorted[2];
    double quality = 0;
    if (repeated || 2 * area <= 1e-12 * std::pow(std::max({a, b, c}), 2)) {
      ++info.degenerate_faces;
    } else {
      quality = 2 * (2 * area / (a + b + c)) / (a * b * c / (4 * area));
    }
    quality_sum += quality;
    info.min_quality = std::min(info.min_quality, quality);
    for (const auto& [u, v] : {std::pair{q - p, r - p}, {r - q, p - q}, {p - r, q - r}})
      info.min_angle =
          std::min(info.min_angle, std::atan2(length(cross(u, v)), dot(u, v)) * 180 / pi);
  }
  if (faces > 0) info.mean_quality = quality_sum / static_cast<double>(faces);
  if (info.closed && info.consistently_oriented) info.volume = volume;
  for (const auto& [v, labels] : fans_at) {
    const Vec3d& p = mesh.positions[v];
    if (!info.bounding_box) info.bounding_box = Box{p, p};
    for (int i = 0; i < 3; ++i) {
      info.bounding_box->min[i] = std::min(info.bounding_box->min[i], p[i]);
      info.bounding_box->max[i] = std::max(info.bounding_box->max[i], p[i]);
    }
  }
  return info;
}

void expect_same(const MeshInfo& a, const MeshInfo& b) {
  EXPECT_EQ(a.vertices, b.vertices);
  EXPECT_EQ(a.edges, b.edges);
  EXPECT_EQ(a.faces, b.faces);
  EXPECT_EQ(a.components, b.components);
  EXPECT_EQ(a.euler_characteristic, b.euler_characteristic);
  EXPECT_EQ(a.genus, b.genus);
  EXPECT_EQ(a.boundary_edges, b.boundary_edges);
  EXPECT_EQ(a.boundary_loops, b.boundary_loops);
  EXPECT_EQ(a.non_manifold_edges, b.non_manifold_edges);
  EXPECT_EQ(a.non_manifold_vertices, b.non_manifold_vertices);
  EXPECT_EQ(a.unreferenced_vertices, b.unreferenced_vertices);
  EXPECT_EQ(a.duplicate_faces, b.duplicate_faces);
  EXPECT_EQ(a.degenerate_faces, b.degenerate_faces);
  EXPECT_EQ(a.closed, b.closed);
  EXPECT_EQ(a.manifold, b.manifold);
  EXPECT_EQ(a.orientable, b.orientable);
  EXPECT_EQ(a.consistently_oriented, b.consistently_oriented);
  EXPECT_NEAR(a.area, b.area, 1e-12 * (1 + b.area));
  ASSERT_EQ(a.volume.has_value(), b.volume.has_value());
  if (a.volume) {
    EXPECT_NEAR(*a.volume, *b.volume, 1e-12 * (1 + std::abs(*b.volume)));
  }
  ASSERT_EQ(a.bounding_box.has_value(), b.bounding_box.has_value());
  if (a.bounding_box) {
    EXPECT_EQ(a.bounding_box->min, b.bounding_box->min);
    EXPECT_EQ(a.bounding_box->max, b.bounding_box->max);
  }
  EXPECT_NEAR(a.min_edge_length, b.min_edge_length, 1e-12);
  EXPECT_NEAR(a.mean_edge_length, b.mean_edge_length, 1e-12);
  EXPECT_NEAR(a.max_edge_length, b.max_edge_length, 1e-12);
  EXPECT_NEAR(a.min_quality, b.min_quality, 1e-9);
  EXPECT_NEAR(a.mean_quality, b.mean_quality, 1e-9);
  EXPECT_NEAR(a.min_angle, b.min_angle, 1e-9);
}

TEST(Analysis, AgreesWithBruteForce) {
  for (const NamedMesh& named : surface_meshes()) {
    SCOPED_TRACE(named.name);
    ASSERT_EQ(named.mesh.validate(), std::nullopt);
    expect_same(analyze(test_device(), named.mesh), brute_force(named.mesh));
  }
}

TEST(Analysis, KnownTopology) {
  const auto info_of = [](const TriangleSoup& mesh) { return analyze(test_device(), mesh); };
  const MeshInfo solid = info_of(tetrahedron());
  EXPECT_EQ(solid.genus, 0);
  EXPECT_TRUE(solid.closed && solid.manifold && solid.consistently_oriented);
  EXPECT_NEAR(*solid.volume, 1.0 / 6, 1e-15);

  const MeshInfo torus = info_of(generated(Shape::torus, 5000));
  EXPECT_EQ(torus.euler_characteristic, 0);
  EXPECT_EQ(torus.genus, 1);

  const MeshInfo strip = info_of(moebius_strip());
  EXPECT_EQ(strip.euler_characteristic, 0);
  EXPECT_EQ(strip.boundary_loops, 1u);
  EXPECT_TRUE(strip.manifold);
  EXPECT_FALSE(strip.orientable);
  EXPECT_EQ(strip.genus, std::nullopt);

  const MeshInfo bottle = info_of(klein_bottle());
  EXPECT_EQ(bottle.euler_characteristic, 0);
  EXPECT_TRUE(bottle.closed && bottle.manifold);
  EXPECT_FALSE(bottle.orientable);
  EXPECT_EQ(bottle.volume, std::nullopt);

  const MeshInfo pages = info_of(book(3));
  EXPECT_EQ(pages.non_manifold_edges, 1u);
  EXPECT_EQ(pages.non_manifold_vertices, 2u);
  EXPECT_EQ(pages.components, 1u);
}

TEST(Analysis, FaceWithARepeatedVertexIsNotClosed) {
  const MeshInfo alone = analyze(test_device(), make_mesh({{0, 0, 0}, {1, 0, 0}}, {{0, 0, 1}}));
  EXPECT_EQ(alone.boundary_edges, 1u);
  EXPECT_EQ(alone.boundary_loops, 1u);
  EXPECT_FALSE(alone.closed);
  EXPECT_EQ(alone.volume, std::nullopt);
  // On a side of a solid it is the third face there.
  TriangleSoup solid = tetrahedron();
  solid.triangles.push_back({0, 0, 1});
  EXPECT_EQ(analyze(test_device(), solid).non_manifold_edges, 1u);
  // On a side of a triangle it is the second one: no boundary there, and nothing disagrees.
  const MeshInfo two =
      analyze(test_device(), make_mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 0, 1}}));
  EXPECT_EQ(two.boundary_edges, 2u);
  EXPECT_EQ(two.non_manifold_edges, 0u);
  EXPECT_TRUE(two.consistently_oriented && two.orientable);
}

TEST(Analysis, SphereAndTorusConverge) {
  const MeshInfo sphere = analyze(test_device(), generated(Shape::icosphere, 20000));
  EXPECT_NEAR(sphere.area, 4 * pi, 4 * pi * 1e-3);
  EXPECT_NEAR(*sphere.volume, 4 * pi / 3, 4 * pi / 3 * 1e-3);
  EXPECT_LT(sphere.area, 4 * pi);
  EXPECT_LT(*sphere.volume, 4 * pi / 3);
  const MeshInfo torus = analyze(test_device(), generated(Shape::torus, 40000));
  EXPECT_NEAR(torus.area, 4 * pi * pi * 0.4, 2e-2);
  EXPECT_NEAR(*torus.volume, 2 * pi * pi * 0.16, 1e-2);
}

TEST(Analysis, FarFromTheOrigin) {
  TriangleSoup mesh = generated(Shape::icosphere, 2000);
  const double volume = *analyze(test_device(), mesh).volume;
  for (Vec3d& p : mesh.positions) p += {4e6, 5e6, 3e2};
  EXPECT_NEAR(*analyze(test_device(), mesh).volume, volume, 1e-7);
}

TEST(Analysis, ThreadsDoNotMatter) {
  const std::vector<TriangleSoup> meshes{generated(Shape::noisy_sphere, 60000),
                                         generated(Shape::soup, 60000)};
  for (const TriangleSoup& mesh : meshes) {
    const MeshInfo one = analyze(exec::Device::cpu(1), mesh);
    for (const int threads : {2, 7}) {
      const MeshInfo many = analyze(exec::Device::cpu(threads), mesh);
      expect_same(many, one);
      EXPECT_EQ(many.area, one.area);
      EXPECT_EQ(many.volume, one.volume);
      EXPECT_EQ(many.mean_edge_length, one.mean_edge_length);
      EXPECT_EQ(many.mean_quality, one.mean_quality);
      EXPECT_EQ(many.min_angle, one.min_angle);
    }
  }
}

TEST(Analysis, RejectsInvalidMesh) {
  TriangleSoup mesh = tetrahedron();
  mesh.triangles[1][2] = 4;
  EXPECT_THROW(analyze(test_device(), mesh), InputError);
}

TEST(Analysis, CanBeCancelled) {
  AnalyzeOptions options;
  options.progress = [](std::string_view, double) { return Continue::no; };
  EXPECT_THROW(analyze(test_device(), tetrahedron(), options), Cancelled);
}

}  // namespace
}  // namespace tessera::surface
