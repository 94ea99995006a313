// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/progress.h"
#include "tessera/core/vec.h"
#include "tessera/surface/mesh_attribute.h"
#include "tessera/surface/patched_mesh.h"
#include "tessera/surface/smooth.h"

namespace tessera::surface {

struct MeanCurvatureFlowOptions {
  /// How long the surface flows in one step, in squared units of length. Details narrower than the
  /// root of it go. 0: the square of the mean edge length, times four.
  double time_step = 0;
  int steps = 1;  ///< each with weights of its own
  /// The solver stops when the residual has shrunk by this.
  double tolerance = 1e-6;
  int max_iterations = 1000;  ///< of the solver, in each step
  Boundary boundary = Boundary::fixed;
  ProgressCallback progress{};
};

enum class SolverStop {
  converged,
  max_iterations,
  breakdown  ///< what was left could not be told from zero in float
};

struct MeanCurvatureFlowResult {
  int iterations = 0;                       ///< of the solver, in all steps
  double residual = 0;                      ///< of the last step, relative to its start
  SolverStop stop = SolverStop::converged;  ///< of the last step that did not converge
  double time_step = 0;                     ///< that was taken
};

/// Implicit mean-curvature flow (Desbrun, Meyer, Schroeder, Barr 1999): solves
/// (M + t L) x = M x_old, with L the cotangent Laplacian and M a third of the area of the faces at
/// each vertex, by conjugate gradients without a matrix. Any mesh will do; degenerate faces count
/// for nothing. Throws InputError if an option is out of range (a time step or a count below 0, a
/// tolerance of 0 or less), std::invalid_argument if the positions belong to another mesh;
/// Cancelled if the callback says so, positions as before. On a GPU sums are made in an order that
/// varies, so the last bits, and the number of iterations, may differ from run to run.
MeanCurvatureFlowResult mean_curvature_flow(const PatchedMesh& mesh,
                                            VertexAttribute<Vec3f>& positions,
                                            const MeanCurvatureFlowOptions& options = {});

}  // namespace tessera::surface
