// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Conjugate gradients with the diagonal as preconditioner. A patch multiplies what it owns with the
// matrix by going over its edges, in scratch memory; an iteration is two kernels and two sums. The
// next direction is formed while the last one is staged, so no vector is read for that alone.
#include "tessera/surface/mean_curvature_flow.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "tessera/core/error.h"
#include "tessera/surface/detail/patch_sums.h"
#include "tessera/surface/flags.h"
#include "tessera/surface/query.h"

namespace tessera::surface {
namespace {

using detail::Patch;
using exec::Team;

/// Half the cotangents of the angles opposite to each edge, and a third of the area of the faces at
/// each vertex.
struct Weights {
  detail::MeshView mesh;
  AttributeView<Vertex, const Vec3f> positions;
  AttributeView<Edge, float> edge_weight;
  AttributeView<Vertex, float> mass;
  exec::ScratchSlot<Vec3f> staged;
  exec::ScratchSlot<float> weights_slot;
  exec::ScratchSlot<float> masses_slot;

  TESSERA_KERNEL void operator()(Team& team) const {
    const Patch patch = mesh.patch(team.index());
    const Index edges = patch.edges.owned;
    const Index vertices = patch.vertices.owned;
    const Vec3f* at = detail::stage_vertices(team, patch, staged, positions);
    float* weights = detail::clear_sums(team, weights_slot, edges);
    float* masses = detail::clear_sums(team, masses_slot, vertices);
    team.sync();
    team.for_each(patch.faces.all, [&](Index f) {
      const detail::Sides sides = patch.fe[f];
      const Vec<detail::Local, 3> v = detail::corners_of(patch, f);
      const Vec3f p[3] = {at[v[0]], at[v[1]], at[v[2]]};
      const float doubled_area = length(cross(p[1] - p[0], p[2] - p[0]));
      // A sine below the precision of float says nothing.
      const float perimeter = length(p[1] - p[0]) + length(p[2] - p[1]) + length(p[0] - p[2]);
      if (doubled_area <= 1e-6F * perimeter * perimeter) return;
      for (int k = 0; k < 3; ++k) {
        if (v[k] < vertices) team.atomic_add(masses[v[k]], doubled_area / 6);
        const Index e = sides.side[k].edge();
        const int opposite = k == 0 ? 2 : k - 1;
        const int next = k == 2 ? 0 : k + 1;
        const float cosine = dot(p[k] - p[opposite], p[next] - p[opposite]);
        if (e < edges) team.atomic_add(weights[e], cosine / (2 * doubled_area));
      }
    });
    team.sync();
    team.for_each(edges, [&](Index e) { edge_weight[{patch.edges.begin + e}] = weights[e]; });
    team.for_each(vertices, [&](Index v) { mass[{patch.vertices.begin + v}] = masses[v]; });
  }
};

/// The diagonal of the matrix; 0 for vertices that do not move.
struct WriteDiagonal {
  AttributeView<Edge, const float> edge_weight;
  AttributeView<Vertex, const float> mass;
  AttributeView<Vertex, const Flags> flags;
  AttributeView<Vertex, float> diagonal;
  float time_step;
  Boundary boundary;

  TESSERA_KERNEL void operator()(Vertex v, const Ring<Edge>& ring) const {
    float sum = mass[v];
    for (const Edge e : ring) sum += time_step * edge_weight[e];
    const bool stays = boundary == Boundary::fixed && flags[v].is_boundary();
    diagonal[v] = stays || !(mass[v] > 0) || !(sum > 0) ? 0 : sum;
  }
};

/// Everything that the kernels of a solver share.
struct System {
  detail::MeshView mesh;
  AttributeView<Edge, const float> edge_weight;
  AttributeView<Vertex, const float> mass;
  AttributeView<Vertex, const float> diagonal;
  exec::View<double> partial;  ///< a sum for each patch
  exec::ScratchSlot<Vec3f> staged;
  exec::ScratchSlot<float> sums_slot;
  float time_step;
};

/// Adds the time step times L x up in scratch memory, for what the patch owns.
TESSERA_KERNEL float* multiply_laplacian(const Team& team, const System& system, const Patch& patch,
                                         const Vec3f* x) {
  const Index owned = patch.vertices.owned;
  float* sums = detail::clear_sums(team, system.sums_slot, 3 * owned);
  team.sync();  // x is staged, too
  team.for_each(patch.edges.all, [&](Index e) {
    const Index a = patch.ev[e].vertex[0];
    const Index b = patch.ev[e].vertex[1];
    if (a >= owned && b >= owned) return;
    const float weight = system.time_step * system.edge_weight[patch.edges.handle(e)];
    const Vec3f difference = weight * (x[a] - x[b]);
    if (a < owned) detail::add_to(team, sums, a, difference);
    if (b < owned) detail::add_to(team, sums, b, -difference);
  });
  team.sync();
  return sums;
}

/// Keeps the sum of what the threads of a team have found.
TESSERA_KERNEL void store_sum(const Team& team, const System& system, double found) {
  const double sum = team.sum(found);
  team.once([&] { system.partial[team.index()] = sum; });
}

/// The residual of x = x_old, and what it is worth after preconditioning.
struct FirstResidual {
  System system;
  AttributeView<Vertex, const Vec3f> x;
  AttributeView<Vertex, Vec3f> residual;

  TESSERA_KERNEL void operator()(Team& team) const {
    const Patch patch = system.mesh.patch(team.index());
    const Vec3f* staged = detail::stage_vertices(team, patch, system.staged, x);
    const float* sums = multiply_laplacian(team, system, patch, staged);
    double product = 0;
    team.for_each(patch.vertices.owned, [&](Index v) {
      const Vertex vertex{patch.vertices.begin + v};
      const float diagonal = system.diagonal[vertex];
      const Vec3f r = diagonal > 0 ? -detail::sum_at(sums, v) : Vec3f{};
      residual[vertex] = r;
      if (diagonal > 0) product += squared_length(cast<double>(r)) / static_cast<double>(diagonal);
    });
    store_sum(team, system, product);
  }
};

/// Forms the next direction, preconditioned residual + beta * last direction, and multiplies it.
struct MultiplyDirection {
  System system;
  AttributeView<Vertex, const Vec3f> residual;
  AttributeView<Vertex, const Vec3f> last;
  AttributeView<Vertex, Vec3f> direction;
  AttributeView<Vertex, Vec3f> product_of;
  float beta;

  TESSERA_KERNEL Vec3f next(Vertex v) const {
    const float diagonal = system.diagonal[v];
    if (!(diagonal > 0)) return {};
    const Vec3f z = residual[v] * (1 / diagonal);
    return beta == 0 ? z : z + beta * last[v];
  }

  TESSERA_KERNEL void operator()(Team& team) const {
    const Patch patch = system.mesh.patch(team.index());
    const Index owned = patch.vertices.owned;
    Vec3f* staged = team.scratch(system.staged).data();
    team.for_each(patch.vertices.all, [&](Index v) { staged[v] = next(patch.vertices.handle(v)); });
    const float* sums = multiply_laplacian(team, system, patch, staged);
    double product = 0;
    team.for_each(owned, [&](Index v) {
      const Vertex vertex{patch.vertices.begin + v};
      const bool moves = system.diagonal[vertex] > 0;
      const Vec3f q = moves ? system.mass[vertex] * staged[v] + detail::sum_at(sums, v) : Vec3f{};
      direction[vertex] = staged[v];
      product_of[vertex] = q;
      product += dot(cast<double>(staged[v]), cast<double>(q));
    });
    store_sum(team, system, product);
  }
};

/// Goes along the direction, and sums the preconditioned residual up.
struct Advance {
  System system;
  AttributeView<Vertex, const Vec3f> direction;
  AttributeView<Vertex, const Vec3f> product_of;
  AttributeView<Vertex, Vec3f> x;
  AttributeView<Vertex, Vec3f> residual;
  float alpha;

  TESSERA_KERNEL void operator()(Team& team) const {
    const Patch patch = system.mesh.patch(team.index());
    double product = 0;
    team.for_each(patch.vertices.owned, [&](Index v) {
      const Vertex vertex{patch.vertices.begin + v};
      const float diagonal = system.diagonal[vertex];
      if (!(diagonal > 0)) return;
      x[vertex] += alpha * direction[vertex];
      const Vec3f r = residual[vertex] - alpha * product_of[vertex];
      residual[vertex] = r;
      product += squared_length(cast<double>(r)) / static_cast<double>(diagonal);
    });
    store_sum(team, system, product);
  }
};

struct WriteLengths {
  AttributeView<Vertex, const Vec3f> positions;
  AttributeView<Edge, float> lengths;
  TESSERA_KERNEL void operator()(Edge e, const Ring<Vertex>& ends) const {
    lengths[e] = length(positions[ends[1]] - positions[ends[0]]);
  }
};

double mean_edge_length(const PatchedMesh& mesh, const VertexAttribute<Vec3f>& positions) {
  EdgeAttribute<float> lengths(mesh, "length");
  for_each<Op::ev>(mesh, WriteLengths{positions.view(), lengths.view()});
  return sum(mesh, lengths) / static_cast<double>(mesh.edges());
}

class Flow {
 public:
  Flow(const PatchedMesh& mesh, const MeanCurvatureFlowOptions& options, double time_step)
      : mesh_(mesh),
        options_(options),
        time_step_(static_cast<float>(time_step)),
        flags_(vertex_flags(mesh)),
        edge_weight_(mesh, "weight"),
        mass_(mesh, "mass"),
        diagonal_(mesh, "diagonal"),
        residual_(mesh, "residual"),
        direction_(mesh, "direction"),
        next_direction_(mesh, "direction"),
        product_(mesh, "product"),
        partial_(mesh.stream(), mesh.patches()) {
    fill(mesh_, mass_, 0.0F);
    fill(mesh_, diagonal_, 0.0F);
  }

  /// By how much each step advances the progress.
  static constexpr std::uint64_t step_progress = 1000;

  void step(VertexAttribute<Vec3f>& x, MeanCurvatureFlowResult& result, Progress& progress) {
    prepare(x);
    run(FirstResidual{system(), x.const_view(), residual_.view()});
    const double first = total();
    double rz = first;
    double beta = 0;
    int iterations = 0;
    const double wanted = options_.tolerance * options_.tolerance * first;
    SolverStop stop = SolverStop::max_iterations;
    std::uint64_t reported = 0;
    while (rz > wanted && iterations < options_.max_iterations) {
      run(MultiplyDirection{system(), residual_.const_view(), direction_.const_view(),
                            next_direction_.view(), product_.view(), static_cast<float>(beta)});
      direction_.swap(next_direction_);
      const double curvature = total();
      if (!(curvature > 0)) {  // nothing left that float can tell from zero
        stop = SolverStop::breakdown;
        break;
      }
      const double alpha = rz / curvature;
      run(Advance{system(), direction_.const_view(), product_.const_view(), x.view(),
                  residual_.view(), static_cast<float>(alpha)});
      const double before = rz;
      rz = total();
      beta = rz / before;
      ++iterations;
      // The error falls by about the same factor in each iteration.
      const double share = rz > 0 ? std::log(rz / first) / std::log(wanted / first) : 1;
      const auto reached = static_cast<std::uint64_t>(std::clamp(share, 0.0, 1.0) * step_progress);
      progress.advance(reached > reported ? reached - reported : 0);
      reported = std::max(reported, reached);
    }
    progress.advance(step_progress - reported);
    result.iterations += iterations;
    result.residual = first > 0 ? std::sqrt(rz / first) : 0;
    if (rz <= wanted) stop = SolverStop::converged;
    if (stop != SolverStop::converged) result.stop = stop;
  }

 private:
  /// Weights of the present shape.
  void prepare(const VertexAttribute<Vec3f>& x) {
    const detail::PatchLimits& limits = mesh_.limits();
    exec::Scratch scratch;
    const Weights weights{mesh_.view(),
                          x.view(),
                          edge_weight_.view(),
                          mass_.view(),
                          scratch.add<Vec3f>(limits.local_vertices),
                          scratch.add<float>(limits.owned_edges),
                          scratch.add<float>(limits.owned_vertices)};
    exec::for_each_team(mesh_.stream(), mesh_.patches(), scratch, weights);
    for_each<Op::ve>(mesh_,
                     WriteDiagonal{edge_weight_.const_view(), mass_.const_view(), flags_.view(),
                                   diagonal_.view(), time_step_, options_.boundary});
  }

  System system() {
    const detail::PatchLimits& limits = mesh_.limits();
    scratch_ = {};
    return {mesh_.view(),
            edge_weight_.const_view(),
            mass_.const_view(),
            diagonal_.const_view(),
            partial_.view(),
            scratch_.add<Vec3f>(limits.local_vertices),
            scratch_.add<float>(3 * limits.owned_vertices),
            time_step_};
  }

  template <class Kernel>
  void run(const Kernel& kernel) {
    exec::for_each_team(mesh_.stream(), mesh_.patches(), scratch_, kernel);
  }

  double total() { return exec::reduce(mesh_.stream(), partial_.const_view(), 0.0, exec::Plus{}); }

  const PatchedMesh& mesh_;
  const MeanCurvatureFlowOptions& options_;
  float time_step_;
  VertexAttribute<Flags> flags_;
  EdgeAttribute<float> edge_weight_;
  VertexAttribute<float> mass_;
  VertexAttribute<float> diagonal_;
  VertexAttribute<Vec3f> residual_;
  VertexAttribute<Vec3f> direction_;
  VertexAttribute<Vec3f> next_direction_;
  VertexAttribute<Vec3f> product_;
  exec::Buffer<double> partial_;
  exec::Scratch scratch_;
};

}  // namespace

MeanCurvatureFlowResult mean_curvature_flow(const PatchedMesh& mesh,
                                            VertexAttribute<Vec3f>& positions,
                                            const MeanCurvatureFlowOptions& options) {
  if (!(options.time_step >= 0) || !std::isfinite(static_cast<float>(options.time_step)))
    throw InputError("the time step must be a number that is not negative");
  if (options.steps < 0) throw InputError("a negative number of steps");
  if (options.max_iterations < 0) throw InputError("a negative number of iterations");
  if (!(options.tolerance > 0)) throw InputError("the tolerance must be positive");
  detail::require_values(mesh, positions);
  MeanCurvatureFlowResult result;
  result.time_step = options.time_step;
  if (result.time_step == 0) result.time_step = 4 * std::pow(mean_edge_length(mesh, positions), 2);
  Progress progress(options.progress, "smoothing",
                    Flow::step_progress * static_cast<std::uint64_t>(options.steps));
  VertexAttribute<Vec3f> x(mesh, positions.name());
  exec::copy_on_device(mesh.stream(), x.view().values(), positions.const_view().values());
  Flow flow(mesh, options, result.time_step);
  for (int i = 0; i < options.steps; ++i) {
    flow.step(x, result, progress);
  }
  mesh.stream().synchronize();
  positions.swap(x);
  return result;
}

}  // namespace tessera::surface
