// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/attribute.h"
#include "tessera/remesh/detail/metric_mesh.h"
#include "tessera/remesh/hessian_metric.h"

namespace tessera::remesh::detail {

/// hessian_metric() where the metrics are; the limits of lengths are given.
Metrics hessian_metrics(MetricMesh& mesh, const Attribute& field,
                        const HessianMetricOptions& options);

/// Throws InputError unless there is an error, or one of the range.
void check_field_error(double error, double of_range);

}  // namespace tessera::remesh::detail
