// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/core/array.h"
#include "tessera/core/lattice_clipping.h"
#include "tessera/core/lattice_graph.h"
#include "tessera/core/progress.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"
#include "tessera/surface/winding.h"

namespace tessera::lattice {

/// Where a ball lies: wholly on one side of a surface, or on it.
enum class BallPlace : std::uint8_t { inside, crossing, outside };

/// Of balls with centres in some places, whether those are inside of a surface, and their distances
/// from it as far as the balls reach.
struct BallDistances {
  Array<std::uint8_t> inside;
  Array<double> distances;  ///< infinite if larger than the radius

  /// Of ball i, or a smaller one around the same centre.
  BallPlace place(std::size_t i, double radius) const {
    if (distances[i] <= radius) return BallPlace::crossing;
    return inside[i] != 0 ? BallPlace::inside : BallPlace::outside;
  }
};

/// Tells on which side of a surface balls lie: for the nodes of a lattice, block after block, also
/// by several threads at once. An answer depends on the ball alone, not on the block.
/// Inside is where the surface winds around a point (surface::are_inside), so it may have holes and
/// overlap itself, but faces outwards.
class BallLocator {
 public:
  /// Throws InputError if the surface is not valid.
  BallLocator(const exec::Stream& stream, const TriangleSoup& surface);

  /// Throws InputError if a coordinate is not finite, std::invalid_argument if the sizes differ,
  /// Cancelled if the callback says so.
  Array<BallPlace> places(std::span<const Vec3d> centres, std::span<const float> radii,
                          const ProgressCallback& progress = {}) const;
  BallDistances distances(std::span<const Vec3d> centres, std::span<const float> radii,
                          const ProgressCallback& progress = {}) const;

 private:
  exec::Device device_;
  surface::WindingTree tree_;
};

struct ClipResult {
  LatticeGraph graph;
  std::size_t struts_dropped = 0;
};

/// Drops the struts of which one end, as a ball, lies wholly outside of the surface, and nodes
/// without struts. Struts are dropped or stay, they are not cut: some reach out of the surface. The
/// others keep their order. The same on any number of threads. Throws InputError if the graph or
/// the surface is not valid, Cancelled if the callback says so.
ClipResult keep_inside(const exec::Stream& stream, LatticeGraph graph, const TriangleSoup& surface,
                       const ProgressCallback& progress = {});

/// The opposite: drops the struts of which one end lies wholly inside.
ClipResult keep_outside(const exec::Stream& stream, LatticeGraph graph, const TriangleSoup& surface,
                        const ProgressCallback& progress = {});

/// Does either to parts of a lattice. Throws std::invalid_argument too, if a clipping is of struts
/// that are not there.
ClipResult clip(const exec::Stream& stream, LatticeGraph graph,
                std::span<const LatticeClipping> clippings, const ProgressCallback& progress = {});

}  // namespace tessera::lattice
