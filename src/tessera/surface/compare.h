// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "tessera/core/array.h"
#include "tessera/core/progress.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"
#include "tessera/surface/analysis.h"
#include "tessera/surface/shape_histograms.h"

namespace tessera::surface {

struct CompareOptions {
  /// Points on each surface from which the distance to the other is taken, at most 2^32. They are
  /// spread by area, one at random in each of as many pieces of equal area. 0: vertices only.
  std::uint64_t samples = 1'000'000;
  std::uint64_t seed = 1;         ///< of the places of the samples
  bool vertex_distances = false;  ///< whether to return the distance of each vertex
  int histogram_bins = 0;         ///< of the shape of both meshes; 0: no histograms
  ProgressCallback progress{};
};

/// Angles between the faces' normals at a sample and at its closest point, in degrees, 0 to 180;
/// faces are taken as they are oriented. Where the closest point is on an edge or a vertex, it has
/// the normal of the face that was found, one of those there. Samples whose closest face has no
/// normal, because its corners are in a line, are left out.
struct NormalDeviation {
  double mean = 0;
  double rms = 0;  ///< root of the mean of squares
  double max = 0;
  std::uint64_t samples = 0;
};

/// Where one surface is farthest from the other.
struct FarthestPoint {
  double distance = 0;
  Vec3d point{};         ///< on this surface
  Index face = 0;        ///< of this surface, with that point
  Vec3d nearest{};       ///< on the other surface
  Index other_face = 0;  ///< of the other surface, with that point
};

/// How far the points of a surface are from another one. Mean and RMS are those of the samples, so
/// weighted by area. Without samples each face counts with its area and distances linear between
/// those of its corners; if all of them are degenerate, all alike.
struct SurfaceDistance {
  double mean = 0;
  double rms = 0;
  double max = 0;                  ///< over samples and vertices
  double vertex_max = 0;           ///< over the vertices that faces have
  std::uint64_t samples = 0;       ///< taken: 0 if all faces are degenerate
  FarthestPoint farthest;          ///< where the maximum is
  NormalDeviation normals;         ///< zeros without samples
  Array<double> vertex_distances;  ///< of all vertices, if asked for
};

struct Comparison {
  SurfaceDistance a_to_b;
  SurfaceDistance b_to_a;
  double mean = 0;  ///< of both directions, weighted by their areas
  double rms = 0;
  double max = 0;  ///< the Hausdorff distance, as far as samples and vertices show it
  NormalDeviation normals;
  MeshInfo a;
  MeshInfo b;
  double area_change = 0;               ///< that of b less that of a
  std::optional<double> volume_change;  ///< where both enclose one
  double diagonal = 0;                  ///< of the bounding box of both
  std::optional<ShapeHistograms> a_shape;
  std::optional<ShapeHistograms> b_shape;
};

/// Compares two surfaces by the distance of points of each to the other. Distances from a vertex
/// are exact but for rounding; over a whole surface the true maximum may lie between the samples.
///
/// The result is the same on any number of threads; on a GPU the last bits differ. Throws
/// InputError if a mesh is not valid, has no faces or an area that is no finite number, or there
/// are too many samples or bins; Cancelled if the callback says so.
Comparison compare(const exec::Stream& stream, const TriangleSoup& a, const TriangleSoup& b,
                   const CompareOptions& options = {});

}  // namespace tessera::surface
