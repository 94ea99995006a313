// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "tessera/core/array.h"
#include "tessera/core/lattice_graph.h"
#include "tessera/core/polyhedral_soup.h"
#include "tessera/core/vec.h"

namespace tessera::lattice {

/// A strut for each edge, once however often it is given, in the order of their nodes. `radii` has
/// a radius for each node, or one for all. Edges from a node to itself are left out, and nodes
/// without an edge stay. Throws InputError if an edge refers to a node that is not there, or the
/// number of radii is another.
LatticeGraph lattice_from_edges(const Array<Vec3d>& nodes, std::span<const StrutNodes> edges,
                                std::span<const float> radii);

/// The edges of triangles, one after the other, each as often as triangles have it.
Array<StrutNodes> edges_of(std::span<const Triangle> triangles);

/// The edges of the cells of a volume mesh, one after the other, each as often as cells have it or,
/// in polyhedra, their polygons. Throws InputError if the mesh is not valid.
Array<StrutNodes> edges_of(const PolyhedralSoup& mesh);

}  // namespace tessera::lattice
