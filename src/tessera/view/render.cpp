// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// In three steps: vertices are projected; each face writes its number and depth to the samples it
// covers, unless something nearer is there; each sample asks its face for colour and light. Faces
// are looked at once, whatever they look like, so a picture costs little more than reading the
// mesh.
#include "tessera/view/render.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "tessera/core/error.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/input.h"
#include "tessera/surface/face_labels.h"
#include "tessera/view/color_map.h"
#include "tessera/view/detail/color_bar.h"
#include "tessera/view/detail/projection.h"
#include "tessera/view/detail/raster.h"
#include "tessera/view/detail/shade.h"

namespace tessera::view {
namespace {

using exec::Buffer;
using exec::View;

struct Project {
  detail::Projection projection;
  View<const Vec3d> positions;
  View<Vec3f> screen;
  TESSERA_KERNEL void operator()(Index v) const { screen[v] = projection(positions[v]); }
};

void check(const TriangleSoup& mesh, const RenderOptions& options) {
  if (const auto wrong = mesh.validate()) throw InputError("not a valid mesh: " + *wrong);
  if (mesh.triangles.empty()) throw InputError("a mesh without faces makes no picture");
  constexpr int largest = 16384;
  if (options.width < 1 || options.width > largest || options.height < 1 ||
      options.height > largest)
    throw InputError("a picture of " + std::to_string(options.width) + " x " +
                     std::to_string(options.height) + " pixels: sides must be from 1 to " +
                     std::to_string(largest));
  if (options.antialias < 1 || options.antialias > 8)
    throw InputError("the samples of a pixel along an axis must be from 1 to 8");
  const Camera& camera = options.camera;
  if (!(camera.zoom > 0) || !std::isfinite(camera.zoom))
    throw InputError("the zoom must be a positive number");
  if (!(camera.field_of_view >= 0 && camera.field_of_view <= 150))
    throw InputError("the field of view must be from 0 to 150 degrees");
  if (!std::isfinite(camera.azimuth) || !std::isfinite(camera.elevation))
    throw InputError("the angles of the camera must be numbers");
  if (options.range && !(std::isfinite(options.range->min) && std::isfinite(options.range->max) &&
                         options.range->min < options.range->max))
    throw InputError("the range of colours must be two finite numbers, the smaller one first");
  if (options.field != nullptr) {
    const std::size_t wanted =
        options.field->on == FieldOn::vertices ? mesh.positions.size() : mesh.triangles.size();
    if (options.field->size() != wanted)
      throw InputError("the field '" + options.field->name + "' has " +
                       std::to_string(options.field->size()) + " values for " +
                       std::to_string(wanted) + " elements");
  }
}

/// The values of the field, where kernels can read them.
class PaintInput {
 public:
  PaintInput(const exec::Stream& stream, const RenderOptions& options)
      : map_(color_map(options.color_map)),
        map_buffer_(exec::upload(stream, std::span<const Rgb>(map_.colors))),
        palette_(exec::upload(stream, std::span<const Rgb>(palette()))) {
    paint_.map = map_buffer_.const_view();
    paint_.palette = palette_.const_view();
    if (options.field == nullptr) return;
    const Field& field = *options.field;
    paint_.on_vertices = field.on == FieldOn::vertices;
    range_ = options.range.value_or(shown_range(field));
    paint_.min = range_.min;
    const double width = static_cast<double>(range_.max) - range_.min;
    paint_.scale = width > 0 ? 255 / width : 0;
    if (const auto* numbers = std::get_if<Array<float>>(&field.values)) {
      numbers_.emplace(stream, *numbers);
      paint_.numbers = numbers_->view();
    } else if (const auto* labels = std::get_if<Array<std::uint32_t>>(&field.values)) {
      labels_.emplace(stream, *labels);
      paint_.labels = labels_->view();
    } else {
      colors_.emplace(stream, std::get<Array<Rgb>>(field.values));
      paint_.colors = colors_->view();
    }
  }

  const detail::Paint& paint() const { return paint_; }
  const FieldRange& range() const { return range_; }
  const ColorMap& map() const { return map_; }

 private:
  const ColorMap& map_;
  Buffer<Rgb> map_buffer_;
  Buffer<Rgb> palette_;
  std::optional<exec::Input<float>> numbers_;
  std::optional<exec::Input<std::uint32_t>> labels_;
  std::optional<exec::Input<Rgb>> colors_;
  FieldRange range_;
  detail::Paint paint_;
};

}  // namespace

Image render(const exec::Stream& stream, const TriangleSoup& mesh, const RenderOptions& options) {
  check(mesh, options);
  Progress progress(options.progress, "rendering", 4);
  const exec::Input positions(stream, mesh.positions);
  const exec::Input triangles(stream, mesh.triangles);
  const PaintInput paint(stream, options);
  const int width = options.width * options.antialias;
  const int height = options.height * options.antialias;

  detail::Scenery scenery{};
  scenery.triangles = triangles.view();
  scenery.positions = positions.view();
  std::optional<detail::ColorBar> bar;
  if (options.color_bar && options.field != nullptr && options.field->is_numbers())
    bar = detail::lay_out_color_bar(paint.range(), options.width, options.height);
  const int left_of_bar = width - (bar ? options.antialias * bar->reserved : 0);
  scenery.projection = detail::fit_projection(stream, positions.view(), triangles.view(),
                                              options.camera, left_of_bar, height);
  const auto vertices = static_cast<Index>(mesh.positions.size());
  Buffer<Vec3f> screen(stream, vertices);
  exec::for_each(stream, vertices, Project{scenery.projection, positions.view(), screen.view()});
  scenery.screen = screen.const_view();
  progress.advance(1);

  const Buffer<detail::Sample> samples =
      detail::rasterize(stream, screen.const_view(), triangles.view(), width, height);
  progress.advance(1);

  Buffer<Vec3f> normals;
  if (options.shading == Shading::smooth)
    normals = detail::vertex_normals(stream, positions.view(), triangles.view());
  scenery.normals = normals.const_view();
  Array<std::uint8_t> sides;
  constexpr std::size_t many_faces = 2'000'000;
  if (options.special_edges.value_or(mesh.triangles.size() <= many_faces))
    sides = surface::special_sides(stream, mesh);
  const exec::Input side_input(stream, sides);
  scenery.lines = {side_input.view(), options.edges, 0.7F * static_cast<float>(options.antialias)};
  scenery.paint = paint.paint();
  progress.advance(1);

  Image image = detail::shade(stream, scenery, samples.const_view(), options.width, options.height,
                              options.antialias, options.background);
  if (bar)
    detail::draw_color_bar(image, *bar, paint.map(), options.field->name, options.background);
  progress.advance(1);
  return image;
}

}  // namespace tessera::view
