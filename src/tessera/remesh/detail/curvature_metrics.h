// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/remesh/curvature_metric.h"
#include "tessera/remesh/detail/metric_mesh.h"

namespace tessera::remesh::detail {

/// curvature_metric() where the metrics are; the limits of lengths are given.
Metrics curvature_metrics(MetricMesh& mesh, const CurvatureMetricOptions& options);

}  // namespace tessera::remesh::detail
