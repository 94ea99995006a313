// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/progress.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"

namespace tessera::surface {

struct IsotropicRemeshOptions {
  double length = 0;        ///< of edges; 0: the mean length of the input's
  int iterations = 3;       ///< of splitting, collapsing, flipping and smoothing
  int smoothing_steps = 3;  ///< in each of them
  /// How much less a vertex moves across a ridge of the surface than along it, the more the
  /// sharper: by 1 + fidelity * s, s the squared sine of half the angle. 0: the shape of triangles
  /// is all that counts; 2000: a dense mesh stays two thirds as far from the input.
  double fidelity = 300;
  /// Edges whose faces turn by more degrees are creases: they stay, and so do their corners.
  double ridge_angle = 60;
  ProgressCallback progress{};
};

struct IsotropicRemeshReport {
  double length = 0;  ///< that edges were to have
  std::uint64_t splits = 0;
  std::uint64_t collapses = 0;
  std::uint64_t flips = 0;
  std::uint64_t rounds = 0;
  std::uint64_t lost = 0;  ///< times that an operation had to wait for another
};

struct IsotropicRemeshResult {
  TriangleSoup mesh;
  IsotropicRemeshReport report;
};

/// A mesh of the same surface with triangles that are nearly equilateral and of one size (Botsch
/// and Kobbelt 2004): splits edges that are longer than the length by a factor of more than the
/// root of two, collapses those that are shorter by as much, flips edges towards six of them at a
/// vertex, moves vertices towards the middle of their faces along the surface and back onto the
/// input. Borders and creases are kept, and the topology. Where the mesh is not a manifold, it
/// stays as it is (DynamicMesh). Attributes are those at the closest points of the input
/// (transfer_attributes). The result does not depend on the number of threads. Throws InputError if
/// the mesh is not valid or an option is out of range, Cancelled if the callback says so.
IsotropicRemeshResult isotropic_remesh(const exec::Stream& stream, const TriangleSoup& mesh,
                                       const IsotropicRemeshOptions& options = {});

}  // namespace tessera::surface
