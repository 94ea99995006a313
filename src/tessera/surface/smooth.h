// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/progress.h"
#include "tessera/core/vec.h"
#include "tessera/surface/mesh_attribute.h"
#include "tessera/surface/patched_mesh.h"

namespace tessera::surface {

/// What smoothing does with vertices on the boundary.
enum class Boundary {
  fixed,  ///< they stay
  free    ///< they move as all others do, which shrinks open meshes
};

struct LaplacianOptions {
  int iterations = 10;
  float step = 0.5F;  ///< of the way to the mean of the neighbours, 0 to 1
  Boundary boundary = Boundary::fixed;
  ProgressCallback progress{};
};

/// Moves every vertex towards the mean of its neighbours: fast, and shrinks the mesh. Throws
/// InputError if an option is out of range, std::invalid_argument if the positions belong to
/// another mesh; Cancelled if the callback says so, positions as before. On a GPU sums are made in
/// an order that varies, so the last bits may differ from run to run.
void laplacian_smooth(const PatchedMesh& mesh, VertexAttribute<Vec3f>& positions,
                      const LaplacianOptions& options = {});

struct TaubinOptions {
  int iterations = 10;
  float step = 0.5F;
  /// Of each second step, outwards again; Taubin (1995) asks for 1 / step + 1 / back_step < 0.1 or
  /// so, which keeps what is wider than a few edges at its size.
  float back_step = -0.526F;
  Boundary boundary = Boundary::fixed;
  ProgressCallback progress{};
};

/// Taubin's pair of steps, which smooths without shrinking; one iteration is both of them. Throws
/// as laplacian_smooth().
void taubin_smooth(const PatchedMesh& mesh, VertexAttribute<Vec3f>& positions,
                   const TaubinOptions& options = {});

}  // namespace tessera::surface
