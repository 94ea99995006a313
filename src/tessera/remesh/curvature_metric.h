// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"
#include "tessera/remesh/metric_field.h"

namespace tessera::remesh {

struct CurvatureMetricOptions {
  double error = 0;     ///< how far an edge may leave the surface, a length; positive
  double smallest = 0;  ///< edges; 0: no limit but that of the largest over a thousand
  double largest = 0;   ///< edges; 0: a tenth of the diagonal of the mesh
  Stretch stretch = Stretch::none;
  /// Edges whose faces turn by more degrees are ridges, whose turn is no curvature of the surface.
  double ridge_angle = 45;
};

/// Edges that are short where the surface bends: a chord of length h leaves a curve of curvature k
/// by k h^2 / 8. Curvature tensors are fitted to the edges around each vertex (Meyer, Desbrun,
/// Schroeder and Barr 2003), and those of neighbours averaged with them. On ridges and borders it
/// is the curve that counts. Throws InputError if the mesh is not valid or an option out of range.
MetricField curvature_metric(const exec::Stream& stream, const TriangleSoup& mesh,
                             const CurvatureMetricOptions& options);

}  // namespace tessera::remesh
