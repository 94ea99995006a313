// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/attribute.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"
#include "tessera/remesh/metric_field.h"

namespace tessera::remesh {

struct HessianMetricOptions {
  /// How far the field may be, on an edge, from what its ends interpolate; in the field's unit. 0:
  /// a part of the field's range.
  double error = 0;
  double error_of_range = 0.01;
  double smallest = 0;  ///< edges; 0: no limit but that of the largest over a thousand
  double largest = 0;   ///< edges; 0: a tenth of the diagonal of the mesh
  Stretch stretch = Stretch::none;
  /// Edges whose faces turn by more degrees are ridges: a field is smooth on either side of them.
  double ridge_angle = 45;
};

/// Edges that are short where a field on the surface, one number at each vertex, bends: linear
/// interpolation over a length h leaves a second derivative d by d h^2 / 8. Second derivatives
/// along the surface are fitted over two rings of edges around each vertex: exact for fields that
/// are polynomials of the second degree on a plane; of the second order in the lengths of edges on
/// smooth surfaces, of the first at borders and ridges. Where a mesh is too small to tell, they are
/// those of the neighbours. Throws InputError if the mesh is not valid, the field is not one of the
/// mesh, has more components or a value (named by its vertex) that is no number, or an option is
/// out of range.
MetricField hessian_metric(const exec::Stream& stream, const TriangleSoup& mesh,
                           const Attribute& field, const HessianMetricOptions& options = {});

}  // namespace tessera::remesh
