// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/exec/device.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/team.h"
#include "tessera/surface/detail/query_kernels.h"
#include "tessera/surface/handles.h"
#include "tessera/surface/op.h"
#include "tessera/surface/patched_mesh.h"

// Queries on a PatchedMesh (dissertation of Mahmoud, section 4.3.2): a team for each patch turns FE
// and EV into the relation asked for, within its scratch memory, and calls the user's function for
// everything that the patch owns.
//
//     for_each<Op::vv>(mesh, [=] TESSERA_KERNEL(Vertex v, const Ring<Vertex>& ring) {
//       Vec3f sum{};
//       for (const Vertex w : ring) sum += position[w];
//       mean[v] = ring.empty() ? position[v] : sum * (1.0F / ring.size());
//     });

namespace tessera::surface {

inline namespace TESSERA_EXEC_NAMESPACE {

/// Calls f(element, ring) for every element of the kind that `op` starts from and for which
/// active(element) holds, in any order and in parallel; for Op::diamond f(edge, diamond). A patch
/// without active elements costs next to nothing. Vertices without faces get an empty ring. Both
/// functions are copied to the device. Any patch will do, but on a GPU one with some ten thousand
/// faces at a vertex, or some hundred at an edge, needs more scratch memory than a team has in
/// shared memory, and then the query takes several times as long.
template <Op Query, class F, class Active = detail::AllActive>
void for_each(const PatchedMesh& mesh, const F& f, const Active& active = {}) {
  using Source = typename OpKinds<Query>::Source;
  const detail::PatchLimits& limits = mesh.limits();
  const auto run = [&]<bool Oriented>(std::bool_constant<Oriented>) {
    exec::Scratch scratch;
    const detail::QueryKernel<Query, Oriented, F, Active> kernel(mesh.view(), limits, scratch, f,
                                                                 active);
    exec::for_each_team(mesh.stream(), mesh.patches(), scratch, kernel);
  };
  if constexpr (detail::gains_from_orientation(Query)) {
    if (limits.oriented)
      run(std::true_type{});
    else
      run(std::false_type{});
  } else {
    run(std::false_type{});
  }
  if constexpr (std::is_same_v<Source, Vertex>) {
    using Target = typename OpKinds<Query>::Target;
    exec::for_each(
        mesh.stream(), mesh.vertices() - mesh.vertices_in_patches(),
        detail::VisitWithoutRing<Source, Target, F, Active>{mesh.vertices_in_patches(), f, active});
  }
}

}  // namespace TESSERA_EXEC_NAMESPACE
}  // namespace tessera::surface
