// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/polygons.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "io_support.h"

namespace tessera::io::detail {
namespace {

const ProgressCallback silent;

/// What errors speak of.
Source test_source() {
  return {{}, "polygons", silent};
}

/// One face over all positions, in their order.
ReadResult triangulate_one(const std::vector<Vec3d>& positions) {
  ReadResult result;
  PolygonSoup polygons;
  result.mesh.positions.assign(positions.begin(), positions.end());
  for (Index i = 0; i < positions.size(); ++i) polygons.corners.push_back(i);
  polygons.starts = {0, positions.size()};
  triangulate(test_source(), polygons, result);
  return result;
}

Vec3d area_vector(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  return 0.5 * cross(b - a, c - a);
}

Vec3d area_vector(const std::vector<Vec3d>& polygon) {
  Vec3d sum{};
  for (std::size_t i = 2; i < polygon.size(); ++i)
    sum += area_vector(polygon[0], polygon[i - 1], polygon[i]);
  return sum;
}

/// A triangulation of a simple polygon has no triangle that is turned over, and its areas add up:
/// then nothing overlaps. Every edge of the outline is there once, every other one twice.
void expect_triangulation(const std::vector<Vec3d>& polygon) {
  const ReadResult result = triangulate_one(polygon);
  ASSERT_EQ(result.mesh.triangles.size(), polygon.size() - 2);
  EXPECT_EQ(result.polygons, 1U);
  const Vec3d total = area_vector(polygon);
  const Vec3d normal = total * (1 / length(total));
  double sum = 0;
  std::vector<std::pair<Index, Index>> edges;
  for (const Triangle& t : result.mesh.triangles) {
    const double area = dot(area_vector(polygon[t[0]], polygon[t[1]], polygon[t[2]]), normal);
    EXPECT_GE(area, -1e-12 * length(total)) << t[0] << ' ' << t[1] << ' ' << t[2];
    sum += area;
    for (int i = 0; i < 3; ++i) edges.emplace_back(t[i], t[(i + 1) % 3]);
  }
  EXPECT_NEAR(sum, length(total), 1e-9 * length(total));
  const auto n = static_cast<Index>(polygon.size());
  for (const auto& [a, b] : edges) {
    const bool outline = b == (a + 1) % n;
    EXPECT_EQ(std::count(edges.begin(), edges.end(), std::pair(b, a)), outline ? 0 : 1);
  }
}

/// Rotated into space, so that no axis is special.
Vec3d tilt(double x, double y) {
  return Vec3d{0.6, 0.8, 0} * x + Vec3d{-0.48, 0.36, 0.8} * y + Vec3d{10, -20, 30};
}

TEST(Polygons, CutsConcaveQuadsInside) {
  std::vector<Vec3d> arrow{tilt(0, 0), tilt(4, -1), tilt(1, 0), tilt(4, 1)};
  for (int turn = 0; turn < 4; ++turn) {
    std::rotate(arrow.begin(), arrow.begin() + 1, arrow.end());
    expect_triangulation(arrow);
    expect_triangulation({arrow.rbegin(), arrow.rend()});
  }
}

TEST(Polygons, CutsConvexQuadsAlongTheBetterDiagonal) {
  const ReadResult result = triangulate_one({tilt(0, 0), tilt(5, -1), tilt(10, 0), tilt(5, 1)});
  ASSERT_EQ(result.mesh.triangles.size(), 2U);
  EXPECT_EQ(result.mesh.triangles[0], (Triangle{0, 1, 3}));
  EXPECT_EQ(result.mesh.triangles[1], (Triangle{1, 2, 3}));
}

TEST(Polygons, CutsStarsAndSpirals) {
  for (const int spikes : {3, 5, 40, 500}) {
    std::vector<Vec3d> star;
    for (int i = 0; i < 2 * spikes; ++i) {
      const double angle = std::numbers::pi * i / spikes;
      const double radius = i % 2 == 0 ? 1 : 0.3;
      star.push_back(tilt(radius * std::cos(angle), radius * std::sin(angle)));
    }
    expect_triangulation(star);
    expect_triangulation({star.rbegin(), star.rend()});
  }
  std::vector<Vec3d> spiral;
  for (int i = 0; i < 400; ++i)
    spiral.push_back(tilt((1 + 0.02 * i) * std::cos(0.1 * i), (1 + 0.02 * i) * std::sin(0.1 * i)));
  for (int i = 399; i >= 0; --i)
    spiral.push_back(
        tilt((1.5 + 0.02 * i) * std::cos(0.1 * i), (1.5 + 0.02 * i) * std::sin(0.1 * i)));
  expect_triangulation(spiral);
}

TEST(Polygons, CutsRandomStarShapedPolygons) {
  const Random random(3);
  std::uint64_t draw = 0;
  for (int round = 0; round < 200; ++round) {
    const auto n = 5 + static_cast<int>(random.below(draw++, 60));
    std::vector<Vec3d> polygon;
    for (int i = 0; i < n; ++i) {
      const double angle = 2 * std::numbers::pi * i / n;
      const double radius = 0.05 + random.uniform(draw++);
      polygon.push_back(tilt(radius * std::cos(angle), radius * std::sin(angle)));
    }
    expect_triangulation(polygon);
  }
}

TEST(Polygons, CutsCornersInARow) {
  std::vector<Vec3d> square;
  for (int i = 0; i < 10; ++i) square.push_back(tilt(i, 0));
  for (int i = 0; i < 10; ++i) square.push_back(tilt(10, i));
  for (int i = 0; i < 10; ++i) square.push_back(tilt(10 - i, 10));
  for (int i = 0; i < 10; ++i) square.push_back(tilt(0, 10 - i));
  expect_triangulation(square);
}

TEST(Polygons, GivesTheSameNumberOfTrianglesForBadPolygons) {
  const Random random(5);
  for (const std::size_t n : {5U, 6U, 50U, 3000U}) {
    std::vector<Vec3d> tangle;
    for (std::size_t i = 0; i < n; ++i)
      tangle.push_back(
          {random.uniform(3 * i), random.uniform(3 * i + 1), random.uniform(3 * i + 2)});
    EXPECT_EQ(triangulate_one(tangle).mesh.triangles.size(), n - 2);
    const std::vector<Vec3d> point(n, Vec3d{1, 2, 3});
    EXPECT_EQ(triangulate_one(point).mesh.triangles.size(), n - 2);
    for (std::size_t i = 0; i < n; ++i) tangle[i] = {static_cast<double>(i), 0, 0};
    EXPECT_EQ(triangulate_one(tangle).mesh.triangles.size(), n - 2);
    for (std::size_t i = 0; i < n; ++i) tangle[i] = random.uniform(i) * Vec3d{1e300, 1e300, 0};
    EXPECT_EQ(triangulate_one(tangle).mesh.triangles.size(), n - 2);
  }
}

/// 3 * 4^depth corners.
std::vector<Vec3d> snowflake(int depth) {
  std::vector<Vec3d> corners{{0, 0, 0}, {1, 0, 0}, {0.5, std::sqrt(0.75), 0}};
  for (int i = 0; i < depth; ++i) {
    std::vector<Vec3d> finer;
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const Vec3d a = corners[k];
      const Vec3d third = (corners[(k + 1) % corners.size()] - a) * (1.0 / 3);
      const Vec3d out{0.5 * third[0] + std::sqrt(0.75) * third[1],
                      0.5 * third[1] - std::sqrt(0.75) * third[0], 0};
      finer.insert(finer.end(), {a, a + third, a + third + out, a + 2.0 * third});
    }
    corners = std::move(finer);
  }
  return corners;
}

double sum_of_areas(const std::vector<Vec3d>& polygon, const ReadResult& result) {
  double sum = 0;
  for (const Triangle& t : result.mesh.triangles)
    sum += length(area_vector(polygon[t[0]], polygon[t[1]], polygon[t[2]]));
  return sum;
}

TEST(Polygons, CutsASnowflakeOfManyCorners) {
  expect_triangulation(snowflake(4));
  const std::vector<Vec3d> large = snowflake(9);
  const ReadResult result = triangulate_one(large);
  EXPECT_EQ(result.mesh.triangles.size(), large.size() - 2);
  EXPECT_NEAR(sum_of_areas(large, result), length(area_vector(large)), 1e-9);
}

/// The time of ear clipping as it is usually written grows with the square of the corners: hours.
/// These are what the grid of reflex corners helps least with; their triangles may overlap.
TEST(Polygons, HugePolygonsOfSpikesTakeSeconds) {
  constexpr int n = 1'000'000;
  const Random random(9);
  std::vector<Vec3d> comb;
  std::vector<Vec3d> hedgehog;
  for (int i = 0; i < n; ++i) {
    comb.push_back({static_cast<double>(i), i % 2 == 0 ? 0.0 : 1e6, 0});
    const double angle = 2 * std::numbers::pi * i / n;
    const double radius = 1 + 0.5 * random.uniform(static_cast<std::uint64_t>(i));
    hedgehog.push_back({radius * std::cos(angle), radius * std::sin(angle), 0});
  }
  comb.push_back({n, -1, 0});
  comb.push_back({0, -1, 0});
  const auto start = std::chrono::steady_clock::now();
  for (const std::vector<Vec3d>& polygon : {comb, hedgehog})
    EXPECT_EQ(triangulate_one(polygon).mesh.triangles.size(), polygon.size() - 2);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(120));
}

TEST(Polygons, SpreadsAttributesAndKeepsSmallFaces) {
  ReadResult result;
  for (int i = 0; i < 5; ++i)
    result.mesh.positions.push_back({std::cos(1.2 * i), std::sin(1.2 * i), 0});
  PolygonSoup polygons;
  polygons.corners = {4, 0, 1, 0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3, 4};
  polygons.starts = {0, 1, 3, 6, 10, 15};
  result.mesh.face_attributes.push_back({"ref", 1, Array<std::int32_t>{10, 11, 12, 13, 14}});
  triangulate(test_source(), polygons, result);
  ASSERT_EQ(result.mesh.triangles.size(), 8U);
  EXPECT_EQ(result.mesh.triangles[0], (Triangle{4, 4, 4}));
  EXPECT_EQ(result.mesh.triangles[1], (Triangle{0, 1, 1}));
  EXPECT_EQ(result.mesh.triangles[2], (Triangle{0, 1, 2}));
  EXPECT_EQ(result.polygons, 2U);
  EXPECT_EQ(std::get<Array<std::int32_t>>(result.mesh.face_attributes[0].values),
            (Array<std::int32_t>{10, 11, 12, 13, 13, 14, 14, 14}));
}

TEST(Polygons, ManyFacesInOrder) {
  ReadResult result;
  PolygonSoup polygons;
  const Random random(11);
  polygons.starts.push_back(0);
  std::vector<Index> first_corners;
  for (std::uint64_t face = 0; face < 50000; ++face) {
    const std::uint32_t n = 3 + random.below(face, 5);
    for (std::uint32_t i = 0; i < n; ++i) {
      const double angle = 2 * std::numbers::pi * i / n;
      polygons.corners.push_back(static_cast<Index>(result.mesh.positions.size()));
      result.mesh.positions.push_back({std::cos(angle), std::sin(angle), 0});
      if (i >= 2) first_corners.push_back(static_cast<Index>(polygons.starts.back()));
    }
    polygons.starts.push_back(polygons.corners.size());
  }
  triangulate(test_source(), polygons, result);
  ASSERT_EQ(result.mesh.triangles.size(), first_corners.size());
  for (std::size_t i = 0; i < first_corners.size(); ++i)
    for (const Index corner : result.mesh.triangles[i].v) {
      EXPECT_GE(corner, first_corners[i]);
      EXPECT_LT(corner, first_corners[i] + 7);
    }
}

}  // namespace
}  // namespace tessera::io::detail
