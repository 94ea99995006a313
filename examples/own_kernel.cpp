// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// A kernel of one's own: the centre of mass of a mesh's surface, on whatever device there is.
// The same source compiles with g++ (CPU) and with nvcc (CPU and GPU).
#include <cstdio>

#include "tessera/exec/exec.h"
#include "tessera/surface/generate.h"

using namespace tessera;

/// Area and area-weighted centre of the triangles, as one number of four components.
struct Moment {
  exec::View<const Vec3d> positions;
  exec::View<const Triangle> triangles;

  TESSERA_KERNEL Vec<double, 4> operator()(std::size_t f) const {
    const Triangle t = triangles[f];
    const Vec3d a = positions[t[0]];
    const Vec3d b = positions[t[1]];
    const Vec3d c = positions[t[2]];
    const double area = 0.5 * length(cross(b - a, c - a));
    const Vec3d centre = (a + b + c) * (area / 3.0);
    return {area, centre[0], centre[1], centre[2]};
  }
};

int main() {
  const exec::Device device = exec::Device::best();
  const TriangleSoup mesh = surface::generate(device, surface::Shape::torus, {.faces = 1000000});
  const auto positions = exec::upload(device, mesh.positions);
  const auto triangles = exec::upload(device, mesh.triangles);
  const Vec<double, 4> sum = exec::reduce(device, triangles.size(), Vec<double, 4>{},
                                          Moment{positions.view(), triangles.view()}, exec::Plus{});
  std::printf("on %s: area %.4f, centre (%.1e, %.1e, %.1e)\n", device.name().c_str(), sum[0],
              sum[1] / sum[0], sum[2] / sum[0], sum[3] / sum[0]);
  // The torus of radii 1 and 0.4 has area 4 pi^2 0.4 and its centre at the origin.
  const bool right =
      sum[0] > 15.78 && sum[0] < 15.80 && length(Vec3d{sum[1], sum[2], sum[3]}) < 1e-6;
  return right ? 0 : 1;
}
