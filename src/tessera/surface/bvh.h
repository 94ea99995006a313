// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/array.h"
#include "tessera/core/progress.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/exec/view.h"
#include "tessera/surface/bvh_view.h"

namespace tessera::surface {

/// A bounding-volume hierarchy over the triangles of a mesh: a tree of boxes that finds what is
/// near a point without looking at every triangle. Lives on the device of its stream and keeps the
/// corners of the triangles itself, so the mesh need not stay. About 100 bytes a face.
///
/// Any triangles will do, degenerate ones too. The same mesh makes the same tree on any number of
/// threads.
class Bvh {
 public:
  /// Throws InputError if the mesh is not valid (TriangleSoup::validate).
  Bvh(const exec::Stream& stream, const TriangleSoup& mesh);
  /// From memory of the device. Vertex numbers are in range, coordinates finite.
  Bvh(const exec::Stream& stream, exec::View<const Vec3d> positions,
      exec::View<const Triangle> triangles);

  /// How many triangles.
  Index size() const { return shape_.triangles; }
  /// For kernels; valid as long as the tree.
  BvhView view() const { return {shape_, frame_, nodes_.view(), triangles_.view(), faces_.view()}; }

 private:
  void build(const exec::Stream& stream, exec::View<const Vec3d> positions,
             exec::View<const Triangle> triangles);

  detail::BvhShape shape_;
  detail::BvhFrame frame_;
  exec::Buffer<detail::BvhNode> nodes_;
  exec::Buffer<detail::BvhTriangle> triangles_;
  exec::Buffer<Index> faces_;
};

/// For each point the nearest one of a surface, as BvhView::closest() finds it.
struct ClosestPoints {
  Array<double> distances;
  Array<Index> faces;
  Array<Vec3d> points;
};

/// Points in any order: they are visited in one in which neighbours follow each other. A tree
/// without triangles has no closest points: infinite distances, faces no_index. The result is the
/// same on any number of threads; on a GPU the last bits differ, and so which of two faces at
/// nearly the same distance is found. Throws InputError if a coordinate is not a finite number,
/// Cancelled if the callback says so.
ClosestPoints closest_points(const exec::Stream& stream, const Bvh& tree,
                             const Array<Vec3d>& points, const ProgressCallback& progress = {});

/// The distance of each point from the surface where that is at most the point's reach, else
/// infinity: far cheaper than without a limit where the reach is short. Memory of the device.
/// Coordinates are finite; throws std::invalid_argument if the sizes differ, Cancelled if the
/// callback says so.
exec::Buffer<double> distances_within(const exec::Stream& stream, const Bvh& tree,
                                      exec::View<const Vec3d> points, exec::View<const float> reach,
                                      const ProgressCallback& progress = {});

}  // namespace tessera::surface
