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
  std::uint64_t most_operations = ~std::uint64_t{0};
  /// Whether to look at the whole mesh again when nothing is left near what has changed: it may be
  /// wanted elsewhere now, a few times at a time.
  bool looks_again = true;
};

struct UpdateReport {
  int rounds = 0;
  std::uint64_t done = 0;    ///< operations carried out
  bool is_complete = false;  ///< nothing wants it any more, or only what is too large
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
  constexpr std::uint32_t largest = 0xffff;
  const std::uint64_t urgency = priority < largest ? priority : largest;
  return std::uint64_t{round} << 48 | urgency << 32 | scatter(seed ^ scatter(round));
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
  TESSERA_KERNEL void operator()(Index i) const {
    wins[i] = 0;
    if (own[i] == 0) return;
    Cavity cavity(mesh);
    op.take(mesh, candidates[i], cavity);
    const bool holds_all = claims.holds(mesh, cavity, own[i]);
    wins[i] = holds_all ? 1 : 0;
    pending[candidates[i]] = holds_all ? 0 : 1;
    if (!holds_all) exec::atomic_add(lost[0], std::uint64_t{1});
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
    for (int i = 0; i < filling.faces(); ++i) {
      const Index f = filling.place(i);
      if constexpr (Op::seed == Seed::face) pending[f] = 1;
      if constexpr (Op::seed == Seed::edge)
        for (Index h = 3 * f; h < 3 * f + 3; ++h) pending[mesh.is_edge(h) ? h : mesh.twins[h]] = 1;
    }
  }
};

}  // namespace detail

inline namespace TESSERA_EXEC_NAMESPACE {

/// Carries an operation out wherever the mesh wants it, until it does nowhere (UpdateOptions
/// aside). An operation has
///   static constexpr Seed seed;                       what it starts from
///   static constexpr Index new_faces, new_vertices;   the most that one adds to those it replaces
///   bool wants(mesh, i, wish)        whether to act at element i, and how (see Wish)
///   void take(mesh, i, cavity)       which faces it replaces
///   void fill(i, choice, filling)    what comes in their place
/// wants() may read all of the mesh. take() and fill() may read the faces of the cavity and their
/// vertices, but not the stars of those on its border, which others may be changing; fill() may
/// move vertices all of whose faces are in the cavity. Operations whose cavities overlap or touch
/// along an edge follow each other. The result does not depend on the number of threads.
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
  exec::Buffer<std::uint64_t> lost(stream, 1);
  exec::fill(stream, lost.view(), 0);
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
      claims = exec::Buffer<std::uint64_t>(stream, 2 * claimed_faces + 256);
      exec::fill(stream, claims.view(), 0);
    }
  };
  resize(places(), mesh.face_places());
  const auto look_everywhere = [&] {
    exec::for_each(stream, places(), detail::FindFirst<Op>{mesh.view(), op, pending.view()});
    find_candidates();
  };
  look_everywhere();
  bool is_fresh = true;  // the candidates are all there are
  while (report.rounds < options.most_rounds && report.done < options.most_operations) {
    if (count == 0) {
      report.is_complete = is_fresh;
      if (is_fresh || !options.looks_again) break;
      // What has changed may let others act that were not near it.
      look_everywhere();
      is_fresh = true;
      continue;
    }
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
                                     wins.view(),
                                     lost.view()});
    Index won = exec::compact(stream, count, detail::IsPending{wins.const_view()}, winners.view());
    if (won == 0) {
      count = 0;
      continue;
    }
    is_fresh = false;
    won = static_cast<Index>(std::min<std::uint64_t>(won, options.most_operations - report.done));
    report.done += won;
    const Index first_face = mesh.face_places();
    const Index first_vertex = mesh.vertex_places();
    mesh.extend(std::size_t{won} * Op::new_faces, std::size_t{won} * Op::new_vertices);
    resize(places(), mesh.face_places());
    exec::for_each(
        stream, won,
        detail::Apply<Op>{mesh.view(), op, candidates.const_view(), winners.const_view(),
                          choices.const_view(), first_face, first_vertex, pending.view()});
    find_candidates();
  }
  report.lost = exec::download_one(stream, lost, 0);
  return report;
}

}  // namespace TESSERA_EXEC_NAMESPACE
}  // namespace tessera::surface
