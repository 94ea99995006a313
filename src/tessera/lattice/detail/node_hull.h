// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/exec/bits.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"
#include "tessera/lattice/detail/strut_end.h"

namespace tessera::lattice::detail {

/// The loops of all struts of a node at once, where all of them are cylinders: L_i(y) = y.a_i, so
/// the strut that is largest in the direction y is the corner of the convex hull of all a_i that is
/// farthest out in that direction. Each is a corner, the farthest in the direction of its strut
/// (can_share_node sees to that); the hull's triangles are the junctions, and those around a corner
/// are the strut's loop.
///
/// Made corner by corner: what a new one sees goes, and it is joined to the border of that.
class NodeHull {
 public:
  static constexpr Index least = 4;
  static constexpr Index most = 32;

  /// Of at least four and at most 32 struts. False where rounding leads astray.
  TESSERA_KERNEL bool build(exec::View<const StrutEnd> ends) {
    size_ = static_cast<Index>(ends.size());
    faces_ = 0;
    add(ends, 0, 1, 2);
    const double side = height_above(0, ends[3].function.a);
    if (side == 0) return false;
    if (side > 0) {
      faces_ = 0;
      add(ends, 0, 2, 1);
    }
    const Face base = face_[0];
    for (int k = 0; k < 3; ++k) add(ends, base.corner[(k + 1) % 3], base.corner[k], 3);
    for (Index p = 4; p < size_; ++p)
      if (!join(ends, p)) return false;
    return find_loops();
  }

  /// Calls f(k, strut) for the neighbours of a strut, counter-clockwise seen from its tip. Returns
  /// how many they are.
  template <class F>
  TESSERA_KERNEL Index visit_loop(Index i, const F& f) const {
    const auto first = static_cast<Index>(exec::lowest_bit(neighbours_[i]));
    Index count = 0;
    Index at = first;
    do {
      f(count++, at);
      at = after_[i][at];
    } while (at != first);
    return count;
  }

 private:
  struct Face {
    std::uint8_t corner[3];
    double normal[3];
    double height;
  };

  TESSERA_KERNEL void add(exec::View<const StrutEnd> ends, Index a, Index b, Index c) {
    const Vec3d origin = ends[a].function.a;
    const Vec3d normal = cross(ends[b].function.a - origin, ends[c].function.a - origin);
    Face& face = face_[faces_++];
    const Index corners[3] = {a, b, c};
    for (int k = 0; k < 3; ++k) {
      face.corner[k] = static_cast<std::uint8_t>(corners[k]);
      face.normal[k] = normal[k];
    }
    face.height = dot(normal, origin);
  }
  TESSERA_KERNEL double height_above(Index f, const Vec3d& p) const {
    const Face& face = face_[f];
    return face.normal[0] * p[0] + face.normal[1] * p[1] + face.normal[2] * p[2] - face.height;
  }

  /// False if they are not one closed loop around each corner.
  TESSERA_KERNEL bool find_loops() {
    std::uint8_t triangles[most];
    for (Index i = 0; i < size_; ++i) {
      neighbours_[i] = 0;
      triangles[i] = 0;
    }
    for (Index f = 0; f < faces_; ++f)
      for (int k = 0; k < 3; ++k) {
        const Index corner = face_[f].corner[k];
        const Index from = face_[f].corner[(k + 1) % 3];
        if ((neighbours_[corner] >> from & 1U) != 0) return false;
        after_[corner][from] = face_[f].corner[(k + 2) % 3];
        neighbours_[corner] |= 1U << from;
        ++triangles[corner];
      }
    for (Index i = 0; i < size_; ++i) {
      if (triangles[i] < 3) return false;
      const auto first = static_cast<Index>(exec::lowest_bit(neighbours_[i]));
      Index at = first;
      for (int k = 0; k < triangles[i]; ++k) {
        if (k > 0 && at == first) return false;
        if ((neighbours_[i] >> at & 1U) == 0) return false;
        at = after_[i][at];
      }
      if (at != first) return false;
    }
    return true;
  }

  TESSERA_KERNEL bool join(exec::View<const StrutEnd> ends, Index p) {
    const Vec3d point = ends[p].function.a;
    std::uint32_t seen[most];  // the directed edges of triangles that p sees, by where they start
    for (Index i = 0; i < p; ++i) seen[i] = 0;
    Index staying = 0;
    for (Index f = 0; f < faces_; ++f) {
      if (height_above(f, point) > 0) {
        for (int k = 0; k < 3; ++k) seen[face_[f].corner[k]] |= 1U << face_[f].corner[(k + 1) % 3];
      } else {
        if (staying != f) face_[staying] = face_[f];
        ++staying;
      }
    }
    const Index lost = faces_ - staying;
    faces_ = staying;
    for (Index from = 0; from < p; ++from) {
      std::uint32_t border = seen[from];
      while (border != 0) {
        const auto to = static_cast<Index>(exec::lowest_bit(border));
        border &= border - 1;
        if ((seen[to] >> from & 1U) != 0) continue;
        if (faces_ - staying == lost + 2) return false;
        add(ends, from, to, p);
      }
    }
    // The border of a disc of triangles that has no corners within.
    return lost > 0 && faces_ - staying == lost + 2;
  }

  Face face_[2 * most - 4];
  std::uint8_t after_[most][most];  ///< the neighbour of the first strut after the second
  std::uint32_t neighbours_[most];
  Index size_ = 0;
  Index faces_ = 0;
};

}  // namespace tessera::lattice::detail
