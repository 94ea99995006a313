// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"
#include "tessera/remesh/detail/vertex_state.h"
#include "tessera/remesh/ideal_surface_view.h"
#include "tessera/surface/dynamic_view.h"

namespace tessera::remesh::detail {

/// Sums over the edges of a mesh.
struct EdgeSums {
  double edges = 0;
  double units = 0;   ///< of length 0.71 to 1.41 in the metric
  double errors = 0;  ///< distances of their middles from a surface
  TESSERA_KERNEL friend EdgeSums operator+(const EdgeSums& a, const EdgeSums& b) {
    return {a.edges + b.edges, a.units + b.units, a.errors + b.errors};
  }
};

struct MeasureEdge {
  surface::DynamicView mesh;
  MetricMeasure measure;
  TESSERA_KERNEL EdgeSums operator()(Index h) const {
    if (!mesh.is_edge(h)) return {};
    const double squared = measure.squared_length(mesh, mesh.from(h), mesh.to(h));
    return {1, squared >= 0.5 && squared <= 2 ? 1.0 : 0.0, 0};
  }
};

/// The same, with the errors.
struct MeasureEdgeAndError {
  MeasureEdge edge;
  IdealSurfaceView surface;
  TESSERA_KERNEL EdgeSums operator()(Index h) const {
    EdgeSums sums = edge(h);
    if (sums.edges == 0) return sums;
    const surface::DynamicView& mesh = edge.mesh;
    const Vec3d a = mesh.positions[mesh.from(h)];
    const Vec3d b = mesh.positions[mesh.to(h)];
    const Index face = VertexState::of(mesh, mesh.from(h)).face;
    sums.errors =
        std::sqrt(surface.squared_distance_from((a + b) * 0.5, face, 0.25 * length(b - a)));
    return sums;
  }
};

/// Of the faces of a mesh, in the metric.
struct Qualities {
  static constexpr int bins = 10;
  double sum = 0;
  double least = 1;
  Index counts[bins] = {};
};

struct AddQualities {
  TESSERA_KERNEL Qualities operator()(const Qualities& a, const Qualities& b) const {
    Qualities both{a.sum + b.sum, a.least < b.least ? a.least : b.least};
    for (int i = 0; i < Qualities::bins; ++i) both.counts[i] = a.counts[i] + b.counts[i];
    return both;
  }
};

struct MeasureFace {
  surface::DynamicView mesh;
  MetricMeasure measure;
  TESSERA_KERNEL Qualities operator()(Index f) const {
    if (!mesh.is_face(f)) return {};
    const Triangle t = mesh.triangles[f];
    // Of faces too small or large to say, 0.
    const double squared = surface::shape_of(measure, mesh, t[0], t[1], t[2]).squared;
    const double quality = squared > 0 ? std::fmin(1.0, std::sqrt(squared)) : 0;
    Qualities of_one{quality, quality};
    const int bin = static_cast<int>(quality * Qualities::bins);
    of_one.counts[bin < Qualities::bins ? bin : Qualities::bins - 1] = 1;
    return of_one;
  }
};

}  // namespace tessera::remesh::detail
