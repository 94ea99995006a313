// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/progress.h"
#include "tessera/core/vec.h"
#include "tessera/surface/mesh_attribute.h"
#include "tessera/surface/patched_mesh.h"

namespace tessera::surface {

struct CurvatureOptions {
  ProgressCallback progress{};
};

/// Curvature at each vertex. Zero, all of them, at a vertex without faces.
struct Curvature {
  /// Mean of the two principal curvatures, in 1 / length: positive where the surface is convex seen
  /// from the side that its faces look to, 1 / R on a sphere of radius R. At a boundary vertex only
  /// the part along the vertex normal counts: the rest is how the boundary itself bends. Zero where
  /// all faces are degenerate.
  VertexAttribute<float> mean;
  /// angle_defect / area, in 1 / length^2: on a sphere 1 / R^2. At a boundary vertex this is no
  /// property of the surface but how much the boundary turns there, over the area. Zero where all
  /// faces are degenerate.
  VertexAttribute<float> gaussian;
  /// The part of the faces' area that belongs to the vertex; adds up to the area of the mesh.
  VertexAttribute<float> area;
  /// 2 pi less the angles of the faces at the vertex, pi less them at a boundary vertex. On a
  /// manifold mesh, open or closed, their sum is 2 pi (vertices - edges + faces), Gauss and Bonnet.
  VertexAttribute<float> angle_defect;
  Index boundary_vertices = 0;  ///< with Flags::boundary (flags.h)
};

/// Discrete curvature after Meyer, Desbrun, Schroeder and Barr, "Discrete differential-geometry
/// operators for triangulated 2-manifolds" (2003): mixed Voronoi areas, the mean curvature normal
/// with cotangent weights, the angle defect.
///
/// Any mesh will do. Faces with a repeated vertex are skipped; other degenerate faces (twice the
/// area at most 1e-12 of the square of the longest side) have angles but neither area nor
/// cotangents. At non-manifold vertices all faces count. Where faces disagree about their
/// orientation, the sign of the mean curvature means nothing.
///
/// The result is the same on any number of threads. Throws std::invalid_argument if the positions
/// are not those of the mesh, Cancelled if the callback says so.
Curvature curvature(const PatchedMesh& mesh, const VertexAttribute<Vec3f>& positions,
                    const CurvatureOptions& options = {});

}  // namespace tessera::surface
