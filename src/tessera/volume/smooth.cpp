// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Laplacian smoothing of inner vertices: Mueller-Roemer et al., section 4.2.
#include "tessera/volume/smooth.h"

#include <cstdint>

#include "tessera/core/error.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/for_each.h"
#include "tessera/volume/boundary.h"

namespace tessera::volume {
namespace {

using exec::Buffer;
using exec::View;

struct MoveToMean {
  View<const EdgeVertices> edge_vertices;
  TernaryView vertex_edges;
  View<const std::uint8_t> on_boundary;
  double step;
  View<const Vec3d> from;
  View<Vec3d> to;
  TESSERA_KERNEL void operator()(Index v) const {
    const Vec3d p = from[v];
    const Index begin = vertex_edges.begin(v);
    const Index end = vertex_edges.end(v);
    if (on_boundary[v] != 0 || begin == end) {
      to[v] = p;
      return;
    }
    Vec3d sum{};
    for (Index i = begin; i < end; ++i) {
      const SignedIndex edge = vertex_edges.entries[i];
      sum += from[edge_vertices[edge.index()][edge.is_reversed() ? 1 : 0]];
    }
    to[v] = p + (sum * (1.0 / static_cast<double>(end - begin)) - p) * step;
  }
};

}  // namespace

void smooth(Complex& complex, const SmoothOptions& options) {
  if (options.iterations < 0) throw InputError("the number of iterations is negative");
  if (!(options.step >= 0 && options.step <= 1)) throw InputError("the step is not within 0 to 1");
  if (options.iterations == 0) return;
  const exec::Stream& stream = complex.stream();
  const BoundaryFlags flags = boundary_flags(complex);
  const TernaryView vertex_edges = complex.vertex_edges();
  Progress progress(options.progress, "smoothing", static_cast<std::uint64_t>(options.iterations));
  Buffer<Vec3d> positions[2] = {Buffer<Vec3d>(stream, complex.vertices()),
                                Buffer<Vec3d>(stream, complex.vertices())};
  View<const Vec3d> from = complex.positions();
  for (int i = 0; i < options.iterations; ++i) {
    Buffer<Vec3d>& to = positions[i % 2];
    exec::for_each(stream, complex.vertices(),
                   MoveToMean{complex.edge_vertices(), vertex_edges, flags.vertices.const_view(),
                              options.step, from, to.view()});
    from = to.const_view();
    progress.advance(1);
  }
  exec::copy_on_device(stream, complex.change_positions(), from);
}

}  // namespace tessera::volume
