// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/view/detail/projection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "tessera/exec/reduce.h"

namespace tessera::view::detail {
namespace {

using exec::View;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Box {
  Vec3d min{infinity, infinity, infinity};
  Vec3d max{-infinity, -infinity, -infinity};

  TESSERA_KERNEL void add(const Vec3d& p) {
    for (int i = 0; i < 3; ++i) {
      if (p[i] < min[i]) min[i] = p[i];
      if (p[i] > max[i]) max[i] = p[i];
    }
  }
};

struct BoxOfFace {
  View<const Vec3d> positions;
  View<const Triangle> triangles;
  TESSERA_KERNEL Box operator()(Index f) const {
    Box box;
    for (const Index v : triangles[f].v) box.add(positions[v]);
    return box;
  }
};

struct JoinBoxes {
  TESSERA_KERNEL Box operator()(Box a, const Box& b) const {
    a.add(b.min);
    a.add(b.max);
    return a;
  }
};

struct ScreenBox {
  float left = 3e38F;
  float top = 3e38F;
  float right = -3e38F;
  float bottom = -3e38F;
};

struct ScreenBoxOfFace {
  View<const Vec3d> positions;
  View<const Triangle> triangles;
  Projection projection;
  TESSERA_KERNEL ScreenBox operator()(Index f) const {
    ScreenBox box;
    for (const Index v : triangles[f].v) {
      const Vec3f p = projection(positions[v]);
      box.left = exec::Minimum{}(box.left, p[0]);
      box.top = exec::Minimum{}(box.top, p[1]);
      box.right = exec::Maximum{}(box.right, p[0]);
      box.bottom = exec::Maximum{}(box.bottom, p[1]);
    }
    return box;
  }
};

struct JoinScreenBoxes {
  TESSERA_KERNEL ScreenBox operator()(const ScreenBox& a, const ScreenBox& b) const {
    return {exec::Minimum{}(a.left, b.left), exec::Minimum{}(a.top, b.top),
            exec::Maximum{}(a.right, b.right), exec::Maximum{}(a.bottom, b.bottom)};
  }
};

void aim(Projection& projection, const Camera& camera) {
  const double azimuth = camera.azimuth * std::numbers::pi / 180;
  const double elevation = camera.elevation * std::numbers::pi / 180;
  // With y up; z up is the same with the axes exchanged.
  const Vec3d to_eye{std::cos(elevation) * std::sin(azimuth), std::sin(elevation),
                     std::cos(elevation) * std::cos(azimuth)};
  const Vec3d right{std::cos(azimuth), 0, -std::sin(azimuth)};
  const Vec3d up = cross(to_eye, right);
  const auto turn = [&](const Vec3d& p) {
    return camera.up == UpAxis::y ? p : Vec3d{p[0], -p[2], p[1]};
  };
  projection.forward = turn(-to_eye);
  projection.right = turn(right);
  projection.up = turn(up);
}

}  // namespace

Projection fit_projection(const exec::Stream& stream, View<const Vec3d> positions,
                          View<const Triangle> triangles, const Camera& camera, int width,
                          int height) {
  const auto faces = static_cast<Index>(triangles.size());
  Projection projection{};
  aim(projection, camera);
  const Box box = exec::reduce(stream, faces, Box{}, BoxOfFace{positions, triangles}, JoinBoxes{});
  const Vec3d middle = 0.5 * box.min + 0.5 * box.max;
  projection.target = camera.target.value_or(middle);
  projection.middle_x = 0.5 * width;
  projection.middle_y = 0.5 * height;

  // The eye is so far away that a sphere around everything would fit.
  const double radius = length(0.5 * box.max - 0.5 * box.min) + length(projection.target - middle);
  const double unit = radius > 0 ? radius : 1;  // of a single point: any size will do
  projection.nearest = -1.001 * unit;
  projection.farthest = 1.001 * unit;
  const double half_angle = camera.field_of_view * std::numbers::pi / 360;
  if (half_angle > 0) projection.distance = std::max(1.01, 1 / std::sin(half_angle)) * unit;
  projection.scale = 0.5 * height / unit;

  // Then the picture is enlarged until it is full, and moved to the middle.
  const ScreenBox seen =
      exec::reduce(stream, faces, ScreenBox{}, ScreenBoxOfFace{positions, triangles, projection},
                   JoinScreenBoxes{});
  constexpr double margin = 0.94;
  const double wide = std::max(1e-3, static_cast<double>(seen.right) - seen.left);
  const double high = std::max(1e-3, static_cast<double>(seen.bottom) - seen.top);
  const double enlarge = margin * std::min(width / wide, height / high) * camera.zoom;
  if (!camera.target) {
    projection.middle_x -= enlarge * (0.5 * (seen.left + seen.right) - 0.5 * width);
    projection.middle_y -= enlarge * (0.5 * (seen.top + seen.bottom) - 0.5 * height);
  }
  projection.scale *= enlarge;
  return projection;
}

}  // namespace tessera::view::detail
