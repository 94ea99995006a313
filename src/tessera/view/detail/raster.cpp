// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/view/detail/raster.h"

#include <cmath>

#include "tessera/exec/append.h"
#include "tessera/exec/atomic.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/scan.h"

namespace tessera::view::detail {
namespace {

using exec::Buffer;
using exec::View;

/// Faces around which a box has more samples than this are shared among threads, row by row.
constexpr int many_samples = 4096;

/// The samples in the box around a face, cut to the picture. Samples lie at halves.
struct SampleBox {
  int left;
  int top;
  int right;  ///< one past the last
  int bottom;

  TESSERA_KERNEL bool empty() const { return left >= right || top >= bottom; }
  TESSERA_KERNEL bool is_large() const {
    return static_cast<std::int64_t>(right - left) * (bottom - top) > many_samples;
  }
};

TESSERA_KERNEL inline int clamp_to(float value, int most) {
  return value <= 0 ? 0 : value >= static_cast<float>(most) ? most : static_cast<int>(value);
}

struct Picture {
  View<const Vec3f> screen;
  View<const Triangle> triangles;
  View<Sample> samples;
  int width;
  int height;

  TESSERA_KERNEL SampleBox box(const ScreenFace& face) const {
    Vec3f low = face.corner[0];
    Vec3f high = face.corner[0];
    for (int k = 1; k < 3; ++k)
      for (int i = 0; i < 2; ++i) {
        if (face.corner[k][i] < low[i]) low[i] = face.corner[k][i];
        if (face.corner[k][i] > high[i]) high[i] = face.corner[k][i];
      }
    return {clamp_to(std::ceil(low[0] - 0.5F), width), clamp_to(std::ceil(low[1] - 0.5F), height),
            clamp_to(std::floor(high[0] + 0.5F), width),
            clamp_to(std::floor(high[1] + 0.5F), height)};
  }

  TESSERA_KERNEL void draw_row(Index f, const ScreenFace& face, int y, int left, int right) const {
    // A little outside still counts, so that rounding leaves no cracks between neighbours.
    constexpr float outside = -1e-5F;
    const float dz1 = face.corner[1][2] - face.corner[0][2];
    const float dz2 = face.corner[2][2] - face.corner[0][2];
    for (int x = left; x < right; ++x) {
      const Vec3f w = face.weights(static_cast<float>(x) + 0.5F, static_cast<float>(y) + 0.5F);
      if (!(w[0] >= outside && w[1] >= outside && w[2] >= outside)) continue;
      const float depth = face.corner[0][2] + w[1] * dz1 + w[2] * dz2;
      // The largest float below one keeps the depth within 32 bits.
      const float inside = depth < 0 ? 0 : depth > 0.99999994F ? 0.99999994F : depth;
      const Sample sample = (static_cast<Sample>(inside * 4294967296.0F) << 32) | f;
      Sample& place = samples[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                              static_cast<std::size_t>(x)];
      if (sample < exec::atomic_load(place)) exec::atomic_min(place, sample);
    }
  }
};

/// Draws small faces and sets large ones aside.
struct DrawFaces {
  Picture picture;
  template <class Append>
  TESSERA_KERNEL void operator()(Index f, Append& append) const {
    const ScreenFace face(picture.screen, picture.triangles[f]);
    if (!(face.area != 0)) return;
    const SampleBox box = picture.box(face);
    if (box.empty()) return;
    if (box.is_large()) {
      append(f);
      return;
    }
    for (int y = box.top; y < box.bottom; ++y) picture.draw_row(f, face, y, box.left, box.right);
  }
};

struct CountRows {
  Picture picture;
  View<const Index> faces;
  View<std::uint64_t> rows;
  TESSERA_KERNEL void operator()(Index i) const {
    if (i >= faces.size()) {
      rows[i] = 0;
      return;
    }
    const SampleBox box = picture.box({picture.screen, picture.triangles[faces[i]]});
    rows[i] = static_cast<std::uint64_t>(box.bottom - box.top);
  }
};

struct DrawRow {
  Picture picture;
  View<const Index> faces;
  View<const std::uint64_t> first_row;
  TESSERA_KERNEL void operator()(std::uint64_t row) const {
    Index low = 0;
    auto high = static_cast<Index>(faces.size());
    while (high - low > 1) {
      const Index middle = low + (high - low) / 2;
      (first_row[middle] <= row ? low : high) = middle;
    }
    const Index f = faces[low];
    const ScreenFace face(picture.screen, picture.triangles[f]);
    const SampleBox box = picture.box(face);
    picture.draw_row(f, face, box.top + static_cast<int>(row - first_row[low]), box.left,
                     box.right);
  }
};

}  // namespace

Buffer<Sample> rasterize(const exec::Stream& stream, View<const Vec3f> screen,
                         View<const Triangle> triangles, int width, int height) {
  const auto faces = static_cast<Index>(triangles.size());
  Buffer<Sample> samples(stream,
                         static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  exec::fill(stream, samples.view(), no_sample);
  const Picture picture{screen, triangles, samples.view(), width, height};
  Buffer<Index> large(stream, faces);
  Buffer<Index> count(stream, 1);
  exec::fill(stream, count.view(), 0);
  exec::for_each_append(stream, faces, DrawFaces{picture}, large.view(), count.view());
  const Index larges = exec::download_one(stream, count, 0);
  if (larges == 0) return samples;
  const View<const Index> list = large.const_view().subview(0, larges);
  Buffer<std::uint64_t> first_row(stream, std::size_t{larges} + 1);
  exec::for_each(stream, larges + 1, CountRows{picture, list, first_row.view()});
  exec::exclusive_scan(stream, first_row.view(), first_row.view());
  const std::uint64_t rows = exec::download_one(stream, first_row, larges);
  exec::for_each(stream, rows, DrawRow{picture, list, first_row.const_view()});
  return samples;
}

}  // namespace tessera::view::detail
