// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "tessera/core/vec.h"
#include "tessera/exec/float4.h"
#include "tessera/exec/kernel.h"

// What a Bvh is made of.

namespace tessera::surface::detail {

/// Between the coordinates of the mesh and those of the tree. The scale is a power of two, so that
/// only the shift rounds.
struct BvhFrame {
  double scale = 1;
  double inverse_scale = 1;
  Vec3d shift{};

  TESSERA_KERNEL Vec3d to_local(const Vec3d& p) const {
    constexpr double limit = 0x1p500;
    Vec3d q;
    for (int i = 0; i < 3; ++i) {
      const double x = p[i] * scale - shift[i];
      q[i] = x < -limit ? -limit : x > limit ? limit : x;
    }
    return q;
  }
  TESSERA_KERNEL Vec3d to_input(const Vec3d& p) const { return (p + shift) * inverse_scale; }
};

/// Corners in the frame of the tree.
struct BvhTriangle {
  Vec3d a;
  Vec3d b;
  Vec3d c;
};

/// A float a little below or above a number of moderate size: more than half an ulp away.
TESSERA_KERNEL constexpr float rounded_down(double x) {
  const auto f = static_cast<float>(x);
  return f - ((f < 0 ? -f : f) * 0x1p-23F + 0x1p-126F);
}
TESSERA_KERNEL constexpr float rounded_up(double x) {
  return -rounded_down(-x);
}

/// A float above all that lower_bounds() makes of boxes within the root of that number. The test
/// is wide enough for the rounding of both. Always finite; those are at most 4e36.
TESSERA_KERNEL constexpr float rounded_up_square(double x) {
  return x < 1e37 ? static_cast<float>(x * (1 + 0x1p-20)) + 0x1p-126F
                  : std::numeric_limits<float>::max();
}

/// A point as boxes see it: at most `max`, and at least `min`, away from where it is.
///
/// The squares of distances are compared in float. Of a point far from the mesh they differ by less
/// than a float shows, and no box would be ruled out: there they are computed in double, and less
/// that of the origin, which leaves differences alone. Beyond 2^45 a double shows none either.
struct BoxQuery {
  Vec3f min;
  Vec3f max;
  Vec3d point;
  double from_origin = 0;  ///< the square of its distance, if it is far away; 0: it is not

  TESSERA_KERNEL explicit BoxQuery(const Vec3d& p) : min{}, max{}, point(p) {
    constexpr double limit = 0x1p60;  // its square is a float still
    double farthest = 0;
    for (int i = 0; i < 3; ++i) {
      const double x = p[i] < -limit ? -limit : p[i] > limit ? limit : p[i];
      min[i] = rounded_down(x);
      max[i] = rounded_up(x);
      const double away = x < 0 ? -x : x;
      if (away > farthest) farthest = away;
    }
    if (farthest > 0x1p5 && farthest < 0x1p45) from_origin = squared_length(p);
  }

  /// A float above all that lower_bounds() makes of boxes within the root of that number. Always
  /// finite: children that do not exist are infinitely far away, and must stay beyond it.
  TESSERA_KERNEL float bound(double squared) const {
    if (from_origin == 0) return rounded_up_square(squared);
    return squared < 1e37 ? rounded_up(squared - from_origin + slack * from_origin)
                          : std::numeric_limits<float>::max();
  }

  /// More than the rounding of squares, in parts of them.
  static constexpr double slack = 0x1p-48;
};

/// The boxes of a node's children, side by side, so that a CPU tests several with one instruction.
/// A child that does not exist has an empty box, which is infinitely far from everything.
struct alignas(64) BvhNode {
  static constexpr int width = 8;

  float min[3][width];
  float max[3][width];

  /// At most the square of the distance of each box from a point, as BoxQuery has them. Bit c of
  /// the result is set where that of child c is at most `bound`.
  TESSERA_KERNEL unsigned lower_bounds(const BoxQuery& p, float bound,
                                       float (&squared)[width]) const {
    using exec::Float4;
    unsigned near = 0;
    if (p.from_origin != 0) return far_bounds(p, bound, squared);
    for (int c = 0; c < width; c += 4) {
      Float4 sum(0);
      for (int i = 0; i < 3; ++i) {
        const Float4 below = Float4::load(min[i] + c) - Float4(p.max[i]);
        const Float4 above = Float4(p.min[i]) - Float4::load(max[i] + c);
        const Float4 gap = larger(larger(below, above), Float4(0));
        sum = sum + gap * gap;
      }
      sum.store(squared + c);
      near |= at_most(sum, Float4(bound)) << c;
    }
    return near;
  }

 private:
  TESSERA_KERNEL unsigned far_bounds(const BoxQuery& p, float bound,
                                     float (&squared)[width]) const {
    unsigned near = 0;
    for (int c = 0; c < width; ++c) {
      double sum = 0;
      for (int i = 0; i < 3; ++i) {
        const double below = min[i][c] - p.point[i];
        const double above = p.point[i] - max[i][c];
        const double gap = below > above ? below : above;
        if (gap > 0) sum += gap * gap;
      }
      squared[c] = rounded_down(sum - p.from_origin - BoxQuery::slack * p.from_origin);
      if (squared[c] <= bound) near |= 1U << c;
    }
    return near;
  }
};

/// How the tree is numbered. Every node has eight children but the root, which has `root_children`;
/// all leaves are equally deep, and hold one triangle more or less than each other. So there are no
/// pointers: root 0, its children 1 .. root_children, and so on level by level, leaves last.
struct BvhShape {
  Index triangles = 0;
  Index root_children = 0;
  Index first_leaf = 0;  ///< the number of nodes
  Index leaves = 0;
  Index per_leaf = 0;  ///< triangles; the first `longer_leaves` have one more
  Index longer_leaves = 0;
  int levels = 0;  ///< of nodes

  /// A node waits with at most seven others on each of eleven levels (2^32 faces have fewer).
  static constexpr int stack_size = 88;

  BvhShape() = default;
  BvhShape(Index faces, Index most_per_leaf) : triangles(faces) {
    if (faces == 0) return;
    const std::uint64_t wanted = (std::uint64_t{faces} + most_per_leaf - 1) / most_per_leaf;
    std::uint64_t below_child = 1;  // leaves
    first_leaf = 1;
    std::uint64_t nodes_below_child = 0;
    levels = 1;
    while (wanted > BvhNode::width * below_child) {
      nodes_below_child += below_child;
      below_child *= BvhNode::width;
      ++levels;
    }
    const std::uint64_t children = (wanted + below_child - 1) / below_child;
    root_children = static_cast<Index>(children);
    first_leaf = static_cast<Index>(1 + children * nodes_below_child);
    leaves = static_cast<Index>(children * below_child);
    per_leaf = faces / leaves;
    longer_leaves = faces % leaves;
  }

  TESSERA_KERNEL bool is_leaf(Index node) const { return node >= first_leaf; }
  TESSERA_KERNEL Index leaf(Index node) const { return node - first_leaf; }
  TESSERA_KERNEL Index first_child(Index node) const {
    return node == 0 ? 1 : (node - 1) * BvhNode::width + root_children + 1;
  }
  TESSERA_KERNEL Index parent(Index node) const {
    return node <= root_children ? 0 : (node - root_children - 1) / BvhNode::width + 1;
  }
  /// Which child of its parent a node is.
  TESSERA_KERNEL Index slot(Index node) const { return node - first_child(parent(node)); }
  TESSERA_KERNEL Index first_triangle(Index leaf) const {
    return leaf * per_leaf + (leaf < longer_leaves ? leaf : longer_leaves);
  }
};

}  // namespace tessera::surface::detail
