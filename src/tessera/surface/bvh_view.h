// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

#include "tessera/core/vec.h"
#include "tessera/exec/bits.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"
#include "tessera/surface/detail/bvh_nodes.h"
#include "tessera/surface/point_triangle.h"

namespace tessera::surface {

/// A point of a surface, nearest to another point.
struct ClosestPoint {
  double distance = std::numeric_limits<double>::infinity();
  Index face = no_index;  ///< number in the input; no_index: there is none
  Vec3d point{};
  Index place = no_index;  ///< of the face in the tree: a start for searches nearby
};

/// What a kernel sees of a Bvh.
///
/// The tree computes in a frame of its own, in which the mesh is about as large as 1 around the
/// origin: boxes in float are then precise wherever the mesh lies, and squares do not overflow.
class BvhView {
 public:
  BvhView() = default;
  BvhView(const detail::BvhShape& shape, const detail::BvhFrame& frame,
          exec::View<const detail::BvhNode> nodes, exec::View<const detail::BvhTriangle> triangles,
          exec::View<const Index> faces)
      : shape_(shape), frame_(frame), nodes_(nodes), triangles_(triangles), faces_(faces) {}

  TESSERA_KERNEL Index size() const { return shape_.triangles; }
  /// The face, as numbered in the input, at each place of the tree. Consecutive places are near
  /// each other.
  TESSERA_KERNEL Index face(Index place) const { return faces_[place]; }
  /// The corners of the triangle at a place, off by rounding as large as the box of the mesh has.
  TESSERA_KERNEL detail::BvhTriangle triangle(Index place) const {
    const detail::BvhTriangle& t = triangles_[place];
    return {frame_.to_input(t.a), frame_.to_input(t.b), frame_.to_input(t.c)};
  }

  /// For what else is kept for the nodes of the tree: how they are numbered, and the frame.
  TESSERA_KERNEL const detail::BvhShape& shape() const { return shape_; }
  TESSERA_KERNEL const detail::BvhFrame& frame() const { return frame_; }
  /// The corners of the triangle at a place, in the frame of the tree.
  TESSERA_KERNEL const detail::BvhTriangle& local_triangle(Index place) const {
    return triangles_[place];
  }

  /// The point of the surface nearest to `point`, if there is one within `max_distance`. Among
  /// faces at the same distance, as computed, the one with the smallest number. Where a point is
  /// nearest to an edge or a vertex, the distances to the faces there may differ by rounding.
  /// Points beyond 2^500 times the size of the mesh are taken to be there.
  TESSERA_KERNEL ClosestPoint
  closest(const Vec3d& point, double max_distance = std::numeric_limits<double>::infinity()) const {
    if (shape_.triangles == 0) return {};
    Best best;
    const double bound = max_distance * frame_.scale;
    best.squared = bound * bound;
    const Vec3d p = frame_.to_local(point);
    search(p, best);
    return in_input(best);
  }

  /// The same without a limit, faster where the triangle at `place` is near: its distance is where
  /// the search starts. A place of no_index is none.
  TESSERA_KERNEL ClosestPoint closest_from(const Vec3d& point, Index place) const {
    if (shape_.triangles == 0) return {};
    Best best;
    const Vec3d p = frame_.to_local(point);
    if (place != no_index) test(p, place, best);
    search(p, best);
    return in_input(best);
  }

 private:
  struct Best {
    double squared = std::numeric_limits<double>::infinity();
    Index place = no_index;
    Vec3d point{};
  };

  TESSERA_KERNEL ClosestPoint in_input(const Best& best) const {
    if (best.place == no_index) return {};
    return {std::sqrt(best.squared) * frame_.inverse_scale, faces_[best.place],
            frame_.to_input(best.point), best.place};
  }

  TESSERA_KERNEL void test(const Vec3d& p, Index place, Best& best) const {
    const detail::BvhTriangle& t = triangles_[place];
    Vec3d point;
    const double squared = closest_on_triangle(p, t.a, t.b, t.c, best.squared, point);
    if (squared > best.squared) return;
    if (squared == best.squared && best.place != no_index && faces_[best.place] <= faces_[place])
      return;
    best = {squared, place, point};
  }

  TESSERA_KERNEL void search(const Vec3d& p, Best& best) const {
    struct Entry {
      Index node;
      float bound;
    };
    Entry stack[detail::BvhShape::stack_size];
    int size = 0;
    Index node = 0;
    const detail::BoxQuery q(p);
    float bound = q.bound(best.squared);
    for (;;) {
      if (shape_.is_leaf(node)) {
        const Index leaf = shape_.leaf(node);
        const Index end = shape_.first_triangle(leaf + 1);
        for (Index i = shape_.first_triangle(leaf); i < end; ++i) test(p, i, best);
        bound = q.bound(best.squared);
      } else {
        alignas(16) float lower[detail::BvhNode::width];
        unsigned near = nodes_[node].lower_bounds(q, bound, lower);
        // The nearest is next, the others wait.
        if (near != 0) {
          const Index child = shape_.first_child(node);
          int nearest = exec::lowest_bit(near);
          for (near &= near - 1; near != 0; near &= near - 1) {
            const int c = exec::lowest_bit(near);
            const bool nearer = lower[c] < lower[nearest];
            const int farther = nearer ? nearest : c;
            nearest = nearer ? c : nearest;
            stack[size++] = {child + static_cast<Index>(farther), lower[farther]};
          }
          node = child + static_cast<Index>(nearest);
          continue;
        }
      }
      do {
        if (size == 0) return;
        --size;
      } while (stack[size].bound > bound);
      node = stack[size].node;
    }
  }

  detail::BvhShape shape_;
  detail::BvhFrame frame_;
  exec::View<const detail::BvhNode> nodes_;
  exec::View<const detail::BvhTriangle> triangles_;
  exec::View<const Index> faces_;
};

}  // namespace tessera::surface
