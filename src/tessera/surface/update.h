// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Operations on many places of a mesh at once, in rounds: all candidates claim the faces that they
// would write to, those that hold all of their claims act, and the others try again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tessera/core/vec.h"
#include "tessera/exec/atomic.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/compact.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/reduce.h"
#include "tessera/surface/cavity.h"
#include "tessera/surface/dynamic_mesh.h"

namespace tessera::surface {

/// What an operation starts from: a vertex, an edge (by the half-edge that stands for it) or a
/// face.
enum class Seed { vertex, edge, face };

/// What an operation says when it wants to act.
struct Wish {
  std::uint32_t priority = 0;  ///< 0 to 65535: the larger goes first
  std::uint8_t choice = 0;     ///< for fill(), which must not look around again
};

struct UpdateOptions {
  int most_rounds = 1000;
};

struct UpdateReport {
  int rounds = 0;
  std::uint64_t done = 0;  ///< operations carried out
  std::uint64_t lost = 0;  ///< times that one had to wait because another held a face of its cavity
};

namespace detail {

/// Distinct numbers for distinct numbers, without any order: who wins does not depend on where the
/// elements are in memory, which would let long rows of neighbours wait for each other.
TESSERA_KERNEL inline std::uint32_t scatter(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  return x ^ (x >> 16);
}

/// Later rounds have larger claims, so that old ones need not be erased.
TESSERA_KERNEL inline std::uint64_t claim_of(std::uint32_t round, std::uint32_t priority,
                                             Index seed) {
  return std::uint64_t{round} << 48 | std::uint64_t{priority} << 32 | scatter(seed);
}

/// Claims of later rounds are larger than all before: one for each face, then some for edges that
/// are to be, by a hash of their vertices.
struct Claims {
  exec::View<std::uint64_t> values;
  Index faces;

  /// Calls f(claim) for all that an operation needs: the faces that it writes to, those of its
  /// cavity and their neighbours, and the edge between two vertices that it makes.
  template <class F>
  TESSERA_KERNEL void visit(const DynamicView& mesh, const Cavity& cavity, const F& f) const {
    for (int i = 0; i < cavity.size(); ++i) {
      f(values[cavity[i]]);
      for (Index h = 3 * cavity[i]; h < 3 * cavity[i] + 3; ++h)
        if (!mesh.is_border(h)) f(values[mesh.twins[h] / 3]);
    }
    if (!cavity.joins()) return;
    const auto edges = static_cast<Index>(values.size()) - faces;
    f(values[faces + scatter(cavity.joined(0) ^ scatter(cavity.joined(1))) % edges]);
  }
};

template <class Op>
TESSERA_KERNEL bool is_seed(const DynamicView& mesh, Index i) {
  if constexpr (Op::seed == Seed::vertex)
    return mesh.is_vertex(i);
  else if constexpr (Op::seed == Seed::edge)
    return mesh.is_edge(i);
  else
    return mesh.is_face(i);
}

struct IsPending {
  exec::View<const std::uint8_t> pending;
  TESSERA_KERNEL bool operator()(Index i) const { return pending[i] != 0; }
};

struct IsWanted {
  exec::View<const std::uint64_t> own;
  TESSERA_KERNEL Index operator()(Index i) const { return own[i] != 0 ? 1 : 0; }
};

template <class Op>
struct FindFirst {
  DynamicView mesh;
  Op op;
  exec::View<std::uint8_t> pending;
  TESSERA_KERNEL void operator()(Index i) const {
    Wish wish;
    pending[i] = is_seed<Op>(mesh, i) && op.wants(mesh, i, wish) ? 1 : 0;
  }
};

template <class Op>
struct Claim {
  DynamicView mesh;
  Op op;
  std::uint32_t round;
  exec::View<const Index> candidates;
  exec::View<std::uint8_t> pending;
  Claims claims;
  exec::View<std::uint64_t> own;     ///< 0: not wanted
  exec::View<std::uint8_t> choices;  ///< see Wish
  TESSERA_KERNEL void operator()(Index i) const {
    const Index seed = candidates[i];
    own[i] = 0;
    pending[seed] = 0;
    Wish wish;
    if (!is_seed<Op>(mesh, seed) || !op.wants(mesh, seed, wish)) return;
    choices[i] = wish.choice;
    Cavity cavity(mesh);
    op.take(mesh, seed, cavity);
    if (cavity.is_too_large()) return;
    const std::uint64_t claim = claim_of(round, wish.priority, seed);
    own[i] = claim;
    claims.visit(mesh, cavity, [claim](std::uint64_t& c) { exec::atomic_max(c, claim); });
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
  TESSERA_KERNEL void operator()(Index i) const {
    wins[i] = 0;
    if (own[i] == 0) return;
    Cavity cavity(mesh);
    op.take(mesh, candidates[i], cavity);
    bool holds_all = true;
    claims.visit(mesh, cavity, [&](std::uint64_t& c) { holds_all = holds_all && c == own[i]; });
    wins[i] = holds_all ? 1 : 0;
    pending[candidates[i]] = holds_all ? 0 : 1;
  }
};

template <class Op>
struct Apply {
  DynamicView mesh;
  Op op;
  exec::View<const Index> candidates;
  exec::View<const Index> winners;
  exec::View<const std::uint8_t> choices;
  Index first_face;
  Index first_vertex;
  exec::View<std::uint8_t> pending;
  TESSERA_KERNEL void operator()(Index rank) const {
    const Index seed = candidates[winners[rank]];
    Cavity cavity(mesh);
    op.take(mesh, seed, cavity);
    Filling filling(mesh, cavity, first_face + rank * Op::new_faces,
                    first_vertex + rank * Op::new_vertices);
    op.fill(seed, choices[winners[rank]], filling);
    if constexpr (Op::seed == Seed::vertex) return;
    for (int i = 0; i < filling.faces(); ++i) {
      const Index f = filling.place(i);
      if constexpr (Op::seed == Seed::face)
        pending[f] = 1;
      else
        for (Index h = 3 * f; h < 3 * f + 3; ++h) pending[mesh.is_edge(h) ? h : mesh.twins[h]] = 1;
    }
  }
};

}  // namespace detail

inline namespace TESSERA_EXEC_NAMESPACE {

/// Carries an operation out wherever the mesh wants it, until it does nowhere. An operation has
///   static constexpr Seed seed;                       what it starts from
///   static constexpr Index new_faces, new_vertices;   the most that one adds to those it replaces
///   bool wants(mesh, i, wish)        whether to act at element i, and how (see Wish)
///   void take(mesh, i, cavity)       which faces it replaces
///   void fill(i, choice, filling)    what comes in their place
/// wants() and take() may read all of the mesh, fill() the faces of its cavity and their vertices,
/// but not the stars of those on its border, which others may be changing. Operations whose
/// cavities overlap or touch along an edge follow each other. The result does not depend on the
/// number of threads.
template <class Op>
UpdateReport update(DynamicMesh& mesh, const Op& op, const UpdateOptions& options = {}) {
  const exec::Stream& stream = mesh.stream();
  const auto places = [&mesh] {
    return Op::seed == Seed::vertex ? mesh.vertex_places()
           : Op::seed == Seed::edge ? mesh.half_edge_places()
                                    : mesh.face_places();
  };
  UpdateReport report;
  exec::Buffer<std::uint8_t> pending;
  exec::Buffer<std::uint64_t> claims;
  std::size_t claimed_faces = 0;
  exec::Buffer<Index> candidates;
  exec::Buffer<Index> winners;
  exec::Buffer<std::uint64_t> own;
  exec::Buffer<std::uint8_t> wins;
  exec::Buffer<std::uint8_t> choices;
  std::uint32_t round = 0;
  Index count = 0;
  const auto find_candidates = [&] {
    if (candidates.size() < places()) candidates = exec::Buffer<Index>(stream, pending.size());
    count =
        exec::compact(stream, places(), detail::IsPending{pending.const_view()}, candidates.view());
  };
  const auto resize = [&](std::size_t elements, std::size_t faces) {
    if (elements > pending.size()) {
      exec::Buffer<std::uint8_t> larger(stream, elements + elements / 4);
      exec::fill(stream, larger.view(), 0);
      exec::copy_on_device(stream, larger.view().subview(0, pending.size()), pending.const_view());
      pending.swap(larger);
    }
    if (faces > claimed_faces) {
      claimed_faces = faces + faces / 4;
      claims = exec::Buffer<std::uint64_t>(stream, claimed_faces + claimed_faces / 4 + 256);
      exec::fill(stream, claims.view(), 0);
    }
  };
  resize(places(), mesh.face_places());
  exec::for_each(stream, places(), detail::FindFirst<Op>{mesh.view(), op, pending.view()});
  find_candidates();
  while (count > 0 && report.rounds < options.most_rounds) {
    ++report.rounds;
    if (++round == 1U << 16) {
      round = 1;
      exec::fill(stream, claims.view(), 0);
    }
    if (own.size() < count) {
      own = exec::Buffer<std::uint64_t>(stream, count);
      wins = exec::Buffer<std::uint8_t>(stream, count);
      choices = exec::Buffer<std::uint8_t>(stream, count);
      winners = exec::Buffer<Index>(stream, count);
    }
    exec::for_each(stream, count,
                   detail::Claim<Op>{mesh.view(),
                                     op,
                                     round,
                                     candidates.const_view(),
                                     pending.view(),
                                     {claims.view(), static_cast<Index>(claimed_faces)},
                                     own.view(),
                                     choices.view()});
    exec::for_each(stream, count,
                   detail::Check<Op>{mesh.view(),
                                     op,
                                     candidates.const_view(),
                                     pending.view(),
                                     {claims.view(), static_cast<Index>(claimed_faces)},
                                     own.const_view(),
                                     wins.view()});
    const Index won =
        exec::compact(stream, count, detail::IsPending{wins.const_view()}, winners.view());
    if (won == 0) break;
    report.done += won;
    report.lost +=
        exec::reduce(stream, count, Index{0}, detail::IsWanted{own.const_view()}, exec::Plus{}) -
        won;
    const Index first_face = mesh.face_places();
    const Index first_vertex = mesh.vertex_places();
    mesh.reserve(won * Op::new_faces, won * Op::new_vertices);
    mesh.extend(won * Op::new_faces, won * Op::new_vertices);
    resize(places(), mesh.face_places());
    exec::for_each(
        stream, won,
        detail::Apply<Op>{mesh.view(), op, candidates.const_view(), winners.const_view(),
                          choices.const_view(), first_face, first_vertex, pending.view()});
    find_candidates();
  }
  return report;
}

}  // namespace TESSERA_EXEC_NAMESPACE
}  // namespace tessera::surface
