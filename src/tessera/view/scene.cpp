// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/view/scene.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

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

/// Of the faces with these numbers.
Field::Values gather(const Field::Values& values, const Array<Index>& faces) {
  return std::visit(
      [&](const auto& all) -> Field::Values {
        std::remove_cvref_t<decltype(all)> chosen(faces.size());
        for (std::size_t f = 0; f < faces.size(); ++f) chosen[f] = all[faces[f]];
        return chosen;
      },
      values);
}

/// What can be computed for the mesh and is not among its fields. Faces that are shown in its
/// place keep the values that they had: the quality of those would say nothing about the mesh.
void add_computed_fields(const exec::Stream& stream, const TriangleSoup& mesh,
                         const surface::CoarserMesh* coarser, const LayerOptions& options,
                         std::vector<Field>& fields) {
  for (const std::string_view name : computed_fields) {
    if (find(fields, name) != nullptr) continue;
    if (name == "patch" && (!options.patches || mesh.triangles.empty())) continue;
    fields.push_back(make_field(stream, mesh, std::string(name), options.seed));
    if (coarser != nullptr)
      fields.back().values = gather(fields.back().values, coarser->input_faces);
  }
}

}  // namespace

SceneLayer make_layer(const exec::Stream& stream, const TriangleSoup& mesh, std::string name,
                      const LayerOptions& options) {
  SceneLayer layer;
  layer.name = std::move(name);
  Progress progress(options.progress, "preparing", 4);
  const surface::ShapeHistograms shapes = surface::shape_histograms(stream, mesh);
  layer.histograms = {
      {"quality", shapes.quality}, {"angle", shapes.angle}, {"edge_length", shapes.edge_length}};
  progress.advance(1);
  std::optional<surface::CoarserMesh> coarser;
  const TriangleSoup* shown = &mesh;
  if (mesh.triangles.size() > options.max_faces) {
    coarser = surface::cluster_vertices(stream, mesh, options.max_faces, options.progress);
    shown = &coarser->mesh;
    layer.simplified_from = SceneSize{mesh.positions.size(), mesh.triangles.size()};
  }
  if (!shown->triangles.empty()) {
    const Box box = surface::box_of_faces(stream, *shown);
    layer.origin = box.middle();
    layer.bounds = {box.min - layer.origin, box.max - layer.origin};
  }
  progress.advance(1);
  layer.positions = relative_to(layer.origin, shown->positions);
  layer.triangles = shown->triangles;
  // The sides of a simplified mesh are special for other reasons than those of the mesh.
  if (!layer.simplified_from) layer.sides = surface::special_sides(stream, *shown);
  if (std::all_of(layer.sides.begin(), layer.sides.end(), [](std::uint8_t s) { return s == 0; }))
    layer.sides.clear();
  progress.advance(1);
  layer.fields = attribute_fields(*shown);
  add_computed_fields(stream, mesh, coarser ? &*coarser : nullptr, options, layer.fields);
  progress.advance(1);
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
