// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/view/render.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "read_png.h"
#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "tessera/core/random.h"
#include "tessera/exec/buffer.h"
#include "tessera/io/png.h"
#include "tessera/view/detail/color_bar.h"
#include "tessera/view/detail/raster.h"
#include "tessera/view/detail/text.h"
#include "tessera/view/fields.h"
#include "test_device.h"

namespace tessera::view {
namespace {

/// Random triangles in a picture, some large, some smaller than a sample, some outside.
struct Flat {
  Array<Vec3f> screen;
  Array<Triangle> triangles;

  Flat(std::uint64_t seed, int count, float width, float height) {
    const Random random(seed);
    std::uint64_t n = 0;
    const auto number = [&] { return static_cast<float>(random.uniform(n++)); };
    for (int i = 0; i < count; ++i) {
      const float size = i % 3 == 0 ? width : i % 3 == 1 ? 6.0F : 0.7F;
      const float x = (1.4F * number() - 0.2F) * width;
      const float y = (1.4F * number() - 0.2F) * height;
      const auto first = static_cast<Index>(screen.size());
      for (int k = 0; k < 3; ++k)
        screen.push_back({x + size * (number() - 0.5F), y + size * (number() - 0.5F), number()});
      triangles.push_back({first, first + 1, first + 2});
    }
  }
};

TEST(Raster, NearestFaceAtEverySample) {
  constexpr int width = 90;
  constexpr int height = 70;
  const Flat flat(5, 400, width, height);
  const auto screen = exec::upload(test_device(), flat.screen);
  const auto triangles = exec::upload(test_device(), flat.triangles);
  const auto samples = exec::download(
      test_device(),
      detail::rasterize(test_device(), screen.const_view(), triangles.const_view(), width, height));
  int covered = 0;
  int doubtful = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      double nearest = 2;
      double second = 2;
      Index face = no_index;
      bool unclear = false;
      for (Index f = 0; f < flat.triangles.size(); ++f) {
        const Triangle t = flat.triangles[f];
        const Vec3d a = cast<double>(flat.screen[t[0]]);
        const Vec3d b = cast<double>(flat.screen[t[1]]) - a;
        const Vec3d c = cast<double>(flat.screen[t[2]]) - a;
        const double px = x + 0.5 - a[0];
        const double py = y + 0.5 - a[1];
        const double area = b[0] * c[1] - b[1] * c[0];
        const double u = (px * c[1] - py * c[0]) / area;
        const double v = (b[0] * py - b[1] * px) / area;
        const double inside = std::min({u, v, 1 - u - v});
        if (std::abs(inside) < 1e-4) unclear = true;
        if (inside < 0) continue;
        const double depth = a[2] + u * b[2] + v * c[2];
        if (depth < nearest) {
          second = nearest;
          nearest = depth;
          face = f;
        } else {
          second = std::min(second, depth);
        }
      }
      if (unclear || second - nearest < 1e-5) {  // within rounding either answer is right
        ++doubtful;
        continue;
      }
      const detail::Sample sample = samples[static_cast<std::size_t>(y * width + x)];
      if (face == no_index) {
        EXPECT_EQ(sample, detail::no_sample) << x << ", " << y;
        continue;
      }
      ++covered;
      EXPECT_EQ(detail::face_of(sample), face) << x << ", " << y;
      EXPECT_NEAR(detail::depth_of(sample), nearest, 1e-5);
    }
  EXPECT_GT(covered, 3000);
  EXPECT_LT(doubtful, 300);
}

/// A square of side 2 in the plane of x and y, facing the front.
TriangleSoup square() {
  return make_mesh({{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}, {{0, 1, 2}, {0, 2, 3}});
}

RenderOptions from_the_front(int width, int height) {
  RenderOptions options;
  options.width = width;
  options.height = height;
  options.camera.azimuth = 0;
  options.camera.elevation = 0;
  options.camera.field_of_view = 0;
  options.special_edges = false;
  options.background = {{0, 0, 0, 0}};
  return options;
}

TEST(Render, FillsThePicture) {
  const RenderOptions options = from_the_front(200, 100);
  const Image image = render(test_device(), square(), options);
  int covered = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      if (image.at(x, y)[3] > 127) {
        ++covered;
        EXPECT_NEAR(x, 99.5, 47.5);  // a square in the middle, with a margin of 3 in 100
        EXPECT_NEAR(y, 49.5, 47.5);
      }
  EXPECT_NEAR(covered, 94 * 94, 200);
}

TEST(Render, SeesTheFrontWithTheRightSideUp) {
  TriangleSoup mesh = square();
  mesh.face_attributes.push_back(
      {"color", 3, Array<std::uint8_t>{255, 0, 0, 0, 0, 255}});  // lower right red, upper left blue
  const Field field = make_field(test_device(), mesh, "color");
  RenderOptions options = from_the_front(100, 100);
  options.field = &field;
  const Image image = render(test_device(), mesh, options);
  EXPECT_GT(image.at(80, 85)[0], 2 * image.at(80, 85)[2]);
  EXPECT_GT(image.at(20, 15)[2], 2 * image.at(20, 15)[0]);
  // From behind left and right are exchanged, and so are the sides of the faces.
  options.camera.azimuth = 180;
  const Image behind = render(test_device(), mesh, options);
  EXPECT_GT(behind.at(20, 85)[0], 2 * behind.at(20, 85)[2]);
  // With z up, the front looks along y: the square is seen from its edge.
  options.camera.azimuth = 0;
  options.camera.up = UpAxis::z;
  const Image edge = render(test_device(), mesh, options);
  EXPECT_EQ(edge.at(50, 20)[3], 0);
}

TEST(Render, NumbersTakeTheColorsOfTheMap) {
  TriangleSoup mesh = square();
  mesh.vertex_attributes.push_back({"x", 1, Array<float>{0, 10, 10, 0}});
  const Field field = make_field(test_device(), mesh, "x");
  RenderOptions options = from_the_front(300, 100);
  options.field = &field;
  options.color_map = "gray";
  options.color_bar = false;
  const Image image = render(test_device(), mesh, options);
  int last = -1;
  for (int x = 110; x < 190; x += 10) {
    EXPECT_GT(image.at(x, 50)[0], last);
    last = image.at(x, 50)[0];
  }
  options.range = FieldRange{0, 5};  // the right half is beyond
  const Image cut = render(test_device(), mesh, options);
  EXPECT_EQ(cut.at(160, 50), cut.at(185, 50));
  options.range.reset();
  options.color_bar = true;
  const Image bar = render(test_device(), mesh, options);
  EXPECT_NE(bar.pixels, image.pixels);
}

TEST(Render, PicturesOfAnySizeShowTheMesh) {
  TriangleSoup mesh = square();
  mesh.vertex_attributes.push_back({"x", 1, Array<float>{1000.1F, 1000.9F, 1000.9F, 1000.1F}});
  const Field field = make_field(test_device(), mesh, "x");
  const auto size = [](int width, int height) { return std::pair(width, height); };
  for (const auto& [width, height] :
       {size(1, 1), size(200, 2), size(84, 4), size(2, 200), size(100, 1200), size(60, 80),
        size(90, 90), size(300, 100), size(120, 76), size(150, 77), size(1600, 70)}) {
    SCOPED_TRACE(std::to_string(width) + " x " + std::to_string(height));
    RenderOptions options = from_the_front(width, height);
    options.field = &field;
    const Image image = render(test_device(), mesh, options);
    const auto covered = std::count_if(image.pixels.begin(), image.pixels.end(),
                                       [](const Rgba& p) { return p[3] > 100; });
    // At least a square of half the width.
    const double side = 0.9 * std::min(0.5 * width, 1.0 * height);
    EXPECT_GE(static_cast<double>(covered), std::floor(side * side));
  }
}

TEST(Render, ColorBarIsBesideTheMesh) {
  for (const float least : {0.0F, 1e8F, -123456.7F, 1000.1F, -3e38F})
    for (const int width : {100, 200, 400, 1600})
      for (const int height : {77, 240, 1200}) {
        const FieldRange range{least,
                               least == -3e38F ? 3e38F : least + std::abs(least) * 1e-3F + 1};
        const auto bar = detail::lay_out_color_bar(range, width, height);
        if (!bar) continue;
        EXPECT_LE(2 * bar->reserved, width);
        EXPECT_GE(bar->left, width - bar->reserved);
        EXPECT_LT(bar->left, bar->right);
        EXPECT_LT(bar->top, bar->bottom);
        std::set<std::string> labels;
        for (const auto& tick : bar->ticks) {
          EXPECT_TRUE(labels.insert(tick.label).second) << tick.label;
          EXPECT_GE(tick.y, bar->top);
          EXPECT_LT(tick.y, bar->bottom);
          EXPECT_LT(static_cast<float>(bar->right) + 0.9F * bar->letter_size +
                        detail::text_width(tick.label, bar->letter_size),
                    static_cast<float>(width));
        }
        EXPECT_GE(labels.size(), 3U);
      }
  const auto bar = detail::lay_out_color_bar({1000.1F, 1000.9F}, 400, 400);
  ASSERT_TRUE(bar);
  EXPECT_EQ(bar->ticks[0].label, "1000.1");
}

TEST(Render, SpecialEdgesAreColored) {
  const TriangleSoup pages = book(3);
  RenderOptions options;
  options.width = 200;
  options.height = 200;
  const auto colors = [](const Image& image) {
    std::set<std::string> found;
    for (const Rgba& p : image.pixels) {
      if (p[0] > 180 && p[1] < 90 && p[2] > 100) found.insert("magenta");
      if (p[0] > 190 && p[1] > 60 && p[1] < 130 && p[2] < 60) found.insert("orange");
    }
    return found;
  };
  EXPECT_EQ(colors(render(test_device(), pages, options)),
            (std::set<std::string>{"magenta", "orange"}));
  options.special_edges = false;
  EXPECT_EQ(colors(render(test_device(), pages, options)), std::set<std::string>{});
}

TEST(Render, NumbersOfAnySizeHaveAColor) {
  const float most = std::numeric_limits<float>::max();
  const float infinity = std::numeric_limits<float>::infinity();
  const float none = std::numeric_limits<float>::quiet_NaN();
  TriangleSoup mesh = square();
  RenderOptions options = from_the_front(100, 100);
  options.color_map = "gray";
  options.color_bar = false;
  const auto colors = [&](float lower_right, float upper_left) {
    const Field field{"f", FieldOn::faces, Array<float>{lower_right, upper_left}};
    options.field = &field;
    const Image image = render(test_device(), mesh, options);
    return std::pair(image.at(80, 85), image.at(20, 15));
  };
  const auto [no_value, last] = colors(none, 1);
  options.range = FieldRange{-most, most};
  const auto whole = colors(-most, most);
  EXPECT_LT(whole.first[0] + 100, whole.second[0]);
  for (const float value : {infinity, -infinity, none})
    EXPECT_EQ(colors(value, 1).first, no_value) << value;
}

TEST(Render, SameOnAnyNumberOfThreads) {
  const TriangleSoup mesh = generated(surface::Shape::noisy_sphere, 30000);
  RenderOptions options;
  options.width = 300;
  options.height = 200;
  options.shading = Shading::smooth;
  EXPECT_EQ(render(exec::Device::cpu(1), mesh, options).pixels,
            render(exec::Device::cpu(2), mesh, options).pixels);
}

TEST(Render, AnyMesh) {
  RenderOptions options;
  options.width = 64;
  options.height = 48;
  options.edges = true;
  for (const NamedMesh& named : surface_meshes()) {
    SCOPED_TRACE(named.name);
    for (const Shading shading : {Shading::flat, Shading::smooth}) {
      options.shading = shading;
      if (named.mesh.triangles.empty())
        EXPECT_THROW(render(test_device(), named.mesh, options), InputError);
      else
        EXPECT_EQ(render(test_device(), named.mesh, options).pixels.size(), 64u * 48u);
    }
  }
}

TEST(Render, BadOptions) {
  RenderOptions options;
  options.width = 0;
  EXPECT_THROW(render(test_device(), square(), options), InputError);
  options = {};
  options.antialias = 9;
  EXPECT_THROW(render(test_device(), square(), options), InputError);
  options = {};
  options.camera.zoom = 0;
  EXPECT_THROW(render(test_device(), square(), options), InputError);
  options = {};
  options.color_map = "rainbow";
  EXPECT_THROW(render(test_device(), square(), options), InputError);
  const float infinity = std::numeric_limits<float>::infinity();
  for (const FieldRange& range : {FieldRange{1, 1}, FieldRange{2, 1}, FieldRange{0, infinity},
                                  FieldRange{std::nanf(""), 1}}) {
    options = {};
    options.range = range;
    EXPECT_THROW(render(test_device(), square(), options), InputError);
  }
  options = {};
  const Field field{"f", FieldOn::faces, Array<float>{1}};
  options.field = &field;
  EXPECT_THROW(render(test_device(), square(), options), InputError);
}

/// Compares with a picture in tests/golden. With TESSERA_WRITE_GOLDEN in the environment it is
/// written instead, to be looked at and committed.
void expect_golden(const Image& image, const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(TESSERA_GOLDEN) / (name + ".png");
  if (std::getenv("TESSERA_WRITE_GOLDEN") != nullptr) {
    io::write_png(path, image);
    return;
  }
  const Image golden = read_png(path);
  ASSERT_EQ(image.width, golden.width);
  ASSERT_EQ(image.height, golden.height);
  double sum = 0;
  int far_off = 0;
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    int most = 0;
    for (int k = 0; k < 4; ++k)
      most = std::max(most, std::abs(int{image.pixels[i][k]} - int{golden.pixels[i][k]}));
    sum += most;
    far_off += most > 32 ? 1 : 0;
  }
  const auto pixels = static_cast<double>(image.pixels.size());
  EXPECT_LT(sum / pixels, 0.5) << name;
  EXPECT_LT(far_off / pixels, 0.002) << name;
}

TEST(Render, GoldenPictures) {
  RenderOptions options;
  options.width = 320;
  options.height = 240;
  const TriangleSoup torus = generated(surface::Shape::torus, 2000);
  expect_golden(render(test_device(), torus, options), "torus-flat");
  options.shading = Shading::smooth;
  const Field quality = make_field(test_device(), torus, "quality");
  options.field = &quality;
  expect_golden(render(test_device(), torus, options), "torus-quality");
  options.field = nullptr;
  options.edges = true;
  options.background = {{18, 20, 24, 255}};
  expect_golden(render(test_device(), generated(surface::Shape::cylinder, 600), options),
                "cylinder-edges");
}

}  // namespace
}  // namespace tessera::view
