// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/detail/creases.h"

#include <cmath>
#include <cstdint>
#include <numbers>

#include "tessera/exec/buffer.h"
#include "tessera/exec/for_each.h"

namespace tessera::surface::detail {
namespace {

using exec::View;

TESSERA_KERNEL inline bool is_sliver(const DynamicView& mesh, Index f) {
  return mesh.height_ratio(f) < DynamicView::sliver_ratio;
}

/// Edges where the surface turns. A sliver faces any way that noise or rounding has turned it, so
/// what is behind it must turn too; where two slivers are in one plane, nothing turns.
struct MarkCreases {
  DynamicView mesh;
  double least_cosine;
  TESSERA_KERNEL void operator()(Index h) const {
    if (!mesh.is_edge(h) || mesh.is_border(h)) return;
    const Index twin = mesh.twins[h];
    const Vec3d own_a = mesh.area(h / 3);
    const Vec3d own_b = mesh.area(twin / 3);
    if (is_level(own_a, own_b)) return;
    const Vec3d a = direction(h);
    const Vec3d b = direction(twin);
    if (!(squared_length(a) * squared_length(b) > 0) || is_level(a, b)) return;
    mesh.edge_marks[h] |= DynamicView::crease;
    mesh.edge_marks[twin] |= DynamicView::crease;
  }

 private:
  TESSERA_KERNEL bool is_level(const Vec3d& a, const Vec3d& b) const {
    const double size = std::sqrt(squared_length(a) * squared_length(b));
    return size > 0 && dot(a, b) >= least_cosine * size;
  }
  /// Where the surface faces on a half-edge's side: with a sliver the faces behind it count too,
  /// but not if it is one of several in a plane that make a broad face, like the cap of a cylinder.
  /// A sliver that was subdivided is several in one plane, too.
  TESSERA_KERNEL Vec3d direction(Index h) const {
    const Vec3d own = mesh.area(h / 3);
    if (!is_sliver(mesh, h / 3)) return own;
    constexpr int most = 32;
    Index slivers[most] = {h / 3};
    int count = 1;
    Vec3d plane{};
    Vec3d behind_it{};
    for (int i = 0; i < count; ++i) {
      plane += mesh.area(slivers[i]);
      for (Index e = 3 * slivers[i]; e < 3 * slivers[i] + 3; ++e) {
        if (e == h || mesh.is_border(e)) continue;
        const Index behind = mesh.twins[e] / 3;
        const Vec3d area = mesh.area(behind);
        if (!is_sliver(mesh, behind) || !is_parallel(area, own))
          behind_it += area;
        else if (count < most && !contains(slivers, count, behind))
          slivers[count++] = behind;
      }
    }
    return is_thin(slivers, count, plane) ? plane + behind_it : plane;
  }
  /// Whether faces in one plane are together as thin as a sliver.
  TESSERA_KERNEL bool is_thin(const Index* faces, int count, const Vec3d& area) const {
    const Vec3d end = farthest(faces, count, mesh.positions[mesh.from(3 * faces[0])]);
    const double longest = squared_length(farthest(faces, count, end) - end);
    return length(area) < DynamicView::sliver_ratio * longest;
  }
  /// The corner that is farthest from a point.
  TESSERA_KERNEL Vec3d farthest(const Index* faces, int count, const Vec3d& point) const {
    Vec3d found = point;
    for (int i = 0; i < count; ++i)
      for (Index h = 3 * faces[i]; h < 3 * faces[i] + 3; ++h) {
        const Vec3d corner = mesh.positions[mesh.from(h)];
        if (squared_length(corner - point) > squared_length(found - point)) found = corner;
      }
    return found;
  }
  TESSERA_KERNEL static bool is_parallel(const Vec3d& a, const Vec3d& b) {
    constexpr double cosine = 0.97;
    return dot(a, b) >= cosine * std::sqrt(squared_length(a) * squared_length(b));
  }
  TESSERA_KERNEL static bool contains(const Index* faces, int count, Index face) {
    for (int i = 0; i < count; ++i)
      if (faces[i] == face) return true;
    return false;
  }
};

/// A crease of one edge beside a sliver that neither goes on nor ends at a border or another one is
/// noise.
struct FindLoneCreases {
  DynamicView mesh;
  View<std::uint8_t> are_lone;
  TESSERA_KERNEL void operator()(Index h) const {
    are_lone[h] = 0;
    if (!mesh.is_face(h / 3) || mesh.is_border(h) || !mesh.is_crease(h)) return;
    if ((mesh.edge_marks[h] & DynamicView::given) != 0) return;
    if (!is_sliver(mesh, h / 3) && !is_sliver(mesh, mesh.twins[h] / 3)) return;
    const auto lines = [&](Index v) { return mesh.lines_at(v).count; };
    are_lone[h] = lines(mesh.from(h)) == 1 && lines(mesh.to(h)) == 1 ? 1 : 0;
  }
};

struct ClearLoneCreases {
  DynamicView mesh;
  View<const std::uint8_t> are_lone;
  TESSERA_KERNEL void operator()(Index h) const {
    if (are_lone[h] != 0) mesh.edge_marks[h] &= static_cast<std::uint8_t>(~DynamicView::crease);
  }
};

struct FixCorners {
  DynamicView mesh;
  double least_cosine;
  TESSERA_KERNEL void operator()(Index v) const {
    if (!mesh.is_vertex(v)) return;
    const auto [count, ends] = mesh.lines_at(v);
    if (count == 0) return;
    const double size = std::sqrt(squared_length(ends[0]) * squared_length(ends[1]));
    const bool is_straight = count == 2 && -dot(ends[0], ends[1]) >= least_cosine * size;
    if (!is_straight) mesh.vertex_marks[v] |= DynamicView::fixed;
  }
};

}  // namespace

void mark_creases(const exec::Stream& stream, const DynamicView& mesh, Index faces, Index vertices,
                  double degrees) {
  const double cosine = std::cos(degrees * std::numbers::pi / 180);
  exec::for_each(stream, 3 * faces, MarkCreases{mesh, cosine});
  exec::Buffer<std::uint8_t> are_lone(stream, std::size_t{3} * faces);
  exec::for_each(stream, 3 * faces, FindLoneCreases{mesh, are_lone.view()});
  exec::for_each(stream, 3 * faces, ClearLoneCreases{mesh, are_lone.const_view()});
  exec::for_each(stream, vertices, FixCorners{mesh, cosine});
}

}  // namespace tessera::surface::detail
