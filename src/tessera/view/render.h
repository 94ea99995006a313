// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tessera/core/field.h"
#include "tessera/core/image.h"
#include "tessera/core/progress.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"

namespace tessera::view {

enum class Shading { flat, smooth };
enum class UpAxis { y, z };

/// Where the picture is taken from. The mesh always fills the picture, at zoom 1.
struct Camera {
  double azimuth = 30;    ///< degrees around the up axis; 0 looks at the front (y up: from +z)
  double elevation = 20;  ///< degrees above the horizon
  UpAxis up = UpAxis::y;
  double zoom = 1;              ///< 2 shows the middle half of the picture
  double field_of_view = 30;    ///< vertical, in degrees; 0: parallel projection
  std::optional<Vec3d> target;  ///< what is in the middle; by default the bounding box's middle
};

struct RenderOptions {
  int width = 1600;
  int height = 1200;
  int antialias = 2;  ///< samples a pixel along each axis, 1 to 8
  Camera camera{};
  Shading shading = Shading::flat;
  const Field* field = nullptr;  ///< to colour by
  /// Values of the first and the last colour, finite and increasing; by default shown_range().
  std::optional<FieldRange> range;
  std::string color_map = "viridis";
  bool color_bar = true;  ///< for fields of numbers
  bool edges = false;     ///< draw the sides of all faces
  /// Draw boundary and non-manifold edges in colours. By default up to two million faces: finding
  /// them takes longer than the picture, and larger meshes have faces smaller than a pixel.
  std::optional<bool> special_edges;
  Rgba background{{255, 255, 255, 255}};
  ProgressCallback progress{};
};

/// A picture of the mesh. In parallel on any device; hidden faces are found by a depth buffer in
/// which the nearest face wins, and of several the one with the smallest number, so the picture
/// does not depend on the number of threads. Throws InputError if the mesh is not valid, has no
/// faces, or an option is out of range; Cancelled if the callback says so.
Image render(const exec::Stream& stream, const TriangleSoup& mesh,
             const RenderOptions& options = {});

}  // namespace tessera::view
