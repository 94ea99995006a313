// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/image.h"
#include "tessera/core/vec.h"
#include "tessera/exec/device.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"
#include "tessera/view/detail/projection.h"
#include "tessera/view/detail/raster.h"

// Colour and light of what is seen.

namespace tessera::view::detail {

/// What faces are coloured by; one of the views has values, or none.
struct Paint {
  exec::View<const float> numbers;
  exec::View<const std::uint32_t> labels;
  exec::View<const Rgb> colors;
  bool on_vertices = false;
  exec::View<const Rgb> map;      ///< 256 colours for numbers
  exec::View<const Rgb> palette;  ///< for labels
  double min = 0;    ///< in double: the difference of two floats may be too large for one
  double scale = 0;  ///< from a number above the least one to its place in the map
  Rgb plain{{178, 188, 204}};
};

struct Lines {
  exec::View<const std::uint8_t> sides;  ///< as special_sides() gives them; empty: none drawn
  bool all_sides = false;
  float width = 1;  ///< in samples
};

struct Scenery {
  exec::View<const Triangle> triangles;
  exec::View<const Vec3d> positions;
  exec::View<const Vec3f> screen;
  exec::View<const Vec3f> normals;  ///< of vertices; empty: those of the faces
  Projection projection;
  Paint paint;
  Lines lines;
};

/// The picture of width x height pixels, each of antialias x antialias samples.
Image shade(const exec::Stream& stream, const Scenery& scenery, exec::View<const Sample> samples,
            int width, int height, int antialias, Rgba background);

/// Normals of vertices: sums of those of their faces, weighted by angles. In whole numbers, so
/// that the order of the faces does not matter.
exec::Buffer<Vec3f> vertex_normals(const exec::Stream& stream, exec::View<const Vec3d> positions,
                                   exec::View<const Triangle> triangles);

}  // namespace tessera::view::detail
