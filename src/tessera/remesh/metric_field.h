// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// How long the edges of a mesh should be, at each vertex and in each direction.
#pragma once

#include <cstdint>
#include <string>

#include "tessera/core/array.h"
#include "tessera/core/attribute.h"
#include "tessera/core/progress.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"
#include "tessera/remesh/surface_metric.h"

namespace tessera::remesh {

/// A metric at each vertex of a mesh. Its axis is at right angles to the normal there.
struct MetricField {
  Array<SurfaceMetric> metrics;
  Array<Vec3d> normals;
};

/// Edges of one length everywhere. Throws InputError if the mesh is not valid or the size is not a
/// positive number.
MetricField uniform_metric(const exec::Stream& stream, const TriangleSoup& mesh, double size);

/// Whether what is computed may ask for edges of different lengths in different directions.
enum class Stretch {
  none,  ///< triangles of one size in all directions at a place
  along  ///< longer where the surface bends less, or a field does
};

/// The metric that is no longer than either in any direction. Throws InputError if the fields are
/// not of the same size.
MetricField intersected(const MetricField& a, const MetricField& b);

/// Makes edges no shorter than one length and no longer than another one, which may be infinite, in
/// any direction. Throws InputError if these are not positive, or the wrong way round.
void limit_sizes(MetricField& field, double smallest, double largest);

/// About how many points a mesh with unit edges in the metric has.
double points_of(const TriangleSoup& mesh, const MetricField& field);

/// Makes edges longer or shorter by one factor everywhere, so that points_of() is a number. Throws
/// InputError if that number is not positive, or the mesh has no area.
void scale_to_points(const TriangleSoup& mesh, MetricField& field, double points);

struct GradationReport {
  int passes = 0;
  std::uint64_t shortened = 0;  ///< vertices whose metric has changed
};

/// Makes edges shorter where their lengths would otherwise grow too fast: from an edge to the next
/// one by a factor at most (Alauzet 2010, in the space of the metric). Throws InputError if the
/// factor is not above 1 or the field is not that of the mesh; Cancelled if the callback says so,
/// the field as before.
GradationReport limit_gradation(const exec::Stream& stream, const TriangleSoup& mesh,
                                MetricField& field, double factor,
                                const ProgressCallback& progress = {});

/// As an attribute of vertices: the size, one number, where no metric has a direction, else a
/// symmetric matrix of six (xx, xy, yy, xz, yz, zz, the order of `.sol` files) that is as the
/// smaller of both sizes across the surface.
Attribute to_attribute(const MetricField& field, const std::string& name = "metric");

/// From an attribute of one or six components. Throws InputError, naming the vertex, if it is not
/// one of a mesh or a size or matrix is not positive.
MetricField metric_of(const exec::Stream& stream, const TriangleSoup& mesh,
                      const Attribute& attribute);

}  // namespace tessera::remesh
