// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/bvh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

using Point = Vec<long double, 3>;

Point on_segment(const Point& p, const Point& a, const Point& b) {
  const long double all = squared_length(b - a);
  const long double t = all > 0 ? std::clamp(dot(p - a, b - a) / all, 0.0L, 1.0L) : 0.0L;
  return a + (b - a) * t;
}

/// From the three sides, and the plane where its foot is inside; in long double.
Point on_triangle(const Point& p, const Point& a, const Point& b, const Point& c) {
  Point best = a;
  const auto take = [&](const Point& q) {
    if (squared_length(p - q) < squared_length(p - best)) best = q;
  };
  take(on_segment(p, a, b));
  take(on_segment(p, b, c));
  take(on_segment(p, c, a));
  const Point n = cross(b - a, c - a);
  const long double area = squared_length(n);
  if (area > 0) {
    const Point foot = p - n * (dot(p - a, n) / area);
    const bool inside = dot(cross(b - a, foot - a), n) >= 0 &&
                        dot(cross(c - b, foot - b), n) >= 0 && dot(cross(a - c, foot - c), n) >= 0;
    if (inside) take(foot);
  }
  return best;
}

double distance_to_face(const TriangleSoup& mesh, Index face, const Vec3d& point) {
  const Triangle& t = mesh.triangles[face];
  const auto corner = [&](int k) { return cast<long double>(mesh.positions[t[k]]); };
  const auto p = cast<long double>(point);
  return static_cast<double>(length(p - on_triangle(p, corner(0), corner(1), corner(2))));
}

double brute_force(const TriangleSoup& mesh, const Vec3d& point) {
  double best = std::numeric_limits<double>::infinity();
  for (Index f = 0; f < mesh.triangles.size(); ++f)
    best = std::min(best, distance_to_face(mesh, f, point));
  return best;
}

std::pair<Vec3d, Vec3d> box_of(const TriangleSoup& mesh) {
  std::pair<Vec3d, Vec3d> box{mesh.positions[mesh.triangles[0][0]],
                              mesh.positions[mesh.triangles[0][0]]};
  for (const Triangle& t : mesh.triangles)
    for (const Index v : t.v)
      for (int i = 0; i < 3; ++i) {
        box.first[i] = std::min(box.first[i], mesh.positions[v][i]);
        box.second[i] = std::max(box.second[i], mesh.positions[v][i]);
      }
  return box;
}

/// Points around a mesh, its vertices, and points of its faces and sides.
Array<Vec3d> queries_for(const TriangleSoup& mesh, std::size_t around) {
  const auto [low, high] = box_of(mesh);
  const Random random(11);
  Array<Vec3d> points;
  for (std::uint64_t i = 0; i < around; ++i) {
    Vec3d p;
    for (int k = 0; k < 3; ++k)
      p[k] = low[k] +
             (high[k] - low[k]) * (2 * random.uniform(3 * i + static_cast<std::uint64_t>(k)) - 0.5);
    points.push_back(p);
  }
  for (const Vec3d& p : mesh.positions) points.push_back(p);
  for (const Triangle& t : mesh.triangles) {
    points.push_back(0.5 * mesh.positions[t[0]] + 0.5 * mesh.positions[t[1]]);
    points.push_back((1 / 3.0) *
                     (mesh.positions[t[0]] + mesh.positions[t[1]] + mesh.positions[t[2]]));
  }
  return points;
}

/// Distances, faces and points, all right to so much of the size of the mesh.
void expect_closest(const TriangleSoup& mesh, const Array<Vec3d>& queries, double tolerance) {
  const Bvh tree(test_device(), mesh);
  const ClosestPoints found = closest_points(test_device(), tree, queries);
  const auto [low, high] = box_of(mesh);
  const double size = length(high - low);
  ASSERT_EQ(found.distances.size(), queries.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const double expected = brute_force(mesh, queries[i]);
    const double error = tolerance * (size + expected);
    ASSERT_NEAR(found.distances[i], expected, error) << i;
    ASSERT_LT(found.faces[i], mesh.triangles.size());
    ASSERT_NEAR(distance_to_face(mesh, found.faces[i], queries[i]), expected, error) << i;
    ASSERT_NEAR(length(queries[i] - found.points[i]), expected, error) << i;
    ASSERT_NEAR(distance_to_face(mesh, found.faces[i], found.points[i]), 0, error) << i;
  }
}

TEST(Bvh, AgreesWithBruteForce) {
  for (const NamedMesh& named : surface_meshes()) {
    if (named.mesh.triangles.empty()) continue;
    SCOPED_TRACE(named.name);
    expect_closest(named.mesh, queries_for(named.mesh, 200), 1e-13);
  }
}

TEST(Bvh, EveryNumberOfFaces) {
  const TriangleSoup all = generated(Shape::soup, 700);
  for (const std::size_t faces : {1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 66, 127, 511, 512, 513}) {
    SCOPED_TRACE(faces);
    TriangleSoup mesh = all;
    mesh.triangles.resize(faces);
    expect_closest(mesh, queries_for(mesh, 40), 1e-13);
  }
}

TEST(Bvh, ShapeIsConsistent) {
  using detail::BvhShape;
  for (const Index per_leaf : {2U, 4U, 8U})
    for (const Index faces :
         {1U, 2U, 9U, 64U, 65U, 511U, 512U, 513U, 4096U, 4097U, 100000U, 1431655764U}) {
      const BvhShape shape(faces, per_leaf);
      EXPECT_EQ(shape.first_triangle(0), 0U);
      EXPECT_EQ(shape.first_triangle(shape.leaves), faces);
      EXPECT_LE(7 * shape.levels + 8, BvhShape::stack_size);
      const Index most = shape.per_leaf + (shape.longer_leaves > 0 ? 1 : 0);
      EXPECT_LE(most, per_leaf);
      EXPECT_GE(shape.per_leaf, 1U);
      if (faces > 1000000) continue;
      const Index all = shape.first_leaf + shape.leaves;
      Index next = 1;
      for (Index node = 0; node < shape.first_leaf; ++node) {
        EXPECT_EQ(shape.first_child(node), next);
        const Index children = node == 0 ? shape.root_children : detail::BvhNode::width;
        for (Index c = 0; c < children; ++c) {
          EXPECT_EQ(shape.parent(next + c), node);
          EXPECT_EQ(shape.slot(next + c), c);
        }
        next += children;
      }
      EXPECT_EQ(next, all);
    }
}

TEST(Bvh, FarFromTheOrigin) {
  TriangleSoup mesh = generated(Shape::noisy_sphere, 500);
  for (Vec3d& p : mesh.positions) p = p * 1e-3 + Vec3d{1e6, -1e6, 1e6};
  // Coordinates have an ulp of 1e-10 there: the queries are as exact as that, and no worse.
  expect_closest(mesh, queries_for(mesh, 200), 1e-6);
  const Array<Vec3d> vertices = mesh.positions;
  for (const double d : closest_points(test_device(), Bvh(test_device(), mesh), vertices).distances)
    EXPECT_LT(d, 1e-18);
}

TEST(Bvh, HugeAndTinyCoordinates) {
  for (const double scale : {1e-100, 1e-30, 1e30, 1e150, 1e300}) {
    SCOPED_TRACE(scale);
    TriangleSoup mesh = generated(Shape::torus, 300);
    Array<Vec3d> queries = queries_for(mesh, 100);
    const ClosestPoints expected = closest_points(test_device(), Bvh(test_device(), mesh), queries);
    for (Vec3d& p : mesh.positions) p *= scale;
    for (Vec3d& p : queries) p *= scale;
    const ClosestPoints found = closest_points(test_device(), Bvh(test_device(), mesh), queries);
    for (std::size_t i = 0; i < queries.size(); ++i)
      EXPECT_NEAR(found.distances[i] / scale, expected.distances[i], 1e-13);
  }
  const double most = std::numeric_limits<double>::max();
  const TriangleSoup whole =
      make_mesh({{-most, -most, -most}, {most, most, most}, {most, -most, most}}, {{0, 1, 2}});
  const ClosestPoints found =
      closest_points(test_device(), Bvh(test_device(), whole), {{0, 0, 0}, {most, most, most}});
  EXPECT_EQ(found.distances[0], 0);
  EXPECT_EQ(found.distances[1], 0);
}

TEST(Bvh, PointsFarAway) {
  const TriangleSoup mesh = generated(Shape::icosphere, 500);
  const Bvh tree(test_device(), mesh);
  const Array<Vec3d> queries{{1e3, 0, 0}, {0, 1e9, 0}, {1e100, 1e100, 0}, {0, 0, -1e150}};
  const ClosestPoints found = closest_points(test_device(), tree, queries);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    ASSERT_LT(found.faces[i], mesh.triangles.size()) << i;
    const double expected = brute_force(mesh, queries[i]);
    EXPECT_NEAR(found.distances[i], expected, 1e-12 * expected) << i;
  }
}

TEST(Bvh, PointsFarFromFewFaces) {
  // The root has fewer children than a node has room for: the others must not be visited.
  const TriangleSoup all = generated(Shape::soup, 700);
  for (std::size_t faces = 1; faces <= 16; ++faces) {
    SCOPED_TRACE(faces);
    TriangleSoup mesh = all;
    mesh.triangles.resize(faces);
    expect_closest(mesh, {{1e20, 0, 0}, {-1e20, 1e19, 3}, {0, 1e30, -1e30}, {0, 0, 1e100}}, 1e-13);
    // Beyond 2^500 times the size of the mesh points are taken to be there.
    const auto [low, high] = box_of(mesh);
    const double size = length(high - low);
    const ClosestPoints found =
        closest_points(test_device(), Bvh(test_device(), mesh), {{0, -1e200, 0}});
    ASSERT_LT(found.faces[0], faces);
    EXPECT_GT(found.distances[0], 0.25 * size * 0x1p500);
    EXPECT_LT(found.distances[0], 4 * size * 0x1p500);
    EXPECT_NEAR(distance_to_face(mesh, found.faces[0], found.points[0]), 0, 1e-13 * size);
  }
}

TEST(Bvh, EveryDistance) {
  for (const Shape shape : {Shape::noisy_sphere, Shape::plane}) {
    const TriangleSoup mesh = generated(shape, 300);
    Array<Vec3d> queries;
    for (double away = 2; away < 1e18; away *= 3)
      for (const Vec3d& way : {Vec3d{1, 0, 0}, {0, -1, 0.01}, {0.3, 0.4, 0.9}, {-1, 1, -1}})
        queries.push_back(way * away);
    expect_closest(mesh, queries, 1e-13);
  }
}

TEST(Bvh, FarPointsTellBoxesApart) {
  // Eight cubes in a row. Only the first can hold what is nearest, from wherever the row is seen.
  detail::BvhNode node{};
  for (int c = 0; c < 8; ++c)
    for (int i = 0; i < 3; ++i) {
      node.min[i][c] = i == 0 ? -0.2F * static_cast<float>(c) : -0.1F;
      node.max[i][c] = node.min[i][c] + 0.1F;
    }
  for (double away = 2; away < 1e12; away *= 1.7) {
    SCOPED_TRACE(away);
    const Vec3d p{away, 0, 0};
    const detail::BoxQuery query(p);
    const double first = away - node.max[0][0];
    alignas(16) float lower[8];
    EXPECT_EQ(node.lower_bounds(query, query.bound(first * first), lower), 1U);
    for (int c = 0; c < 8; ++c)
      EXPECT_EQ(node.lower_bounds(query, query.bound(std::pow(away - node.max[0][c], 2)), lower),
                (2U << c) - 1);
    EXPECT_EQ(node.lower_bounds(query, query.bound(1e300), lower), 255U);
  }
}

TEST(Bvh, StopsWhenAsked) {
  const TriangleSoup mesh = generated(Shape::icosphere, 500);
  const Bvh tree(test_device(), mesh);
  const Array<Vec3d> queries(100000, Vec3d{2, 0, 0});
  int told = 0;
  EXPECT_THROW(closest_points(test_device(), tree, queries,
                              [&](std::string_view, double) {
                                ++told;
                                return Continue::no;
                              }),
               Cancelled);
  EXPECT_EQ(told, 1);
}

TEST(Bvh, LongThinTriangles) {
  // Needles of every width down to none, in all directions.
  TriangleSoup mesh;
  const Random random(5);
  for (std::uint64_t i = 0; i < 300; ++i) {
    const auto number = [&](std::uint64_t k) { return random.uniform(20 * i + k); };
    const Vec3d a{number(0), number(1), number(2)};
    const Vec3d b{number(3), number(4), number(5)};
    const double width = i % 20 == 0 ? 0 : std::pow(10.0, -static_cast<double>(i % 20));
    const Vec3d c =
        a + (b - a) * number(6) + Vec3d{number(7) - 0.5, number(8) - 0.5, number(9) - 0.5} * width;
    for (const Vec3d& p : {a, b, c}) mesh.positions.push_back(p);
    const auto v = static_cast<Index>(3 * i);
    mesh.triangles.push_back(i % 3 == 0   ? Triangle{v, v + 1, v + 2}
                             : i % 3 == 1 ? Triangle{v + 2, v, v + 1}
                                          : Triangle{v + 1, v + 2, v});
  }
  expect_closest(mesh, queries_for(mesh, 500), 2e-8);
}

TEST(Bvh, TiesGoToTheSmallestFace) {
  // Copies of a triangle, then of all of it once more.
  TriangleSoup mesh = make_mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {});
  for (int i = 0; i < 100; ++i) mesh.triangles.push_back({0, 1, 2});
  const Bvh tree(test_device(), mesh);
  const ClosestPoints found =
      closest_points(test_device(), tree, {{0.2, 0.2, 0}, {0.3, 0.1, 1}, {0, 0, 0}, {2, 2, 2}});
  for (const Index face : found.faces) EXPECT_EQ(face, 0U);

  TriangleSoup twice = generated(Shape::noisy_sphere, 500);
  const auto faces = static_cast<Index>(twice.triangles.size());
  const Array<Vec3d> queries = queries_for(twice, 500);
  const Array<Triangle> copy = twice.triangles;
  twice.triangles.insert(twice.triangles.end(), copy.begin(), copy.end());
  for (const Index face : closest_points(test_device(), Bvh(test_device(), twice), queries).faces)
    EXPECT_LT(face, faces);
}

TEST(Bvh, WithinADistance) {
  const TriangleSoup mesh = generated(Shape::icosphere, 500);
  const Bvh tree(exec::Device::cpu(1), mesh);
  const BvhView view = tree.view();
  const Vec3d point{2, 0.1, 0.2};
  const ClosestPoint found = view.closest(point);
  ASSERT_NE(found.face, no_index);
  EXPECT_EQ(view.closest(point, found.distance * 0.999).face, no_index);
  EXPECT_EQ(view.closest(point, found.distance * 1.001).face, found.face);
  EXPECT_EQ(view.closest(point, found.distance * 1.001).distance, found.distance);
  // From any start the same.
  for (Index place = 0; place < view.size(); ++place) {
    const ClosestPoint again = view.closest_from(point, place);
    EXPECT_EQ(again.face, found.face);
    EXPECT_EQ(again.distance, found.distance);
  }
}

TEST(Bvh, NothingToFind) {
  for (const TriangleSoup& mesh : {TriangleSoup{}, make_mesh({{1, 2, 3}}, {})}) {
    const Bvh tree(test_device(), mesh);
    EXPECT_EQ(tree.size(), 0U);
    const ClosestPoints found = closest_points(test_device(), tree, {{0, 0, 0}});
    EXPECT_EQ(found.faces[0], no_index);
    EXPECT_EQ(found.distances[0], std::numeric_limits<double>::infinity());
  }
  const Bvh tree(test_device(), tetrahedron());
  EXPECT_TRUE(closest_points(test_device(), tree, {}).faces.empty());
}

TEST(Bvh, SameOnAnyNumberOfThreads) {
  const TriangleSoup mesh = generated(Shape::noisy_sphere, 20000);
  const Array<Vec3d> queries = queries_for(mesh, 5000);
  const auto find = [&](const exec::Device& device) {
    return closest_points(device, Bvh(device, mesh), queries);
  };
  const ClosestPoints one = find(exec::Device::cpu(1));
  const ClosestPoints four = find(exec::Device::cpu(4));
  EXPECT_EQ(one.distances, four.distances);
  EXPECT_EQ(one.faces, four.faces);
  EXPECT_EQ(one.points, four.points);
}

TEST(Bvh, RefusesNonsense) {
  TriangleSoup mesh = tetrahedron();
  const Bvh tree(test_device(), mesh);
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(closest_points(test_device(), tree, {{0, 0, 0}, {0, none, 0}}), InputError);
  EXPECT_THROW(
      closest_points(test_device(), tree, {{std::numeric_limits<double>::infinity(), 0, 0}}),
      InputError);
  mesh.triangles[1][1] = 17;
  EXPECT_THROW(Bvh(test_device(), mesh), InputError);
}

}  // namespace
}  // namespace tessera::surface
