// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "scheme_bench.h"

#include <chrono>

#include "tessera/surface/operators.h"

namespace tessera::bench {
namespace {

using namespace tessera::surface;

TESSERA_KERNEL Vec3d along(const DynamicView& mesh, Index h) {
  return mesh.positions[mesh.to(h)] - mesh.positions[mesh.from(h)];
}

struct Split {
  static constexpr Seed seed = Seed::edge;
  static constexpr Index new_faces = 2;
  static constexpr Index new_vertices = 1;
  double longest;
  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index h, Wish&) const {
    return squared_length(along(mesh, h)) > longest * longest && can_split(mesh, h);
  }
  TESSERA_KERNEL void take(const DynamicView&, Index h, Cavity& cavity) const {
    cavity.take_edge(h);
  }
  TESSERA_KERNEL void fill(Index h, int, Filling& filling) const {
    const DynamicView& mesh = filling.mesh();
    fill_split(h, mesh.positions[mesh.from(h)] + along(mesh, h) * 0.5, filling);
  }
};

struct Collapse {
  static constexpr Seed seed = Seed::edge;
  static constexpr Index new_faces = 0;
  static constexpr Index new_vertices = 0;
  double shortest;
  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index h, Wish&) const {
    return squared_length(along(mesh, h)) < shortest * shortest;
  }
  TESSERA_KERNEL bool can(const DynamicView& mesh, Index h, Wish&) const {
    return can_collapse(mesh, h);
  }
  TESSERA_KERNEL void take(const DynamicView& mesh, Index h, Cavity& cavity) const {
    take_collapse(mesh, h, cavity);
  }
  TESSERA_KERNEL void fill(Index h, int, Filling& filling) const {
    fill_collapse(h, filling.mesh().positions[filling.mesh().to(h)], filling);
  }
};

template <class Op>
double seconds(DynamicMesh& mesh, const Op& op, Scheme scheme, UpdateReport& report) {
  UpdateOptions options;
  options.scheme = scheme;
  const auto start = std::chrono::steady_clock::now();
  report = update(mesh, op, options);
  mesh.stream().synchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

SchemeResult run_scheme(DynamicMesh& mesh, double longest, double shortest, Scheme scheme) {
  SchemeResult result;
  result.split_seconds = seconds(mesh, Split{longest}, scheme, result.splits);
  mesh.pack();
  result.collapse_seconds = seconds(mesh, Collapse{shortest}, scheme, result.collapses);
  return result;
}

}  // namespace tessera::bench
