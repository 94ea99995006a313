// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tessera/core/triangle_soup.h"
#include "tessera/exec/exec.h"
#include "tessera/surface/op.h"

// Parallel Directed Edges, the peer of the dissertation (section 4.4): half-edges in a structure of
// arrays, one thread for each element. The half-edges of edge e are 2 e and 2 e + 1. For closed,
// consistently oriented manifolds.

namespace tessera::bench {

struct DirectedEdgesView {
  exec::View<const Index> target;  ///< vertex that a half-edge leads to
  exec::View<const Index> face;
  exec::View<const Index> next;
  exec::View<const Index> of_vertex;  ///< a half-edge that leaves the vertex
  exec::View<const Index> of_face;

  /// Calls found(i, element) for the i-th answer.
  template <surface::Op op, class Found>
  TESSERA_KERNEL void query(Index element, const Found& found) const {
    using surface::Op;
    if constexpr (op == Op::ev) {
      found(0, target[2 * element + 1]);
      found(1, target[2 * element]);
    } else if constexpr (op == Op::ef) {
      found(0, face[2 * element]);
      found(1, face[2 * element + 1]);
    } else if constexpr (op == Op::fv || op == Op::fe || op == Op::ff) {
      Index h = of_face[element];
      for (Index i = 0; i < 3; ++i) {
        found(i, op == Op::fv ? target[h] : op == Op::fe ? h / 2 : face[h ^ 1]);
        h = next[h];
      }
    } else {
      const Index first = of_vertex[element];
      Index h = first;
      Index i = 0;
      do {
        found(i++, op == Op::vv ? target[h] : op == Op::ve ? h / 2 : face[h]);
        h = next[h ^ 1];
      } while (h != first);
    }
  }
};

class DirectedEdges {
 public:
  DirectedEdges(const exec::Stream& stream, const TriangleSoup& mesh) {
    const auto faces = static_cast<Index>(mesh.triangles.size());
    std::vector<std::pair<std::uint64_t, Index>> sides(std::size_t{3} * faces);
    const auto corner = [&](Index h) { return mesh.triangles[h / 3][static_cast<int>(h % 3)]; };
    const auto after = [](Index h) { return h % 3 == 2 ? h - 2 : h + 1; };
    for (Index h = 0; h < sides.size(); ++h) {
      const std::uint64_t a = corner(h);
      const std::uint64_t b = corner(after(h));
      sides[h] = {std::min(a, b) << 32 | std::max(a, b), h};
    }
    std::sort(sides.begin(), sides.end());
    std::vector<Index> half_edge(sides.size());
    for (Index i = 0; i < sides.size(); ++i) {
      if (i % 2 == 1 && sides[i].first != sides[i - 1].first)
        throw std::runtime_error("directed edges need a closed manifold");
      half_edge[sides[i].second] = i;
    }
    Array<Index> target(sides.size());
    Array<Index> face(sides.size());
    Array<Index> next(sides.size());
    Array<Index> of_vertex(mesh.positions.size(), 0);
    Array<Index> of_face(faces);
    for (Index h = 0; h < sides.size(); ++h) {
      const Index i = half_edge[h];
      target[i] = corner(after(h));
      face[i] = h / 3;
      next[i] = half_edge[after(h)];
      of_vertex[corner(h)] = i;
      of_face[h / 3] = half_edge[h / 3 * 3];
    }
    target_ = exec::upload(stream, target);
    face_ = exec::upload(stream, face);
    next_ = exec::upload(stream, next);
    of_vertex_ = exec::upload(stream, of_vertex);
    of_face_ = exec::upload(stream, of_face);
  }

  DirectedEdgesView view() const {
    return {target_.view(), face_.view(), next_.view(), of_vertex_.view(), of_face_.view()};
  }

 private:
  exec::Buffer<Index> target_;
  exec::Buffer<Index> face_;
  exec::Buffer<Index> next_;
  exec::Buffer<Index> of_vertex_;
  exec::Buffer<Index> of_face_;
};

}  // namespace tessera::bench
