// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/view/detail/projection.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tessera/core/box.h"
#include "tessera/exec/reduce.h"
#include "tessera/surface/face_box.h"

namespace tessera::view::detail {
namespace {

using exec::View;

struct BoxInPicture {
  View<const Vec3d> positions;
  View<const Triangle> triangles;
  Projection projection;
  TESSERA_KERNEL Box operator()(Index f) const {
    Box box;
    for (const Index v : triangles[f].v) box.add(cast<double>(projection(positions[v])));
    return box;
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
  const Box box = surface::box_of_faces(stream, positions, triangles);
  const Vec3d middle = box.middle();
  projection.target = camera.target.value_or(middle);
  projection.middle_x = 0.5 * width;
  projection.middle_y = 0.5 * height;

  // The eye is so far away that a sphere around everything would fit.
  const double radius = length(box.half_extent()) + length(projection.target - middle);
  const double unit = radius > 0 ? radius : 1;  // of a single point: any size will do
  projection.nearest = -1.001 * unit;
  projection.farthest = 1.001 * unit;
  const double half_angle = camera.field_of_view * std::numbers::pi / 360;
  if (half_angle > 0) projection.distance = std::max(1.01, 1 / std::sin(half_angle)) * unit;
  projection.scale = 0.5 * height / unit;

  // Then the picture is enlarged until it is full, and moved to the middle.
  const Box seen = exec::reduce(stream, faces, Box{},
                                BoxInPicture{positions, triangles, projection}, UniteBoxes{});
  constexpr double margin = 0.94;
  const double wide = std::max(1e-3, seen.max[0] - seen.min[0]);
  const double high = std::max(1e-3, seen.max[1] - seen.min[1]);
  const double enlarge = margin * std::min(width / wide, height / high) * camera.zoom;
  if (!camera.target) {
    projection.middle_x -= enlarge * (seen.middle()[0] - 0.5 * width);
    projection.middle_y -= enlarge * (seen.middle()[1] - 0.5 * height);
  }
  projection.scale *= enlarge;
  return projection;
}

}  // namespace tessera::view::detail
