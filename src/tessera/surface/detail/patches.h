// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// What update() does on the CPU before its rounds: the mesh is cut into patches, and a thread
// carries out one operation after the other inside of a patch, in its cache and without any lock
// (Mahmoud's dissertation, section 5.2, where patches lock each other).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tessera/core/vec.h"
#include "tessera/exec/atomic.h"
#include "tessera/exec/view.h"
#include "tessera/surface/cavity.h"
#include "tessera/surface/wish.h"

namespace tessera::surface::detail {

/// Faces whose places follow each other. So many that few are near the border of their patch, and
/// few enough to stay in the second cache of a core with all that is beside them.
inline constexpr Index faces_of_patch = 8192;

TESSERA_KERNEL inline Index patch_of_half_edge(Index h) {
  return h / (3 * faces_of_patch);
}

/// Marks the vertices that have faces of several patches. What has such a vertex stays as it is, so
/// that all threads may read it: each patch changes what lies between these vertices.
struct MarkShared {
  DynamicView mesh;
  exec::View<Index> is_shared;
  TESSERA_KERNEL void operator()(Index h) const {
    if (!mesh.is_face(h / 3)) return;
    const Index from = mesh.from(h);
    const Index twin = mesh.twins[h];
    // The other copies of a vertex that was cut may be in any patch.
    if (mesh.is_cut(from)) exec::atomic_store(is_shared[from], Index{1});
    if (twin == no_index || patch_of_half_edge(twin) == patch_of_half_edge(h)) return;
    exec::atomic_store(is_shared[from], Index{1});
    exec::atomic_store(is_shared[mesh.to(h)], Index{1});
  }
};

/// Carries an operation out in one patch, the most urgent first.
template <class Op>
class PatchWorker {
 public:
  /// What a patch may use.
  struct Limits {
    Index first_face;  ///< places for new elements
    Index last_face;
    Index first_vertex;
    std::uint64_t most_operations;
    int most_generations;  ///< how often what has changed is looked at again
  };
  static constexpr std::uint8_t is_queued = 2;  ///< `pending`: not for the rounds

  PatchWorker(const DynamicView& mesh, const Op& op, exec::View<const Index> is_shared,
              exec::View<std::uint8_t> pending, const Limits& limits)
      : mesh_(mesh), op_(op), is_shared_(is_shared), pending_(pending), limits_(limits) {}

  /// The operations carried out. Elements that are left to the rounds are pending afterwards.
  std::uint64_t run(exec::View<const Index> candidates, exec::View<const Wish> wishes) {
    for (const Index seed : candidates)
      if (is_inside(seed)) queue_.push_back({wishes[seed].priority, 0, seed});
    for (const Entry& entry : queue_) pending_[entry.seed] = is_queued;
    std::make_heap(queue_.begin(), queue_.end());
    std::uint64_t done = 0;
    while (!queue_.empty()) {
      std::pop_heap(queue_.begin(), queue_.end());
      const Entry entry = queue_.back();
      queue_.pop_back();
      if (pending_[entry.seed] != is_queued) continue;
      if (done == limits_.most_operations || !has_places()) {
        pending_[entry.seed] = 1;
        continue;
      }
      if (act(entry)) ++done;
    }
    return done;
  }

 private:
  struct Entry {
    std::uint16_t priority;
    std::uint16_t generation;
    Index seed;
    /// The last of a heap's order goes first.
    bool operator<(const Entry& other) const {
      if (priority != other.priority) return priority < other.priority;
      if (generation != other.generation) return generation > other.generation;
      return seed > other.seed;
    }
  };

  bool has_places() const {
    return limits_.first_face + Op::new_faces <= limits_.last_face || Op::new_faces == 0;
  }
  bool is_inside_face(Index f) const {
    const Triangle& t = mesh_.triangles[f];
    return is_shared_[t[0]] == 0 && is_shared_[t[1]] == 0 && is_shared_[t[2]] == 0;
  }
  bool is_inside(Index seed) const {
    if constexpr (Op::seed == Seed::face)
      return is_inside_face(seed);
    else
      return is_inside_face(seed / 3) &&
             (mesh_.is_border(seed) || is_inside_face(mesh_.twins[seed] / 3));
  }
  bool act(const Entry& entry) {
    pending_[entry.seed] = 0;
    Wish wish;
    if (!is_seed<Op>(mesh_, entry.seed) || !op_.wants(mesh_, entry.seed, wish)) return false;
    if (wish.priority < entry.priority) {
      push({wish.priority, entry.generation, entry.seed});
      return false;
    }
    Cavity cavity(mesh_);
    op_.take(mesh_, entry.seed, cavity);
    if (cavity.is_too_large()) return false;
    for (int i = 0; i < cavity.size(); ++i)
      if (!is_inside_face(cavity[i])) {
        pending_[entry.seed] = 1;
        return false;
      }
    Filling filling(mesh_, cavity, limits_.first_face, limits_.first_vertex);
    op_.fill(entry.seed, wish.choice, filling);
    limits_.first_face += Op::new_faces;
    limits_.first_vertex += Op::new_vertices;
    for (int i = 0; i < filling.faces(); ++i) look_at_face(filling.place(i), entry.generation);
    return true;
  }
  void look_at_face(Index f, int generation) {
    if constexpr (Op::seed == Seed::face)
      look_at(f, generation);
    else
      for (Index h = 3 * f; h < 3 * f + 3; ++h)
        look_at(mesh_.is_edge(h) ? h : mesh_.twins[h], generation);
  }
  void look_at(Index seed, int generation) {
    if (!is_inside(seed)) {
      pending_[seed] = 1;
      return;
    }
    pending_[seed] = 0;
    Wish wish;
    if (generation + 1 < limits_.most_generations && op_.wants(mesh_, seed, wish))
      push({wish.priority, static_cast<std::uint16_t>(generation + 1), seed});
  }
  void push(const Entry& entry) {
    pending_[entry.seed] = is_queued;
    queue_.push_back(entry);
    std::push_heap(queue_.begin(), queue_.end());
  }

  DynamicView mesh_;
  const Op& op_;
  exec::View<const Index> is_shared_;
  exec::View<std::uint8_t> pending_;
  Limits limits_;
  std::vector<Entry> queue_;
};

}  // namespace tessera::surface::detail
