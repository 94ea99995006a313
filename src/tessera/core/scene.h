// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/array.h"
#include "tessera/core/box.h"
#include "tessera/core/field.h"
#include "tessera/core/histogram.h"
#include "tessera/core/image.h"
#include "tessera/core/vec.h"

namespace tessera {

struct SceneSize {
  std::uint64_t vertices = 0;
  std::uint64_t faces = 0;
};

/// One mesh in the viewer page.
struct SceneLayer {
  std::string name;
  Vec3d origin{};      ///< what positions are relative to
  Box bounds{{}, {}};  ///< of the faces, relative to it
  Array<Vec3f> positions;
  Array<Triangle> triangles;
  Array<std::uint8_t> sides;  ///< of each face, as surface::special_sides(); empty: none special
  std::vector<Field> fields;
  /// The size of the mesh that this is a simplified picture of.
  std::optional<SceneSize> simplified_from;
  std::vector<std::pair<std::string, std::string>> info;      ///< label and text
  std::vector<std::pair<std::string, Histogram>> histograms;  ///< by name
};

/// Everything that the viewer page shows, as plain data.
struct Scene {
  std::string title;
  std::vector<SceneLayer> layers;
  /// 256 colours each.
  std::vector<std::pair<std::string, std::vector<Rgb>>> color_maps;
  std::vector<Rgb> palette;  ///< 32 colours for labels

  // How it is shown first.
  std::string color;  ///< a field's name; empty: none
  std::optional<FieldRange> range;
  std::string color_map;
  bool smooth = false;
  bool edges = false;
};

}  // namespace tessera
