// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/remesh/ideal_surface.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "tessera/exec/for_each.h"
#include "tessera/surface/subdivide.h"
#include "test_device.h"

namespace tessera::remesh {
namespace {

using surface::Shape;

/// Four points inside each face of the surface's mesh, which they are above.
struct Sample {
  IdealSurfaceView surface;
  exec::View<SurfacePoint> points;
  TESSERA_KERNEL void operator()(Index f) const {
    const CurvedTriangle triangle = surface.triangle(f);
    const Vec3d parts[4] = {
        {0.5, 0.5, 0}, {1. / 3, 1. / 3, 1. / 3}, {0.7, 0.1, 0.2}, {0, 0.2, 0.8}};
    for (Index k = 0; k < 4; ++k) points[4 * f + k] = triangle.at(parts[k]);
  }
};

Array<SurfacePoint> sampled(const IdealSurface& surface) {
  const exec::Stream stream(test_device());
  const IdealSurfaceView view = surface.view();
  const auto faces = static_cast<Index>(view.corner_normals.size() / 3);
  exec::Buffer<SurfacePoint> points(stream, std::size_t{4} * faces);
  exec::for_each(stream, faces, Sample{view, points.view()});
  return exec::download(stream, points);
}

struct Find {
  IdealSurfaceView surface;
  exec::View<const Vec3d> points;
  exec::View<PlacedPoint> found;
  TESSERA_KERNEL void operator()(Index i) const { found[i] = surface.closest(points[i]); }
};

Array<PlacedPoint> closest(const IdealSurface& surface, const Array<Vec3d>& points) {
  const exec::Stream stream(test_device());
  const exec::Buffer<Vec3d> from = exec::upload(stream, points);
  exec::Buffer<PlacedPoint> found(stream, points.size());
  exec::for_each(stream, static_cast<Index>(points.size()),
                 Find{surface.view(), from.const_view(), found.view()});
  return exec::download(stream, found);
}

double sphere_error(std::uint64_t faces) {
  double worst = 0;
  const IdealSurface surface(test_device(), generated(Shape::icosphere, faces));
  for (const SurfacePoint& p : sampled(surface))
    worst = std::max(worst, std::abs(length(p.position) - 1));
  return worst;
}

double torus_error(std::uint64_t faces) {
  double worst = 0;
  const IdealSurface surface(test_device(), generated(Shape::torus, faces));
  for (const SurfacePoint& p : sampled(surface)) {
    const double around = std::hypot(p.position[0], p.position[1]) - 1;
    worst = std::max(worst, std::abs(std::hypot(around, p.position[2]) - 0.4));
  }
  return worst;
}

TEST(IdealSurface, ErrorsFallAtThirdOrderAtLeast) {
  EXPECT_LT(sphere_error(20000), sphere_error(5000) / 7.5);
  EXPECT_LT(sphere_error(20000), 2e-6);
  EXPECT_LT(torus_error(40000), torus_error(10000) / 7.5);
}

TEST(IdealSurface, IsFlatWhereTheMeshIs) {
  surface::SubdivideOptions three;
  three.levels = 3;
  const TriangleSoup box = surface::subdivide(test_device(), unit_cube(), three);
  const IdealSurface surface(test_device(), box);
  for (const SurfacePoint& p : sampled(surface)) {
    double nearest = 1;
    for (int k = 0; k < 3; ++k)
      nearest = std::min({nearest, std::abs(p.position[k]), std::abs(p.position[k] - 1)});
    EXPECT_LT(nearest, 1e-7);
    EXPECT_NEAR(std::max({std::abs(p.normal[0]), std::abs(p.normal[1]), std::abs(p.normal[2])}), 1,
                1e-6);
  }
}

/// The rims of a cylinder are ridges: circles, on which the surface lies much closer than edges do.
TEST(IdealSurface, RidgesAreSmoothCurves) {
  const TriangleSoup cylinder = generated(Shape::cylinder, 4000);
  const IdealSurface surface(test_device(), cylinder);
  double chord = 0;
  for (const Triangle& t : cylinder.triangles)
    for (int k = 0; k < 3; ++k) {
      const Vec3d middle = (cylinder.positions[t[k]] + cylinder.positions[t[(k + 1) % 3]]) * 0.5;
      if (std::abs(std::abs(middle[2]) - 1) < 1e-12 &&
          std::abs(std::hypot(middle[0], middle[1]) - 1) < 0.01)
        chord = std::max(chord, 1 - std::hypot(middle[0], middle[1]));
    }
  ASSERT_GT(chord, 1e-4);
  for (const SurfacePoint& p : sampled(surface)) {
    const double outside = std::hypot(p.position[0], p.position[1]) - 1;
    const bool is_cap = std::abs(p.normal[2]) > 0.7;
    EXPECT_LT(is_cap ? outside : std::abs(outside), 0.05 * chord);
    EXPECT_LT(std::abs(p.position[2]), 1 + 1e-6);
  }
}

TEST(IdealSurface, ClosestPointsLieOnIt) {
  const IdealSurface surface(test_device(), generated(Shape::icosphere, 5000));
  Array<Vec3d> points;
  for (const SurfacePoint& p : sampled(surface)) points.push_back(p.position * 1.1);
  for (const PlacedPoint& found : closest(surface, points)) {
    ASSERT_NE(found.face, no_index);
    EXPECT_NEAR(length(found.point.position), 1, 1e-4);
    EXPECT_GT(dot(found.point.normal, found.point.position), 0.999);
  }
}

TEST(IdealSurface, HoldsEveryMesh) {
  for (const NamedMesh& named : surface_meshes()) {
    const IdealSurface surface(test_device(), named.mesh);
    for (const SurfacePoint& p : sampled(surface))
      for (int k = 0; k < 3; ++k)
        ASSERT_TRUE(std::isfinite(p.position[k]) && std::isfinite(p.normal[k])) << named.name;
  }
  const IdealSurface empty(test_device(), TriangleSoup{});
  EXPECT_EQ(closest(empty, {{1, 2, 3}})[0].face, no_index);
}

TEST(IdealSurface, RefusesWrongAngles) {
  EXPECT_THROW(IdealSurface(test_device(), tetrahedron(), {-1}), InputError);
  EXPECT_THROW(
      IdealSurface(test_device(), tetrahedron(), {std::numeric_limits<double>::quiet_NaN()}),
      InputError);
}

}  // namespace
}  // namespace tessera::remesh
