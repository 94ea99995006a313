// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Mahmoud's dissertation, section 5.4.2.
#include "tessera/surface/delaunay.h"

#include <cmath>

#include "tessera/core/error.h"
#include "tessera/exec/reduce.h"
#include "tessera/surface/operators.h"

namespace tessera::surface {
namespace {

struct FlipToDelaunay {
  static constexpr Seed seed = Seed::edge;
  static constexpr Index new_faces = 0;
  static constexpr Index new_vertices = 0;

  /// The sine of the sum of the angles opposite to an edge is negative where it violates.
  TESSERA_KERNEL static bool violates(const DynamicView& mesh, Index h) {
    if (mesh.is_border(h)) return false;
    const Vec3d a = mesh.positions[mesh.from(h)];
    const Vec3d b = mesh.positions[mesh.to(h)];
    const Vec3d c = mesh.positions[mesh.opposite(h)];
    const Vec3d d = mesh.positions[mesh.opposite(mesh.twins[h])];
    const double cosine_c = dot(a - c, b - c);
    const double cosine_d = dot(a - d, b - d);
    const double sine_c = length(cross(a - c, b - c));
    const double sine_d = length(cross(a - d, b - d));
    const double sum = sine_c * cosine_d + sine_d * cosine_c;
    // Rounding must not flip an edge there and back.
    constexpr double tolerance = 1e-9;
    const double size = std::sqrt((cosine_c * cosine_c + sine_c * sine_c) *
                                  (cosine_d * cosine_d + sine_d * sine_d));
    return sum < -tolerance * size;
  }
  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index h, Wish&) const {
    return violates(mesh, h);
  }
  TESSERA_KERNEL bool can(const DynamicView& mesh, Index h, Wish&) const {
    return can_flip(mesh, h);
  }
  TESSERA_KERNEL void take(const DynamicView& mesh, Index h, Cavity& cavity) const {
    take_flip(mesh, h, cavity);
  }
  TESSERA_KERNEL void fill(Index h, int, Filling& filling) const { fill_flip(h, filling); }
};

struct CountViolating {
  DynamicView mesh;
  TESSERA_KERNEL std::uint64_t operator()(Index h) const {
    return mesh.is_edge(h) && mesh.edge_marks[h] == 0 && FlipToDelaunay::violates(mesh, h) ? 1 : 0;
  }
};

}  // namespace

DelaunayReport make_delaunay(DynamicMesh& mesh, const DelaunayOptions& options) {
  mesh.mark_creases(options.ridge_angle);
  UpdateOptions until_none;
  until_none.progress = part_of(options.progress, "flipping", 0, 1);
  const UpdateReport done = update(mesh, FlipToDelaunay{}, until_none);
  return {done.done, done.rounds,
          exec::reduce(mesh.stream(), mesh.half_edge_places(), std::uint64_t{0},
                       CountViolating{mesh.view()}, exec::Plus{})};
}

}  // namespace tessera::surface
