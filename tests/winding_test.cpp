// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/winding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/core/box.h"
#include "tessera/core/error.h"
#include "tessera/exec/input.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

using Point = Vec<long double, 3>;

/// The sum of the solid angles of all triangles, from the classical formula in long double.
double brute_force(const TriangleSoup& mesh, const Vec3d& point) {
  long double sum = 0;
  for (const Triangle& t : mesh.triangles) {
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
    const auto corner = [&](int k) {
      return cast<long double>(mesh.positions[t[k]]) - cast<long double>(point);
    };
    const Point a = corner(0);
    const Point b = corner(1);
    const Point c = corner(2);
    sum += 2 * std::atan2(dot(a, cross(b, c)), length(a) * length(b) * length(c) +
                                                   dot(a, b) * length(c) + dot(b, c) * length(a) +
                                                   dot(c, a) * length(b));
  }
  return static_cast<double>(sum / (4 * std::numbers::pi_v<long double>));
}

Box box_of(const TriangleSoup& mesh) {
  Box box;
  for (const Triangle& t : mesh.triangles)
    for (const Index v : t.v) box.add(mesh.positions[v]);
  return box;
}

/// Points in the box of a mesh and around it, and near its vertices.
Array<Vec3d> points_around(const TriangleSoup& mesh, std::size_t count) {
  const Box box = box_of(mesh);
  const double size = length(box.max - box.min);
  const Random random(3);
  Array<Vec3d> points;
  for (std::uint64_t i = 0; i < count; ++i) {
    Vec3d p = box.min;
    Vec3d q = mesh.positions[mesh.triangles[i % mesh.triangles.size()][0]];
    for (int k = 0; k < 3; ++k) {
      const double share = random.uniform(3 * i + static_cast<std::uint64_t>(k));
      p[k] += (box.max[k] - box.min[k] + 0.4 * size) * share - 0.2 * size;
      q[k] += size * 0.05 * (share - 0.5);
    }
    points.push_back(p);
    points.push_back(q);
  }
  return points;
}

/// Numbers as the twin has them, and the same points inside. Where the number is about 0.5, which
/// for closed surfaces is nowhere but on them, either answer is right.
void expect_winding(const TriangleSoup& mesh, const Array<Vec3d>& points, double tolerance = 0.02) {
  const WindingTree tree(test_device(), mesh);
  const Array<float> numbers = winding_numbers(test_device(), tree, points);
  const Array<std::uint8_t> inside = are_inside(test_device(), tree, points);
  ASSERT_EQ(numbers.size(), points.size());
  ASSERT_EQ(inside.size(), points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double expected = brute_force(mesh, points[i]);
    ASSERT_NEAR(numbers[i], expected, tolerance) << i;
    if (std::abs(expected - 0.5) > tolerance) {
      ASSERT_EQ(inside[i], expected > 0.5 ? 1 : 0) << i;
    }
  }
}

TriangleSoup moved(TriangleSoup mesh, double scale, const Vec3d& shift) {
  for (Vec3d& p : mesh.positions) p = p * scale + shift;
  return mesh;
}

TriangleSoup both(TriangleSoup a, const TriangleSoup& b) {
  append(a, b);
  return a;
}

TriangleSoup turned(TriangleSoup mesh) {
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

TriangleSoup hemisphere(std::uint64_t faces) {
  TriangleSoup mesh = generated(Shape::icosphere, faces);
  std::erase_if(mesh.triangles, [&](const Triangle& t) {
    return mesh.positions[t[0]][2] + mesh.positions[t[1]][2] + mesh.positions[t[2]][2] < 0;
  });
  return mesh;
}

TEST(Winding, AgreesWithBruteForce) {
  for (const NamedMesh& named : surface_meshes()) {
    if (named.mesh.triangles.empty()) continue;
    SCOPED_TRACE(named.name);
    expect_winding(named.mesh, points_around(named.mesh, 300));
  }
}

TEST(Winding, EveryNumberOfFaces) {
  const TriangleSoup all = generated(Shape::icosphere, 700);
  for (const std::size_t faces : {1, 2, 3, 15, 16, 17, 18, 127, 128, 129, 130, 511, 512, 513}) {
    SCOPED_TRACE(faces);
    TriangleSoup mesh = all;
    mesh.triangles.resize(faces);
    expect_winding(mesh, points_around(mesh, 100));
  }
}

TEST(Winding, SpheresAndTori) {
  const TriangleSoup sphere = generated(Shape::icosphere, 5000);
  const TriangleSoup torus = generated(Shape::torus, 4000);
  const std::vector<NamedMesh> meshes{
      {"sphere", sphere},
      {"torus", torus},
      {"hemisphere", hemisphere(5000)},
      {"nested", both(sphere, moved(sphere, 0.5, {0.1, 0, 0}))},
      {"hollow", both(sphere, turned(moved(sphere, 0.5, {0.1, 0, 0})))},
      {"overlapping", both(sphere, moved(sphere, 0.8, {0.9, 0.2, 0.1}))},
      {"far apart", both(sphere, moved(sphere, 0.8, {100, 0, 0}))},
      {"turned", turned(torus)},
  };
  for (const auto& [name, mesh] : meshes) {
    SCOPED_TRACE(name);
    expect_winding(mesh, points_around(mesh, 80));
  }
}

TEST(Winding, KnownNumbers) {
  const TriangleSoup sphere = generated(Shape::icosphere, 5000);
  const TriangleSoup nested = both(sphere, moved(sphere, 0.5, {}));
  const TriangleSoup hollow = both(sphere, turned(moved(sphere, 0.5, {})));
  const TriangleSoup half = hemisphere(5000);
  const auto number = [](const TriangleSoup& mesh, const Vec3d& p) {
    return winding_numbers(test_device(), WindingTree(test_device(), mesh), {p})[0];
  };
  EXPECT_NEAR(number(sphere, {0.1, 0.2, 0.3}), 1, 0.005);
  EXPECT_NEAR(number(sphere, {0.1, 1.2, 0.3}), 0, 0.005);
  EXPECT_NEAR(number(turned(sphere), {0.1, 0.2, 0.3}), -1, 0.005);
  EXPECT_NEAR(number(nested, {0.1, 0.2, 0.3}), 2, 0.01);
  EXPECT_NEAR(number(nested, {0.7, 0, 0}), 1, 0.01);
  EXPECT_NEAR(number(hollow, {0.1, 0.2, 0.3}), 0, 0.01);
  EXPECT_NEAR(number(hollow, {0.7, 0, 0}), 1, 0.01);
  EXPECT_NEAR(number(half, {0, 0, 0}), 0.5, 0.02);
  EXPECT_GT(number(half, {0, 0, 0.5}), 0.7);
  EXPECT_LT(number(half, {0, 0, -0.5}), 0.3);
}

TEST(Winding, ErrorsShrinkWithBeta) {
  const TriangleSoup mesh = generated(Shape::noisy_sphere, 5000);
  const Array<Vec3d> points = points_around(mesh, 100);
  const WindingTree tree(test_device(), mesh);
  std::vector<double> expected;
  for (const Vec3d& p : points) expected.push_back(brute_force(mesh, p));
  double last = 0.02;
  for (const float beta : {2.0F, 4.0F, 8.0F, 1e6F}) {
    const Array<float> numbers = winding_numbers(test_device(), tree, points, {beta, {}});
    double worst = 0;
    for (std::size_t i = 0; i < points.size(); ++i)
      worst = std::max(worst, std::abs(numbers[i] - expected[i]));
    EXPECT_LT(worst, last) << beta;
    last = beta < 8 ? worst / 3 : 1e-6;
  }
}

TEST(Winding, OnTheSurface) {
  // Where the number jumps there is no right one, but all are finite.
  for (const NamedMesh& named : surface_meshes()) {
    SCOPED_TRACE(named.name);
    const TriangleSoup& mesh = named.mesh;
    Array<Vec3d> points = mesh.positions;
    for (const Triangle& t : mesh.triangles) {
      points.push_back(0.5 * mesh.positions[t[0]] + 0.5 * mesh.positions[t[1]]);
      points.push_back((1 / 3.0) *
                       (mesh.positions[t[0]] + mesh.positions[t[1]] + mesh.positions[t[2]]));
    }
    const WindingTree tree(test_device(), mesh);
    for (const float number : winding_numbers(test_device(), tree, points)) {
      EXPECT_TRUE(std::isfinite(number));
      EXPECT_LE(std::abs(number), 0.5 * static_cast<double>(mesh.triangles.size()) + 0.02);
    }
  }
  const WindingTree tree(test_device(), generated(Shape::icosphere, 500));
  for (const float number :
       winding_numbers(test_device(), tree, generated(Shape::icosphere, 500).positions)) {
    // The faces at the vertex count for nothing, and the others are a little less than half.
    EXPECT_GT(number, 0.4);
    EXPECT_LT(number, 0.5);
  }
}

TEST(Winding, AnyPlaceAndSize) {
  const TriangleSoup torus = generated(Shape::torus, 2000);
  const Array<Vec3d> points = points_around(torus, 200);
  const Array<float> expected =
      winding_numbers(test_device(), WindingTree(test_device(), torus), points);
  const auto expect_same = [&](double scale, const Vec3d& shift, double tolerance) {
    SCOPED_TRACE(scale);
    Array<Vec3d> there = points;
    for (Vec3d& p : there) p = p * scale + shift;
    const WindingTree tree(test_device(), moved(torus, scale, shift));
    const Array<float> numbers = winding_numbers(test_device(), tree, there);
    for (std::size_t i = 0; i < points.size(); ++i)
      EXPECT_NEAR(numbers[i], expected[i], tolerance) << i;
  };
  // Powers of two, with which the tree is the same; with others its errors are different ones.
  for (const int exponent : {-330, -100, -10, 100, 500, 990})
    expect_same(std::ldexp(1.0, exponent), {}, 1e-6);
  expect_same(1e-77, {}, 0.01);
  // An ulp of 1e-10 there, of a mesh of 1e-3.
  expect_same(1e-3, {1e6, -1e6, 1e6}, 0.01);
  expect_same(1, {1e9, 1e9, -1e9}, 0.01);
}

TEST(Winding, SmallPartsOfALargeWhole) {
  // With a stray triangle the sphere is a tiny part of the box.
  for (const double away : {1e3, 1e6, 1e9}) {
    SCOPED_TRACE(away);
    const TriangleSoup sphere = generated(Shape::icosphere, 3000);
    const Array<Vec3d> points = points_around(sphere, 60);
    TriangleSoup mesh = sphere;
    append(mesh, make_mesh({{away, 0, 0}, {away, 1, 0}, {away, 0, 1}}, {{0, 1, 2}}));
    expect_winding(mesh, points);
  }
}

TEST(Winding, PointsFarAway) {
  const WindingTree tree(test_device(), generated(Shape::icosphere, 500));
  const double most = std::numeric_limits<double>::max();
  for (const float number : winding_numbers(
           test_device(), tree,
           {{1e3, 0, 0}, {0, 1e8, 0}, {0, 0, -1e20}, {1e200, -1e200, 0}, {most, most, -most}}))
    EXPECT_NEAR(number, 0, 1e-5);
}

TEST(Winding, NothingToWind) {
  for (const TriangleSoup& mesh : {TriangleSoup{}, make_mesh({{1, 2, 3}}, {})}) {
    const WindingTree tree(test_device(), mesh);
    EXPECT_EQ(winding_numbers(test_device(), tree, {{0, 0, 0}, {1, 2, 3}}), (Array<float>{0, 0}));
    EXPECT_EQ(are_inside(test_device(), tree, {{0, 0, 0}}), (Array<std::uint8_t>{0}));
  }
  const WindingTree tree(test_device(), tetrahedron());
  EXPECT_TRUE(winding_numbers(test_device(), tree, Array<Vec3d>{}).empty());
}

TEST(Winding, SameOnAnyNumberOfThreads) {
  const TriangleSoup mesh = generated(Shape::noisy_sphere, 20000);
  const Array<Vec3d> points = points_around(mesh, 3000);
  const auto find = [&](const exec::Device& device) {
    return winding_numbers(device, WindingTree(device, mesh), points);
  };
  EXPECT_EQ(find(exec::Device::cpu(1)), find(exec::Device::cpu(4)));
}

TEST(Winding, RefusesNonsense) {
  TriangleSoup mesh = tetrahedron();
  const WindingTree tree(test_device(), mesh);
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(winding_numbers(test_device(), tree, {{0, 0, 0}, {0, none, 0}}), InputError);
  EXPECT_THROW(are_inside(test_device(), tree, {{Box::infinity, 0, 0}}), InputError);
  EXPECT_THROW(winding_numbers(test_device(), tree, {{0, 0, 0}}, {0.5F, {}}), InputError);
  mesh.triangles[1][1] = 17;
  EXPECT_THROW(WindingTree(test_device(), mesh), InputError);
  const WindingTree sphere(test_device(), generated(Shape::icosphere, 500));
  const WindingOptions stop{2, [](std::string_view, double) { return Continue::no; }};
  EXPECT_THROW(winding_numbers(test_device(), sphere, Array<Vec3d>(100000, Vec3d{}), stop),
               Cancelled);
}

TEST(Bvh, DistancesWithinAReach) {
  const TriangleSoup mesh = generated(Shape::noisy_sphere, 2000);
  const Array<Vec3d> points = points_around(mesh, 500);
  const Bvh tree(test_device(), mesh);
  const ClosestPoints closest = closest_points(test_device(), tree, points);
  Array<float> reach(points.size());
  const Random random(9);
  for (std::size_t i = 0; i < reach.size(); ++i)
    reach[i] = static_cast<float>(closest.distances[i] * (0.5 + random.uniform(i)));
  const exec::Input<Vec3d> where(test_device(), points);
  const exec::Input<float> reaches(test_device(), reach);
  const Array<double> found = exec::download(
      test_device(), distances_within(test_device(), tree, where.view(), reaches.view()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (closest.distances[i] <= reach[i])
      EXPECT_EQ(found[i], closest.distances[i]);
    else
      EXPECT_EQ(found[i], Box::infinity);
  }
  EXPECT_THROW(distances_within(test_device(), tree, where.view(), reaches.view().subview(0, 3)),
               std::invalid_argument);
}

}  // namespace
}  // namespace tessera::surface
