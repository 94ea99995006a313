// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/view/detail/shade.h"

#include <cmath>

#include "tessera/exec/atomic.h"
#include "tessera/exec/for_each.h"
#include "tessera/view/color_map.h"

namespace tessera::view::detail {
namespace {

using exec::Buffer;
using exec::View;

TESSERA_KERNEL inline Vec3f unit(const Vec3f& v) {
  const float l = length(v);
  return l > 0 ? v * (1 / l) : Vec3f{0, 0, 1};
}

TESSERA_KERNEL inline Vec3f as_float(const Rgb& color) {
  return {static_cast<float>(color[0]), static_cast<float>(color[1]), static_cast<float>(color[2])};
}

TESSERA_KERNEL inline std::uint8_t as_byte(float value) {
  const float rounded = value + 0.5F;
  return static_cast<std::uint8_t>(rounded < 0 ? 0 : rounded > 255 ? 255 : rounded);
}

/// A pixel before its surroundings darken it.
struct Pixel {
  Vec3f color;     ///< 0 to 255, of the covered part
  float coverage;  ///< 0 to 1
  float depth;     ///< of its middle in the picture, in units of the mesh; infinite: nothing there
};

constexpr float nothing = 3e38F;

struct Shade {
  Scenery scenery;
  View<const Sample> samples;
  View<Pixel> pixels;
  int width;
  int antialias;

  TESSERA_KERNEL void operator()(Index pixel) const {
    const int x0 = static_cast<int>(pixel) % width * antialias;
    const int y0 = static_cast<int>(pixel) / width * antialias;
    const std::size_t row = static_cast<std::size_t>(width) * static_cast<std::size_t>(antialias);
    Vec3f sum{};
    int covered = 0;
    float depth = nothing;
    for (int j = 0; j < antialias; ++j)
      for (int i = 0; i < antialias; ++i) {
        const Sample sample =
            samples[static_cast<std::size_t>(y0 + j) * row + static_cast<std::size_t>(x0 + i)];
        if (sample == no_sample) continue;
        const float ahead = scenery.projection.ahead(depth_of(sample));
        if (ahead < depth) depth = ahead;
        sum += color_at(face_of(sample), static_cast<float>(x0 + i) + 0.5F,
                        static_cast<float>(y0 + j) + 0.5F);
        ++covered;
      }
    const int all = antialias * antialias;
    pixels[pixel] = {covered > 0 ? sum * (1.0F / static_cast<float>(covered)) : Vec3f{},
                     static_cast<float>(covered) / static_cast<float>(all), depth};
  }

 private:
  TESSERA_KERNEL Vec3f color_at(Index f, float x, float y) const {
    const Triangle t = scenery.triangles[f];
    const ScreenFace face(scenery.screen, t);
    Vec3f w = face.weights(x, y);
    const Vec3f line = w;
    perspective(face, w);
    Vec3f color = light(paint(f, t, w), normal(t, w), face.area < 0);
    draw_lines(f, face, line, color);
    return color;
  }

  /// Weights in the picture become weights in space.
  TESSERA_KERNEL void perspective(const ScreenFace& face, Vec3f& w) const {
    const Projection& p = scenery.projection;
    if (p.distance == 0) return;
    float sum = 0;
    for (int k = 0; k < 3; ++k) {
      w[k] = w[k] / (static_cast<float>(p.distance) + p.ahead(face.corner[k][2]));
      sum += w[k];
    }
    w *= 1 / sum;
  }

  TESSERA_KERNEL Vec3f paint(Index f, const Triangle& t, const Vec3f& w) const {
    const Paint& paint = scenery.paint;
    if (!paint.numbers.empty()) {
      const float value =
          paint.on_vertices
              ? w[0] * paint.numbers[t[0]] + w[1] * paint.numbers[t[1]] + w[2] * paint.numbers[t[2]]
              : paint.numbers[f];
      // Where all values are the same, the middle of the map, as the bar shows it.
      const double place = (value - paint.min) * paint.scale + (paint.scale > 0 ? 0.5 : 127.5);
      if (!(place - place == 0)) return as_float(no_value_color());
      return as_float(paint.map[place < 0 ? 0 : place > 255 ? 255 : static_cast<Index>(place)]);
    }
    if (!paint.labels.empty()) {
      const std::uint32_t label = paint.on_vertices ? paint.labels[nearest(t, w)] : paint.labels[f];
      if (label == no_index) return as_float(no_value_color());
      return as_float(paint.palette[palette_place(label)]);
    }
    if (!paint.colors.empty()) {
      if (!paint.on_vertices) return as_float(paint.colors[f]);
      return as_float(paint.colors[t[0]]) * w[0] + as_float(paint.colors[t[1]]) * w[1] +
             as_float(paint.colors[t[2]]) * w[2];
    }
    return as_float(paint.plain);
  }

  TESSERA_KERNEL static Index nearest(const Triangle& t, const Vec3f& w) {
    return w[0] >= w[1] && w[0] >= w[2] ? t[0] : w[1] >= w[2] ? t[1] : t[2];
  }

  /// In space, outwards.
  TESSERA_KERNEL Vec3f normal(const Triangle& t, const Vec3f& w) const {
    if (!scenery.normals.empty()) {
      const Vec3f sum = scenery.normals[t[0]] * w[0] + scenery.normals[t[1]] * w[1] +
                        scenery.normals[t[2]] * w[2];
      if (squared_length(sum) > 0) return unit(sum);
    }
    const Vec3d p = scenery.positions[t[0]];
    const Vec3d n = cross(scenery.positions[t[1]] - p, scenery.positions[t[2]] - p);
    const double l = length(n);
    return l > 0 ? cast<float>(n * (1 / l)) : Vec3f{0, 0, 1};
  }

  /// Two lights that move with the camera, from the upper left and from the right, and a little of
  /// it from everywhere. Faces seen from behind are as bright, and browner.
  TESSERA_KERNEL Vec3f light(Vec3f color, const Vec3f& normal, bool from_behind) const {
    const Projection& p = scenery.projection;
    Vec3f n{dot(normal, cast<float>(p.right)), dot(normal, cast<float>(p.up)),
            -dot(normal, cast<float>(p.forward))};
    if (from_behind) {
      n = -n;
      color = {color[0] * 0.92F, color[1] * 0.78F, color[2] * 0.62F};
    }
    const float key = dot(n, Vec3f{-0.40F, 0.55F, 0.733F});
    const float fill = dot(n, Vec3f{0.76F, -0.15F, 0.632F});
    const float bright = 0.42F + 0.52F * (key > 0 ? key : 0) + 0.16F * (fill > 0 ? fill : 0);
    // Half-way between the first light and the eye.
    const float gloss = dot(n, Vec3f{-0.215F, 0.295F, 0.931F});
    const float g2 = gloss > 0 ? gloss * gloss : 0;
    const float g8 = g2 * g2 * g2 * g2;
    const float shine = 22 * g8 * g8 * g8;
    return color * bright + Vec3f{shine, shine, shine};
  }

  TESSERA_KERNEL void draw_lines(Index f, const ScreenFace& face, const Vec3f& w,
                                 Vec3f& color) const {
    const Lines& lines = scenery.lines;
    const unsigned sides = lines.sides.empty() ? 0U : lines.sides[f];
    if (sides == 0 && !lines.all_sides) return;
    for (int k = 0; k < 3; ++k) {
      const Vec3f a = face.corner[k];
      const Vec3f b = face.corner[k == 2 ? 0 : k + 1];
      const float dx = b[0] - a[0];
      const float dy = b[1] - a[1];
      const float away = w[k == 0 ? 2 : k - 1] * std::abs(face.area) / std::sqrt(dx * dx + dy * dy);
      if ((sides & (8U << k)) != 0 && away < 1.6F * lines.width)
        color = {214, 39, 140};
      else if ((sides & (1U << k)) != 0 && away < 1.6F * lines.width)
        color = {232, 93, 20};
      else if (lines.all_sides && away < 0.5F * lines.width)
        color = color * 0.35F;
    }
  }
};

/// Places in hollows are darker: the more of what is around in the picture lies in front.
struct Finish {
  View<const Pixel> pixels;
  View<Rgba> out;
  int width;
  int height;
  float reach;  ///< in pixels
  float depth;  ///< in units of the mesh: what is farther in front is something else
  Rgba background;

  TESSERA_KERNEL void operator()(Index i) const {
    const Pixel pixel = pixels[i];
    const Vec3f color = pixel.color * (1 - 0.55F * hollow(i, pixel));
    const float opaque = pixel.coverage;
    const float back = (1 - opaque) * static_cast<float>(background[3]) / 255;
    const float alpha = opaque + back;
    Rgba result{};
    for (int k = 0; k < 3; ++k)
      result[k] = as_byte(
          alpha > 0 ? (color[k] * opaque + static_cast<float>(background[k]) * back) / alpha : 0);
    result[3] = as_byte(255 * alpha);
    out[i] = result;
  }

 private:
  TESSERA_KERNEL float hollow(Index i, const Pixel& pixel) const {
    if (pixel.depth == nothing) return 0;
    const int x = static_cast<int>(i) % width;
    const int y = static_cast<int>(i) / width;
    float sum = 0;
    // Pairs of opposite places: of a slope, one is as far in front as the other is behind.
    constexpr int pairs = 12;
    float dx = 1;
    float dy = 0;
    for (int k = 0; k < pairs; ++k) {
      // Turned by the golden angle each time, and farther out.
      const float turned = -0.737369F * dx - 0.675490F * dy;
      dy = 0.675490F * dx - 0.737369F * dy;
      dx = turned;
      const float r = reach * (0.15F + 0.85F * static_cast<float>(k) / pairs);
      const float both =
          in_front(pixel, x + static_cast<int>(r * dx), y + static_cast<int>(r * dy)) +
          in_front(pixel, x - static_cast<int>(r * dx), y - static_cast<int>(r * dy));
      sum += both > 0 ? both : 0;
    }
    const float share = sum / (pairs * 0.7F);
    return share > 1 ? 1 : share;
  }

  TESSERA_KERNEL float in_front(const Pixel& pixel, int x, int y) const {
    if (x < 0 || y < 0 || x >= width || y >= height) return 0;
    const float other =
        pixels[static_cast<Index>(y) * static_cast<Index>(width) + static_cast<Index>(x)].depth;
    if (other == nothing) return -1;
    const float ahead = (pixel.depth - other) / depth;
    if (ahead > 3) return 0;  // something far in front, which is not around here
    return ahead > 1 ? 1 : ahead < -1 ? -1 : ahead;
  }
};

using Vec3l = Vec<std::int64_t, 3>;

struct AddNormals {
  View<const Vec3d> positions;
  View<const Triangle> triangles;
  View<Vec3l> sums;
  TESSERA_KERNEL void operator()(Index f) const {
    const Triangle t = triangles[f];
    for (int k = 0; k < 3; ++k) {
      const Vec3d p = positions[t[k]];
      const Vec3d a = positions[t[k == 2 ? 0 : k + 1]] - p;
      const Vec3d b = positions[t[k == 0 ? 2 : k - 1]] - p;
      const Vec3d n = cross(a, b);
      const double l = length(n);
      if (!(l > 0)) continue;
      const double angle = std::atan2(l, dot(a, b));
      constexpr double scale = 4294967296.0;
      for (int i = 0; i < 3; ++i)
        exec::atomic_add(sums[t[k]][i], static_cast<std::int64_t>(scale * angle * n[i] / l));
    }
  }
};

struct MakeUnit {
  View<const Vec3l> sums;
  View<Vec3f> normals;
  TESSERA_KERNEL void operator()(Index v) const {
    const Vec3d sum = cast<double>(sums[v]);
    const double l = length(sum);
    normals[v] = l > 0 ? cast<float>(sum * (1 / l)) : Vec3f{};
  }
};

}  // namespace

Image shade(const exec::Stream& stream, const Scenery& scenery, View<const Sample> samples,
            int width, int height, int antialias, Rgba background) {
  const auto count = static_cast<Index>(width) * static_cast<Index>(height);
  Buffer<Pixel> pixels(stream, count);
  exec::for_each(stream, count, Shade{scenery, samples, pixels.view(), width, antialias});
  // Wide enough to show the hollows of a shape, narrow enough to leave its plains alone.
  const float reach = 0.025F * static_cast<float>(height);
  const auto depth =
      static_cast<float>(reach * static_cast<float>(antialias) /
                         (scenery.projection.scale > 0 ? scenery.projection.scale : 1));
  Buffer<Rgba> out(stream, count);
  exec::for_each(stream, count,
                 Finish{pixels.const_view(), out.view(), width, height, reach, depth, background});
  Image image;
  image.width = width;
  image.height = height;
  image.pixels = exec::download(stream, out);
  return image;
}

Buffer<Vec3f> vertex_normals(const exec::Stream& stream, View<const Vec3d> positions,
                             View<const Triangle> triangles) {
  Buffer<Vec3l> sums(stream, positions.size());
  exec::fill(stream, sums.view(), Vec3l{});
  exec::for_each(stream, static_cast<Index>(triangles.size()),
                 AddNormals{positions, triangles, sums.view()});
  Buffer<Vec3f> normals(stream, positions.size());
  exec::for_each(stream, static_cast<Index>(positions.size()),
                 MakeUnit{sums.const_view(), normals.view()});
  return normals;
}

}  // namespace tessera::view::detail
