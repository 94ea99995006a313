// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/flags.h"

#include "tessera/surface/detail/edges.h"
#include "tessera/surface/query.h"

namespace tessera::surface {
namespace {

struct FlagEdge {
  AttributeView<Edge, Flags> flags;
  TESSERA_KERNEL void operator()(Edge e, const Ring<Face>& faces) const {
    const auto bits = detail::is_boundary(faces.size())       ? Flags::boundary
                      : detail::is_non_manifold(faces.size()) ? Flags::non_manifold
                                                              : 0;
    flags[e].bits = static_cast<std::uint8_t>(bits);
  }
};

/// An edge from a vertex to itself is nobody's boundary.
struct ClearLoop {
  AttributeView<Edge, Flags> flags;
  TESSERA_KERNEL void operator()(Edge e, const Ring<Vertex>& ends) const {
    if (ends[0] == ends[1]) flags[e].bits = 0;
  }
};

struct GatherFlags {
  AttributeView<Edge, const Flags> edges;
  AttributeView<Vertex, Flags> flags;
  TESSERA_KERNEL void operator()(Vertex v, const Ring<Edge>& ring) const {
    unsigned bits = 0;
    for (const Edge e : ring) bits |= edges[e].bits;
    flags[v].bits = static_cast<std::uint8_t>(bits);
  }
};

/// Whether wedges that share a side hang together; changes their order.
TESSERA_KERNEL bool is_one_fan(detail::Ends* wedges, Index count) {
  Index reached = 1;
  for (Index i = 0; i < reached && reached < count; ++i) {
    for (Index j = reached; j < count; ++j) {
      const detail::Ends a = wedges[i];
      const detail::Ends b = wedges[j];
      if (a.vertex[0] != b.vertex[0] && a.vertex[0] != b.vertex[1] && a.vertex[1] != b.vertex[0] &&
          a.vertex[1] != b.vertex[1])
        continue;
      wedges[j] = wedges[reached];
      wedges[reached++] = b;
    }
  }
  return count == 0 || reached == count;
}

struct FlagSeveralFans {
  detail::MeshView mesh;
  AttributeView<Vertex, Flags> flags;
  detail::RowSlots<detail::Ends> slots;

  TESSERA_KERNEL void operator()(exec::Team& team) const {
    const detail::Patch patch = mesh.patch(team.index());
    const detail::Rows<detail::Ends> rows = detail::collect(
        team, slots, patch.vertices.owned, patch.faces.all, detail::WedgesAtVertices{patch});
    team.for_each(patch.vertices.owned, [&](Index v) {
      if (!is_one_fan(rows.data(v), rows.size(v)))
        flags[{patch.vertices.begin + v}].bits |= Flags::non_manifold;
    });
  }
};

}  // namespace

EdgeAttribute<Flags> edge_flags(const PatchedMesh& mesh) {
  EdgeAttribute<Flags> flags(mesh, "flags");
  for_each<Op::ef>(mesh, FlagEdge{flags.view()});
  for_each<Op::ev>(mesh, ClearLoop{flags.view()});
  return flags;
}

VertexAttribute<Flags> vertex_flags(const PatchedMesh& mesh) {
  const EdgeAttribute<Flags> edges = edge_flags(mesh);
  VertexAttribute<Flags> flags(mesh, "flags");
  for_each<Op::ve>(mesh, GatherFlags{edges.view(), flags.view()});
  const detail::PatchLimits& limits = mesh.limits();
  exec::Scratch scratch;
  const FlagSeveralFans several{
      mesh.view(), flags.view(), {scratch, limits.owned_vertices, 3 * limits.local_faces}};
  exec::for_each_team(mesh.stream(), mesh.patches(), scratch, several);
  return flags;
}

}  // namespace tessera::surface
