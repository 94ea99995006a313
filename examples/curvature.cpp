// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// The curvature of a sphere of radius 2, and a file to look at it.
#include "tessera/surface/curvature.h"

#include <cmath>
#include <cstdio>
#include <numbers>
#include <numeric>
#include <utility>

#include "tessera/io/triangles.h"
#include "tessera/surface/generate.h"

using namespace tessera;

int main() {
  const exec::Device device = exec::Device::best();
  TriangleSoup sphere = surface::generate(device, surface::Shape::icosphere, {.faces = 20000});
  for (Vec3d& p : sphere.positions) p *= 2;
  const surface::PatchedMesh mesh(device, sphere);
  const surface::Curvature result = surface::curvature(mesh, surface::positions_of(mesh, sphere));
  Array<float> mean = surface::attribute_to_host(mesh, result.mean);
  const Array<float> defect = surface::attribute_to_host(mesh, result.angle_defect);

  const double average =
      std::accumulate(mean.begin(), mean.end(), 0.0) / static_cast<double>(mean.size());
  const double total = std::accumulate(defect.begin(), defect.end(), 0.0);
  std::printf("mean curvature %.4f, total Gaussian curvature %.4f\n", average, total);
  sphere.vertex_attributes.push_back({"mean_curvature", 1, std::move(mean)});
  io::write_triangles("curvature.ply", sphere);
  // 1 / radius, and 4 pi for anything closed without handles.
  const bool right =
      std::abs(average - 0.5) < 0.005 && std::abs(total - 4 * std::numbers::pi) < 0.001;
  return right ? 0 : 1;
}
