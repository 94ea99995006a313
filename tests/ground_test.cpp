// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Where points that move along a surface come to lie.
#include "tessera/remesh/detail/ground.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/core/random.h"
#include "tessera/exec/for_each.h"
#include "tessera/remesh/ideal_surface.h"
#include "test_device.h"

namespace tessera::remesh {
namespace {

using detail::GroundView;
using detail::VertexState;
using surface::Shape;

/// A point of the surface, and a step in its tangent plane.
struct Walk {
  Vec3d start;
  Vec3d normal;
  Vec3d step;
  Vec3d end{};
};

struct Go {
  GroundView ground;
  exec::View<Walk> walks;
  TESSERA_KERNEL void operator()(Index i) const {
    Walk& walk = walks[i];
    const PlacedPoint from = ground.on_surface(walk.start, no_index, 1);
    const VertexState state{SurfaceMetric::isotropic(walk.normal, length(walk.step)), walk.normal,
                            from.face};
    walk.end = ground.along_surface(walk.start, state, walk.step).point.position;
  }
};

Array<Walk> gone(const TriangleSoup& mesh, const Array<Walk>& walks) {
  const exec::Stream stream(test_device());
  const IdealSurface surface(stream, mesh);
  exec::Buffer<Walk> buffer = exec::upload(stream, walks);
  exec::for_each(stream, static_cast<Index>(walks.size()),
                 Go{{surface.view(), {}, Ground::curved, 1}, buffer.view()});
  return exec::download(stream, buffer);
}

/// Steps of a length in all directions, from points of the sphere of radius 1.
Array<Walk> walks_on_sphere(double size) {
  Array<Walk> walks;
  const Random random(5);
  for (std::size_t i = 0; i < 400; ++i) {
    const double z = 2 * random.uniform(3 * i) - 1;
    const double turn = 2 * std::numbers::pi * random.uniform(3 * i + 1);
    const double around = std::sqrt(1 - z * z);
    const Vec3d p{around * std::cos(turn), around * std::sin(turn), z};
    const Vec3d x = SurfaceMetric::any_tangent(p);
    const double angle = 2 * std::numbers::pi * random.uniform(3 * i + 2);
    walks.push_back({p, p, (x * std::cos(angle) + cross(p, x) * std::sin(angle)) * size});
  }
  return walks;
}

TEST(Ground, StepsBecomePathsOfTheirLength) {
  const TriangleSoup sphere = generated(Shape::icosphere, 20000);
  for (const double size : {0.05, 0.2, 0.5}) {
    double worst_length = 0;
    double worst_aside = 0;
    for (const Walk& walk : gone(sphere, walks_on_sphere(size))) {
      // The great circle in the direction of the step.
      const double along = dot(walk.end, walk.step) / size;
      const double passed = std::atan2(along, dot(walk.end, walk.start));
      worst_length = std::max(worst_length, std::abs(passed - size));
      const double aside = dot(walk.end, cross(walk.start, walk.step)) / size;
      worst_aside = std::max(worst_aside, std::abs(aside));
    }
    EXPECT_LT(worst_length, 0.021 * size);
    EXPECT_LT(worst_aside, 0.01 * size);
  }
}

TEST(Ground, ErrorsOfProjectionFallAtThirdOrderAtLeast) {
  // Sums over all walks.
  const auto on_sphere = [](std::uint64_t faces) {
    double sum = 0;
    for (const Walk& walk : gone(generated(Shape::icosphere, faces), walks_on_sphere(0.1)))
      sum += std::abs(length(walk.end) - 1);
    return sum;
  };
  EXPECT_LT(on_sphere(20000), on_sphere(5000) / 7.5);
  const auto on_torus = [](std::uint64_t faces) {
    Array<Walk> walks;
    const Random random(7);
    for (std::size_t i = 0; i < 400; ++i) {
      const double u = 2 * std::numbers::pi * random.uniform(3 * i);
      const double v = 2 * std::numbers::pi * random.uniform(3 * i + 1);
      const Vec3d out{std::cos(u), std::sin(u), 0};
      const Vec3d normal = out * std::cos(v) + Vec3d{0, 0, std::sin(v)};
      const Vec3d x = SurfaceMetric::any_tangent(normal);
      const double angle = 2 * std::numbers::pi * random.uniform(3 * i + 2);
      walks.push_back({out + normal * 0.4, normal,
                       (x * std::cos(angle) + cross(normal, x) * std::sin(angle)) * 0.05});
    }
    double sum = 0;
    for (const Walk& walk : gone(generated(Shape::torus, faces), walks)) {
      const double around = std::hypot(walk.end[0], walk.end[1]) - 1;
      sum += std::abs(std::hypot(around, walk.end[2]) - 0.4);
    }
    return sum;
  };
  EXPECT_LT(on_torus(40000), on_torus(10000) / 7.5);
}

}  // namespace
}  // namespace tessera::remesh
