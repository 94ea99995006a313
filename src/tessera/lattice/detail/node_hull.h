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
    put(faces_++, ends, a, b, c);
  }
  TESSERA_KERNEL void put(Index place, exec::View<const StrutEnd> ends, Index a, Index b, Index c) {
    const Vec3d origin = ends[a].function.a;
    const Vec3d normal = cross(ends[b].function.a - origin, ends[c].function.a - origin);
    Face& face = face_[place];
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
    // Which triangles p sees: without branches, which would go the wrong way too often.
    std::uint64_t seen = 0;
    for (Index f = 0; f < faces_; ++f)
      seen |= static_cast<std::uint64_t>(height_above(f, point) > 0) << f;
    if (seen == 0) return false;
    std::uint32_t edges[most];  // the directed ones of these triangles, by where they start
    std::uint32_t corners = 0;
    for (std::uint64_t left = seen; left != 0; left &= left - 1) {
      const Face& face = face_[exec::lowest_bit(left)];
      for (int k = 0; k < 3; ++k) {
        const Index from = face.corner[k];
        if ((corners >> from & 1U) == 0) edges[from] = 0;
        corners |= 1U << from;
        edges[from] |= 1U << face.corner[(k + 1) % 3];
      }
    }
    // New ones take the places of those that go: two more, because the border is that of a disc of
    // triangles that has no corners within.
    const Index last = faces_ + 2;
    for (; corners != 0; corners &= corners - 1) {
      const auto from = static_cast<Index>(exec::lowest_bit(corners));
      for (std::uint32_t border = edges[from]; border != 0; border &= border - 1) {
        const auto to = static_cast<Index>(exec::lowest_bit(border));
        if ((edges[to] >> from & 1U) != 0) continue;
        if (seen == 0 && faces_ == last) return false;
        const Index place = seen != 0 ? static_cast<Index>(exec::lowest_bit(seen)) : faces_++;
        seen &= seen - 1;
        put(place, ends, from, to, p);
      }
    }
    return seen == 0 && faces_ == last;
  }

  Face face_[2 * most - 4];
  std::uint8_t after_[most][most];  ///< the neighbour of the first strut after the second
  std::uint32_t neighbours_[most];
  Index size_ = 0;
  Index faces_ = 0;
};

}  // namespace tessera::lattice::detail
