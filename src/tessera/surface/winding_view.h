// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <numbers>

#include "tessera/core/vec.h"
#include "tessera/exec/bits.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"
#include "tessera/surface/bvh_view.h"
#include "tessera/surface/detail/winding_nodes.h"

namespace tessera::surface {

/// What a kernel sees of a WindingTree.
class WindingView {
 public:
  WindingView() = default;
  WindingView(const BvhView& tree, exec::View<const detail::WindingNode> nodes)
      : tree_(tree), nodes_(nodes) {}

  /// The winding number of the surface around a point. Triangles together in a ball whose centre is
  /// more than `beta` times its radius away are summed up by what they look like from afar. 0 for
  /// points beyond 2^30 times the size of the mesh.
  TESSERA_KERNEL float winding_number(const Vec3d& point, float beta = 2) const {
    const detail::BvhShape& shape = tree_.shape();
    if (shape.triangles == 0) return 0;
    const Vec3d p = tree_.frame().to_local(point);
    constexpr double limit = 0x1p30;
    for (int i = 0; i < 3; ++i)
      if (p[i] < -limit || p[i] > limit) return 0;
    const detail::FinePoint fine(p);
    exec::Float4 far(0);
    double angle = 0;
    Index stack[detail::BvhShape::stack_size];
    stack[0] = 0;
    for (int size = 1; size > 0;) {
      const Index node = stack[--size];
      if (shape.is_leaf(node)) {
        const Index leaf = shape.leaf(node);
        const Index end = shape.first_triangle(leaf + 1);
        for (Index i = shape.first_triangle(leaf); i < end; ++i) {
          const detail::BvhTriangle& t = tree_.local_triangle(i);
          angle += detail::solid_angle(t.a - p, t.b - p, t.c - p);
        }
        continue;
      }
      const Index child = shape.first_child(node);
      for (unsigned near = nodes_[node].add_far(fine, beta * beta, far); near != 0;
           near &= near - 1)
        stack[size++] = child + static_cast<Index>(exec::lowest_bit(near));
    }
    alignas(16) float sums[4];
    far.store(sums);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]) +
           static_cast<float>(angle * (0.25 / std::numbers::pi));
  }

 private:
  BvhView tree_;
  exec::View<const detail::WindingNode> nodes_;
};

}  // namespace tessera::surface
