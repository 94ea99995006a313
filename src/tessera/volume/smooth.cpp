// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Laplacian smoothing of inner vertices: Mueller-Roemer et al., section 4.2.
#include "tessera/volume/smooth.h"

#include <cstdint>

#include "tessera/core/error.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/reduce.h"
#include "tessera/volume/boundary.h"
#include "tessera/volume/quality.h"

namespace tessera::volume {
namespace {

using exec::Buffer;
using exec::View;

struct MoveToMean {
  View<const EdgeVertices> edge_vertices;
  TernaryView vertex_edges;
  TernaryView edge_faces;
  bool has_loose_edges;  ///< are there edges without faces? Looking at each costs as much as moving
  View<const std::uint8_t> on_boundary;
  double step;
  View<const Vec3d> from;
  View<Vec3d> to;
  TESSERA_KERNEL void operator()(Index v) const {
    // A face without a cell is on the boundary: off it, edges that have faces have cells.
    const Vec3d p = from[v];
    to[v] = p;
    if (on_boundary[v] != 0) return;
    Vec3d sum{};
    Index count = 0;
    for (const SignedIndex edge : vertex_edges.row(v)) {
      if (has_loose_edges && edge_faces.size(edge.index()) == 0) continue;
      sum += from[edge_vertices[edge.index()][edge.is_reversed() ? 1 : 0]];
      ++count;
    }
    if (count > 0) to[v] = p + (sum * (1.0 / static_cast<double>(count)) - p) * step;
  }
};

struct IsLoose {
  TernaryView edge_faces;
  TESSERA_KERNEL Index operator()(Index e) const { return edge_faces.size(e) == 0 ? 1 : 0; }
};

std::optional<Index> count_bad_cells(const Complex& complex, BadCells wanted) {
  if (wanted == BadCells::ignored) return std::nullopt;
  Index count = 0;
  for (const float jacobian : cell_qualities(complex).scaled_jacobians)
    if (jacobian <= 0) ++count;
  return count;
}

}  // namespace

SmoothResult smooth(Complex& complex, const SmoothOptions& options) {
  if (options.iterations < 0) throw InputError("the number of iterations is negative");
  if (!(options.step >= 0 && options.step <= 1)) throw InputError("the step is not within 0 to 1");
  SmoothResult result;
  result.bad_cells_before = count_bad_cells(complex, options.bad_cells);
  result.bad_cells_after = result.bad_cells_before;
  if (options.iterations == 0) return result;
  const exec::Stream& stream = complex.stream();
  const BoundaryFlags flags = boundary_flags(complex);
  const TernaryView vertex_edges = complex.vertex_edges();
  const TernaryView edge_faces = complex.edge_faces();
  const bool has_loose_edges =
      exec::reduce(stream, complex.edges(), Index{0}, IsLoose{edge_faces}, exec::Plus{}) > 0;
  Progress progress(options.progress, "smoothing", static_cast<std::uint64_t>(options.iterations));
  Buffer<Vec3d> positions[2] = {Buffer<Vec3d>(stream, complex.vertices()),
                                Buffer<Vec3d>(stream, complex.vertices())};
  View<const Vec3d> from = complex.positions();
  for (int i = 0; i < options.iterations; ++i) {
    Buffer<Vec3d>& to = positions[i % 2];
    exec::for_each(stream, complex.vertices(),
                   MoveToMean{complex.edge_vertices(), vertex_edges, edge_faces, has_loose_edges,
                              flags.vertices.const_view(), options.step, from, to.view()});
    from = to.const_view();
    progress.advance(1);
  }
  exec::copy_on_device(stream, complex.change_positions(), from);
  result.bad_cells_after = count_bad_cells(complex, options.bad_cells);
  return result;
}

}  // namespace tessera::volume
