// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/array.h"
#include "tessera/core/progress.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/exec/view.h"
#include "tessera/surface/bvh.h"
#include "tessera/surface/winding_view.h"

namespace tessera::surface {

/// Tells how often the triangles of a mesh wind around a point: their solid angles seen from there,
/// over 4 pi. Of a closed mesh that faces outwards it is 1 inside and 0 outside; where it has
/// holes, overlaps itself or is a mere soup, a number that changes smoothly everywhere but across
/// the triangles, so that 0.5 parts inside from outside in a sensible way.
///
/// A Bvh with a little more for each node. Lives on the device of its stream and needs no mesh any
/// more; 150 to 200 bytes a face. The same on any number of threads.
class WindingTree {
 public:
  /// Throws InputError if the mesh is not valid (TriangleSoup::validate).
  WindingTree(const exec::Stream& stream, const TriangleSoup& mesh);

  /// The tree itself, for closest points.
  const Bvh& bvh() const { return tree_; }
  /// For kernels; valid as long as the tree.
  WindingView view() const { return {tree_.view(), nodes_.view()}; }

 private:
  Bvh tree_;
  exec::Buffer<detail::WindingNode> nodes_;
};

struct WindingOptions {
  /// Groups of triangles are taken as one where their distance is more than so many times their
  /// radius. At 2 winding numbers were off by 0.003 at most and by 0.0005 on average, on smooth
  /// and on noisy meshes of up to a million faces; at 3 by 0.0004, in two to three times the time.
  float beta = 2;
  ProgressCallback progress{};
};

/// The winding number of the mesh around each point; 0 around all if it has no faces. Points in any
/// order. The same on any number of threads; on a GPU the last bits differ. On the surface itself,
/// where the number jumps, it is finite and no more. Throws InputError if a coordinate is not a
/// finite number or beta is below 1, Cancelled if the callback says so.
Array<float> winding_numbers(const exec::Stream& stream, const WindingTree& tree,
                             const Array<Vec3d>& points, const WindingOptions& options = {});
/// From memory of the device.
exec::Buffer<float> winding_numbers(const exec::Stream& stream, const WindingTree& tree,
                                    exec::View<const Vec3d> points,
                                    const WindingOptions& options = {});

/// 1 for the points with a winding number of at least 0.5, 0 for the others. Throws as above.
Array<std::uint8_t> are_inside(const exec::Stream& stream, const WindingTree& tree,
                               const Array<Vec3d>& points, const WindingOptions& options = {});
exec::Buffer<std::uint8_t> are_inside(const exec::Stream& stream, const WindingTree& tree,
                                      exec::View<const Vec3d> points,
                                      const WindingOptions& options = {});

}  // namespace tessera::surface
