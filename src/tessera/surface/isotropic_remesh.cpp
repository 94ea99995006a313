// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Botsch and Kobbelt, A remeshing approach to multiresolution modeling, 2004; Mahmoud's
// dissertation, section 5.4.3.
#include "tessera/surface/isotropic_remesh.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tessera/core/error.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/reduce.h"
#include "tessera/surface/bvh.h"
#include "tessera/surface/dynamic_mesh.h"
#include "tessera/surface/line_tree.h"
#include "tessera/surface/shape_operations.h"
#include "tessera/surface/transfer.h"
#include "tessera/surface/update.h"

namespace tessera::surface {
namespace {

using exec::Buffer;
using exec::View;

/// Where vertices are drawn back to the surface, those on a crease or border to that.
struct Project {
  DynamicView mesh;
  BvhView surface;
  BvhView lines;
  View<Index> nearest;  ///< places of the triangles that were so before; no_index: unknown
  View<Vec3d> moved;
  TESSERA_KERNEL void operator()(Index v) const {
    if (!mesh.is_vertex(v)) return;
    moved[v] = mesh.positions[v];
    if (mesh.is_fixed(v)) return;
    bool is_on_line = false;
    mesh.visit_star(v, [&](Index h) {
      is_on_line = mesh.is_line(h);
      return !is_on_line;
    });
    if (is_on_line) {
      if (lines.size() != 0) moved[v] = lines.closest(mesh.positions[v]).point;
      return;
    }
    const ClosestPoint found = surface.closest_from(mesh.positions[v], nearest[v]);
    moved[v] = found.point;
    nearest[v] = found.place;
  }
};

struct EdgeLength {
  DynamicView mesh;
  TESSERA_KERNEL double operator()(Index h) const {
    return mesh.is_edge(h) ? std::sqrt(squared_length_of(mesh, h)) : 0;
  }
};
struct IsEdge {
  DynamicView mesh;
  TESSERA_KERNEL double operator()(Index h) const { return mesh.is_edge(h) ? 1 : 0; }
};

class Remesher {
 public:
  Remesher(const exec::Stream& stream, const TriangleSoup& input,
           const IsotropicRemeshOptions& options)
      : stream_(stream),
        options_(options),
        input_(input),
        mesh_(stream, input, Carry::nothing),
        surface_(stream, input),
        lines_(mark_lines()) {
    report_.length = options.length > 0 ? options.length : mean_length();
  }

  IsotropicRemeshResult run() {
    for (int i = 0; i < options_.iterations; ++i) iterate();
    IsotropicRemeshResult result{mesh_.to_soup(), report_};
    // Vertices have moved along the surface, so they get what is there.
    transfer_attributes(stream_, input_, surface_, result.mesh, options_.progress);
    return result;
  }

 private:
  Bvh mark_lines() {
    mesh_.mark_creases(options_.ridge_angle);
    return line_tree(mesh_);
  }
  double mean_length() {
    const Index n = mesh_.half_edge_places();
    const double sum = exec::reduce(stream_, n, 0.0, EdgeLength{mesh_.view()}, exec::Plus{});
    const double count = exec::reduce(stream_, n, 0.0, IsEdge{mesh_.view()}, exec::Plus{});
    return count > 0 ? sum / count : 0;
  }
  template <class Op>
  std::uint64_t apply(const Op& op, int most_rounds) {
    UpdateOptions options;
    options.most_rounds = most_rounds;
    options.looks_again = false;  // the next iteration does
    options.progress = next_part();
    const UpdateReport done = update(mesh_, op, options);
    report_.rounds += static_cast<std::uint64_t>(done.rounds);
    report_.lost += done.lost;
    return done.done;
  }
  /// Of the progress: operations and moves take about as long each.
  ProgressCallback next_part() {
    const int flips = std::min(options_.smoothing_steps, 2) + 1;
    const double parts = options_.iterations * (options_.smoothing_steps + flips + 3);
    const int part = part_++;
    return part_of(options_.progress, "remeshing", part / parts, part_ / parts);
  }
  template <class MakeKernel>
  void move(const MakeKernel& make_kernel) {
    const ProgressCallback part = next_part();
    const Progress progress(part, "moving", 1);  // throws if cancelled
    move_vertices(mesh_, make_kernel);
  }
  void iterate() {
    // An edge that is split leaves none that is to be collapsed.
    const double longest = std::numbers::sqrt2 * report_.length;
    const double shortest = report_.length / std::numbers::sqrt2;
    report_.splits += apply(SplitLong{longest}, 100);
    pack();
    report_.collapses += apply(CollapseShort<>{shortest, longest}, 100);
    pack();
    for (int step = 0; step < options_.smoothing_steps; ++step) {
      if (step < 2) report_.flips += apply(FlipEdges<>{}, 20);  // later hardly any
      move([&](View<Vec3d> moved) { return Smooth{mesh_.view(), options_.fidelity, moved}; });
    }
    report_.flips += apply(FlipEdges<>{}, 20);
    move([&](View<Vec3d> moved) {
      return Project{mesh_.view(), surface_.view(), lines_.view(), nearest_.view(), moved};
    });
  }
  /// New vertices do not know what is nearest to them.
  void pack() {
    Buffer<Index> places(stream_, mesh_.vertex_places());
    exec::fill(stream_, places.view(), no_index);
    exec::copy_on_device(stream_, places.view().subview(0, nearest_.size()), nearest_.const_view());
    const Buffer<Index> before = mesh_.pack();
    if (before.empty()) {
      places.shrink(mesh_.vertex_places());
      nearest_.swap(places);
      return;
    }
    nearest_ = Buffer<Index>(stream_, before.size());
    exec::gather_values(stream_, places.const_view(), before.const_view(), nearest_.view());
  }

  const exec::Stream& stream_;
  const IsotropicRemeshOptions& options_;
  const TriangleSoup& input_;
  DynamicMesh mesh_;
  Bvh surface_;
  Bvh lines_;
  Buffer<Index> nearest_;  ///< in the tree of the surface, for each vertex
  IsotropicRemeshReport report_;
  int part_ = 0;
};

}  // namespace

IsotropicRemeshResult isotropic_remesh(const exec::Stream& stream, const TriangleSoup& mesh,
                                       const IsotropicRemeshOptions& options) {
  if (!(options.length >= 0) || !std::isfinite(options.length))
    throw InputError("the length of edges is not a positive number");
  if (options.iterations < 0 || options.smoothing_steps < 0)
    throw InputError("the number of iterations or smoothing steps is negative");
  if (!(options.fidelity >= 0) || !std::isfinite(options.fidelity))
    throw InputError("the fidelity is negative or not a number");
  return Remesher(stream, mesh, options).run();
}

}  // namespace tessera::surface
