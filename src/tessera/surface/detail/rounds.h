// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// What a round of update() does: all candidates claim the faces that they would write to, those
// that hold all of their claims act, and the others try again.
#pragma once

#include <cstdint>

#include "tessera/core/vec.h"
#include "tessera/exec/atomic.h"
#include "tessera/exec/view.h"
#include "tessera/surface/cavity.h"
#include "tessera/surface/wish.h"

namespace tessera::surface::detail {

/// Distinct numbers for distinct numbers, without any order: who wins does not depend on where the
/// elements are in memory, which would let long rows of neighbours wait for each other.
TESSERA_KERNEL inline std::uint32_t scatter(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  return x ^ (x >> 16);
}

/// Later rounds have larger claims, so that old ones need not be erased. Few levels, and chance
/// within them: a row of edges, each a little more urgent than the one before, would wait for one
/// after the other.
TESSERA_KERNEL inline std::uint64_t claim_of(std::uint32_t round, std::uint16_t priority,
                                             Index seed) {
  const std::uint64_t level = priority >> 12;
  return std::uint64_t{round} << 48 | level << 32 | scatter(seed ^ scatter(round));
}

/// Claims of later rounds are larger than all before: one for each face, then some for edges that
/// are to be, by a hash of their vertices.
struct Claims {
  exec::View<std::uint64_t> values;
  Index faces;

  /// Claims what only one operation may have: the faces of its cavity, and the edge between two
  /// vertices that it makes.
  TESSERA_KERNEL void claim(const Cavity& cavity, std::uint64_t own) const {
    for (int i = 0; i < cavity.size(); ++i) exec::atomic_max(values[cavity[i]], own);
    if (cavity.joins()) exec::atomic_max(values[place_of_edge(cavity)], own);
  }
  /// Whether it has them, and no neighbour of its faces belongs to one that goes before: of two
  /// cavities side by side the stronger may act.
  TESSERA_KERNEL bool holds(const DynamicView& mesh, const Cavity& cavity,
                            std::uint64_t own) const {
    for (int i = 0; i < cavity.size(); ++i) {
      if (values[cavity[i]] != own) return false;
      for (Index h = 3 * cavity[i]; h < 3 * cavity[i] + 3; ++h)
        if (!mesh.is_border(h) && values[mesh.twins[h] / 3] > own) return false;
    }
    return !cavity.joins() || values[place_of_edge(cavity)] == own;
  }
  TESSERA_KERNEL Index place_of_edge(const Cavity& cavity) const {
    const auto edges = static_cast<Index>(values.size()) - faces;
    return faces + scatter(cavity.joined(0) ^ scatter(cavity.joined(1))) % edges;
  }
};

struct IsPending {
  exec::View<const std::uint8_t> pending;
  TESSERA_KERNEL bool operator()(Index i) const { return pending[i] != 0; }
};

template <class Op>
struct FindFirst {
  DynamicView mesh;
  Op op;
  exec::View<std::uint8_t> pending;
  exec::View<Wish> wishes;  ///< of those that are pending
  TESSERA_KERNEL void operator()(Index i) const {
    Wish wish;
    const bool is_wanted = is_seed<Op>(mesh, i) && op.wants(mesh, i, wish);
    pending[i] = is_wanted ? 1 : 0;
    if (is_wanted) wishes[i] = wish;
  }
};

/// When operations are asked whether they are possible.
enum class AskCan {
  first,   ///< all of them: only what is possible claims faces
  of_few,  ///< those that hold what they claim: others have to wait for what turns out impossible
};

template <class Op>
struct Claim {
  DynamicView mesh;
  Op op;
  std::uint32_t round;
  exec::View<const Index> candidates;
  exec::View<std::uint8_t> pending;
  Claims claims;
  bool are_known;  ///< the wishes: nothing has changed since FindFirst
  AskCan ask;
  exec::View<Wish> wishes;
  exec::View<std::uint64_t> own;  ///< 0: not wanted
  TESSERA_KERNEL void operator()(Index i) const {
    const Index seed = candidates[i];
    own[i] = 0;
    pending[seed] = 0;
    Wish wish;
    if (are_known)
      wish = wishes[seed];
    else if (!is_seed<Op>(mesh, seed) || !op.wants(mesh, seed, wish))
      return;
    if (ask == AskCan::first && !can_act(mesh, op, seed, wish)) return;
    wishes[seed] = wish;
    Cavity cavity(mesh);
    op.take(mesh, seed, cavity);
    if (cavity.is_too_large()) return;
    const std::uint64_t claim = claim_of(round, wish.priority, seed);
    own[i] = claim;
    claims.claim(cavity, claim);
  }
};

template <class Op>
struct Check {
  DynamicView mesh;
  Op op;
  exec::View<const Index> candidates;
  exec::View<std::uint8_t> pending;
  Claims claims;
  exec::View<const std::uint64_t> own;
  exec::View<std::uint8_t> wins;
  exec::View<std::uint64_t> lost;  ///< one number
  AskCan ask;
  exec::View<Wish> wishes;
  TESSERA_KERNEL void operator()(Index i) const {
    wins[i] = 0;
    if (own[i] == 0) return;
    Cavity cavity(mesh);
    op.take(mesh, candidates[i], cavity);
    if (!claims.holds(mesh, cavity, own[i])) {
      pending[candidates[i]] = 1;
      exec::atomic_add(lost[0], std::uint64_t{1});
      return;
    }
    Wish wish = wishes[candidates[i]];
    if (ask == AskCan::of_few && !can_act(mesh, op, candidates[i], wish)) return;
    wishes[candidates[i]] = wish;
    wins[i] = 1;
  }
};

template <class Op>
struct Apply {
  DynamicView mesh;
  Op op;
  exec::View<const Index> candidates;
  exec::View<const Index> winners;
  exec::View<const Wish> wishes;
  Index first_face;
  Index first_vertex;
  exec::View<std::uint8_t> pending;
  TESSERA_KERNEL void operator()(Index rank) const {
    const Index seed = candidates[winners[rank]];
    Cavity cavity(mesh);
    op.take(mesh, seed, cavity);
    Filling filling(mesh, cavity, first_face + rank * Op::new_faces,
                    first_vertex + rank * Op::new_vertices);
    op.fill(seed, wishes[seed].choice, filling);
    visit_changed<Op>(mesh, filling, [this](Index changed, bool) { pending[changed] = 1; });
  }
};

}  // namespace tessera::surface::detail
