// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Adapts a square to a field with a steep front: few points, and cells that lie along the front.
#include "tessera/remesh/adapt.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "tessera/io/triangles.h"
#include "tessera/remesh/metric_recipe.h"
#include "tessera/surface/generate.h"

using namespace tessera;

double field_at(const Vec3d& p) {
  return std::tanh(100 * (p[0] - 0.6 + 0.2 * p[1] * p[1]));
}

Attribute field_on(const TriangleSoup& mesh) {
  Array<double> values(mesh.positions.size());
  std::transform(mesh.positions.begin(), mesh.positions.end(), values.begin(), field_at);
  return {"front", 1, std::move(values)};
}

/// The mean distance between the field and its linear interpolation, in the middles of faces.
double mean_error(const TriangleSoup& mesh) {
  double sum = 0;
  double areas = 0;
  for (const Triangle& t : mesh.triangles) {
    const Vec3d p[3] = {mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]};
    const double area = length(cross(p[1] - p[0], p[2] - p[0]));
    const double linear = (field_at(p[0]) + field_at(p[1]) + field_at(p[2])) / 3;
    sum += area * std::abs(field_at((p[0] + p[1] + p[2]) * (1.0 / 3)) - linear);
    areas += area;
  }
  return sum / areas;
}

int main() {
  const exec::Device device = exec::Device::best();
  TriangleSoup mesh = surface::generate(device, surface::Shape::plane, {.faces = 20000});
  const double before = mean_error(mesh);
  std::printf("%zu points, mean error %.2g\n", mesh.positions.size(), before);

  remesh::MetricRecipe recipe;
  recipe.points = 2000;
  recipe.stretch = remesh::Stretch::along;
  // A mesh that is too coarse for a front knows it badly. The next one knows it better.
  for (int pass = 1; pass <= 3; ++pass) {
    recipe.fields = {{field_on(mesh)}};
    const remesh::MetricResult metric = remesh::make_metric(device, mesh, recipe);
    remesh::AdaptResult result = remesh::adapt(device, mesh, metric.field);
    mesh = std::move(result.mesh);
    std::printf(
        "pass %d: %zu points, longest over shortest size %.1f, mean error %.2g, %.1f %% of edges "
        "as long as wanted\n",
        pass, mesh.positions.size(), metric.report.aspect, mean_error(mesh),
        100 * result.report.unit_edges);
  }
  mesh.vertex_attributes = {field_on(mesh)};
  io::write_triangles("front.ply", mesh);
  return mean_error(mesh) < before / 10 ? 0 : 1;
}
