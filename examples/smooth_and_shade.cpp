// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// A noisy scan, smoothed by mean-curvature flow, with normals for shading.
#include <cstdio>

#include "tessera/io/triangles.h"
#include "tessera/surface/generate.h"
#include "tessera/surface/mean_curvature_flow.h"
#include "tessera/surface/normals.h"

using namespace tessera;

int main() {
  const exec::Device device = exec::Device::best();
  TriangleSoup soup = surface::generate(device, surface::Shape::noisy_sphere, {.faces = 200000});
  const surface::PatchedMesh mesh(device, soup);
  auto positions = surface::positions_of(mesh, soup);
  const surface::MeanCurvatureFlowResult flow =
      surface::mean_curvature_flow(mesh, positions, {.time_step = 1e-3});
  const auto normals = surface::vertex_normals(mesh, positions, surface::NormalWeight::angle);

  const Array<Vec3f> moved = surface::attribute_to_host(mesh, positions);
  const Array<Vec3f> shading = surface::attribute_to_host(mesh, normals);
  Array<float> numbers;
  for (std::size_t v = 0; v < moved.size(); ++v) {
    soup.positions[v] = cast<double>(moved[v]);
    for (const float x : shading[v].v) numbers.push_back(x);
  }
  soup.vertex_attributes.push_back({"normal", 3, numbers});
  io::write_triangles("smooth.glb", soup);
  std::printf("%d iterations, residual %.1e; see smooth.glb\n", flow.iterations, flow.residual);
  return flow.stop == surface::SolverStop::converged ? 0 : 1;
}
