// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// A picture of a torus, coloured by a field of one's own: the height of each vertex.
#include <cstdio>

#include "tessera/io/png.h"
#include "tessera/surface/generate.h"
#include "tessera/view/render.h"

int main() {
  using namespace tessera;
  const exec::Device device = exec::Device::best();
  const TriangleSoup mesh = surface::generate(device, surface::Shape::torus);

  Array<float> height;
  for (const Vec3d& p : mesh.positions) height.push_back(static_cast<float>(p[2]));
  const Field field{"height", FieldOn::vertices, height};

  view::RenderOptions options;
  options.width = 800;
  options.height = 600;
  options.field = &field;
  options.color_map = "coolwarm";
  options.camera.elevation = 35;
  options.shading = view::Shading::smooth;
  io::write_png("height.png", view::render(device, mesh, options));
  std::puts("wrote height.png");
}
