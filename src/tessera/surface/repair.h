// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/progress.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"

namespace tessera::surface {

/// What to mend. The steps are taken in the order of the fields.
struct RepairOptions {
  bool degenerate = false;  ///< remove degenerate faces (see MeshInfo::degenerate_faces)
  bool duplicate = false;   ///< remove faces with the vertices of a face before them
  /// Give each fan of faces at a non-manifold vertex its own copy of the vertex, where a fan ends
  /// at non-manifold edges: the mesh is manifold afterwards, opened along those edges.
  bool split_non_manifold = false;
  /// Turn faces over until neighbours agree, wherever that is possible. A component with faces to
  /// turn gets the orientation of its first face or, if it is closed, faces outwards. Closed
  /// components that agree already stay as they are (the inner walls of a hollow solid rightly face
  /// inwards), unless all of them together enclose a negative volume: then all are turned. Faces
  /// are neighbours at edges of two faces.
  bool orient = false;
  /// Close rings of boundary edges with triangles between their vertices. Up to 300 edges,
  /// the degenerate faces are fewest, then the area smallest, then the sharpest fold least, then
  /// the new edges shortest; larger holes are closed from their narrowest corners inwards. A hole
  /// stays, and is counted, if its edges do not go round in one direction or if it cannot be closed
  /// without a third face at some edge or a duplicate face.
  bool fill_holes = false;
  bool unreferenced = false;  ///< remove vertices without faces

  std::uint64_t max_hole_edges = 0;  ///< larger holes stay; 0: fill all
  ProgressCallback progress{};
};

struct RepairResult {
  std::uint64_t degenerate_removed = 0;
  std::uint64_t duplicates_removed = 0;
  std::uint64_t vertices_added = 0;             ///< by split_non_manifold
  std::uint64_t faces_flipped = 0;              ///< by orient
  std::uint64_t non_orientable_components = 0;  ///< found and left by orient
  std::uint64_t holes_filled = 0;
  std::uint64_t holes_skipped = 0;
  std::uint64_t faces_added = 0;  ///< by fill_holes
  std::uint64_t unreferenced_removed = 0;
};

/// Mends the mesh in place. Faces and vertices keep their order and attributes; copied vertices
/// take theirs along, new faces come last, with zeros. The result is the same on any number of
/// threads. Throws InputError if the mesh is not valid or would get more elements than TriangleSoup
/// can name, Cancelled if the callback says so; the mesh is untouched then.
RepairResult repair(const exec::Stream& stream, TriangleSoup& mesh, const RepairOptions& options);

}  // namespace tessera::surface
