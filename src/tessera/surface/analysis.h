// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "tessera/core/box.h"
#include "tessera/core/progress.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"

namespace tessera::surface {

struct AnalyzeOptions {
  ProgressCallback progress{};
};

/// What there is to know about a triangle mesh. Each face counts, degenerate and duplicate ones
/// too. An edge is a pair of different vertices that some face has as a side; a face with a
/// repeated vertex, which passes its edge there and back, counts once there. Lengths and areas are
/// in the mesh's own units. A mesh without faces has zeros and empty optionals.
struct MeshInfo {
  std::uint64_t vertices = 0;  ///< all, referenced or not
  std::uint64_t edges = 0;
  std::uint64_t faces = 0;
  std::uint64_t components = 0;           ///< of faces joined through shared edges
  std::int64_t euler_characteristic = 0;  ///< referenced vertices - edges + faces
  /// Handles, over all components; empty if the mesh is not manifold or not orientable.
  std::optional<std::int64_t> genus;
  std::uint64_t boundary_edges = 0;  ///< edges that are a side of one face only
  /// Rings of boundary edges. Edges are joined where they end in the same fan of faces, so two
  /// holes that touch at a vertex are two loops.
  std::uint64_t boundary_loops = 0;
  std::uint64_t non_manifold_edges = 0;  ///< edges that are sides of more than two faces
  /// Vertices whose faces are not one fan (a disc or half-disc), and ends of non-manifold edges.
  std::uint64_t non_manifold_vertices = 0;
  std::uint64_t unreferenced_vertices = 0;  ///< vertices that no face has
  /// Faces with the three vertices, in any order, of a face before them.
  std::uint64_t duplicate_faces = 0;
  /// Faces with a repeated vertex, or whose doubled area is at most 1e-12 of the square of their
  /// longest side.
  std::uint64_t degenerate_faces = 0;

  bool closed = false;     ///< there are faces, and no boundary edges
  bool manifold = true;    ///< no non-manifold edges or vertices
  bool orientable = true;  ///< turning faces over can make all neighbours agree
  /// All neighbours agree: each edge has one face, or two that use it in opposite directions; one
  /// that uses it in both agrees with any.
  bool consistently_oriented = true;

  double area = 0;
  /// Enclosed by the faces, negative if they face inwards; empty unless closed and consistently
  /// oriented.
  std::optional<double> volume;
  std::optional<Box> bounding_box;  ///< of referenced vertices; empty if there are none
  double min_edge_length = 0;
  double mean_edge_length = 0;
  double max_edge_length = 0;
  /// 2 * inradius / circumradius of a face: 1 if equilateral, 0 if degenerate.
  double min_quality = 0;
  double mean_quality = 0;
  double min_angle = 0;  ///< the smallest corner of all faces, in degrees
};

/// Looks at the whole mesh. The result is the same on any number of threads. Throws InputError if
/// the mesh is not valid (TriangleSoup::validate), Cancelled if the callback says so.
MeshInfo analyze(const exec::Stream& stream, const TriangleSoup& mesh,
                 const AnalyzeOptions& options = {});

}  // namespace tessera::surface
