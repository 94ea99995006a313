// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Takes the noise off a sphere.
#include <cmath>
#include <cstdio>

#include "tessera/surface/bilateral.h"
#include "tessera/surface/generate.h"

using namespace tessera;

/// The standard deviation of the radii.
double roughness(const Array<Vec3f>& positions) {
  double sum = 0;
  double squares = 0;
  for (const Vec3f& p : positions) {
    const double radius = length(cast<double>(p));
    sum += radius;
    squares += radius * radius;
  }
  const auto count = static_cast<double>(positions.size());
  return std::sqrt(squares / count - sum / count * sum / count);
}

int main() {
  const exec::Device device = exec::Device::best();
  const TriangleSoup scan =
      surface::generate(device, surface::Shape::noisy_sphere, {.faces = 20000, .noise = 0.01});
  const surface::PatchedMesh mesh(device, scan);
  auto positions = surface::positions_of(mesh, scan);
  const double before = roughness(surface::attribute_to_host(mesh, positions));
  surface::bilateral_denoise(mesh, positions, {.iterations = 5});
  const double after = roughness(surface::attribute_to_host(mesh, positions));
  std::printf("deviation of the radii: %.5f before, %.5f after\n", before, after);
  return after < 0.5 * before ? 0 : 1;
}
