// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/view/scene.h"

#include <algorithm>
#include <utility>

#include "tessera/core/parallel.h"
#include "tessera/surface/cluster.h"
#include "tessera/surface/face_box.h"
#include "tessera/surface/face_labels.h"
#include "tessera/surface/shape_histograms.h"
#include "tessera/view/color_map.h"
#include "tessera/view/fields.h"

namespace tessera::view {
namespace {

Array<Vec3f> relative_to(const Vec3d& origin, const Array<Vec3d>& positions) {
  Array<Vec3f> result(positions.size());
  parallel_for_ranges(positions.size(), 65536, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) result[v] = cast<float>(positions[v] - origin);
  });
  return result;
}

void add_histograms(SceneLayer& layer, const surface::ShapeHistograms& shapes) {
  const auto add = [&](const char* name, const surface::Histogram& h) {
    layer.histograms.push_back({name, h.min, h.max, h.counts});
  };
  add("quality", shapes.quality);
  add("angle", shapes.angle);
  add("edge_length", shapes.edge_length);
}

/// What the mesh has, and what can be computed for it.
std::vector<Field> all_fields(const exec::Stream& stream, const TriangleSoup& mesh,
                              const LayerOptions& options) {
  std::vector<Field> fields = attribute_fields(mesh);
  for (const std::string_view name : computed_fields) {
    if (find(fields, name) != nullptr) continue;
    if (name == "patch" && (!options.patches || mesh.triangles.empty())) continue;
    fields.push_back(make_field(stream, mesh, std::string(name), options.seed));
  }
  return fields;
}

}  // namespace

SceneLayer make_layer(const exec::Stream& stream, const TriangleSoup& mesh, std::string name,
                      const LayerOptions& options) {
  SceneLayer layer;
  layer.name = std::move(name);
  add_histograms(layer, surface::shape_histograms(stream, mesh));
  TriangleSoup simplified;
  const TriangleSoup* shown = &mesh;
  if (mesh.triangles.size() > options.max_faces) {
    simplified = surface::cluster_vertices(stream, mesh, options.max_faces);
    shown = &simplified;
    layer.simplified_from = SceneSize{mesh.positions.size(), mesh.triangles.size()};
  }
  if (!shown->triangles.empty()) {
    const Box box = surface::box_of_faces(stream, *shown);
    layer.origin = box.middle();
    layer.bounds = {box.min - layer.origin, box.max - layer.origin};
  }
  layer.positions = relative_to(layer.origin, shown->positions);
  layer.triangles = shown->triangles;
  // The sides of a simplified mesh are special for other reasons than those of the mesh.
  if (!layer.simplified_from) layer.sides = surface::special_sides(stream, *shown);
  if (std::all_of(layer.sides.begin(), layer.sides.end(), [](std::uint8_t s) { return s == 0; }))
    layer.sides.clear();
  layer.fields = all_fields(stream, *shown, options);
  return layer;
}

Scene empty_scene(std::string title) {
  Scene scene;
  scene.title = std::move(title);
  for (const ColorMap& map : color_maps())
    scene.color_maps.emplace_back(map.name, std::vector<Rgb>(map.colors.begin(), map.colors.end()));
  scene.palette.assign(palette().begin(), palette().end());
  scene.color_map = "viridis";
  return scene;
}

}  // namespace tessera::view
