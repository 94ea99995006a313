// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// What update() does on the CPU before its rounds: the mesh is cut into patches, and a thread
// carries out one operation after the other inside of a patch, in its cache and without any lock
// (Mahmoud's dissertation, section 5.2, where patches lock each other).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "tessera/core/vec.h"
#include "tessera/exec/atomic.h"
#include "tessera/exec/view.h"
#include "tessera/surface/cavity.h"
#include "tessera/surface/wish.h"

namespace tessera::surface::detail {

/// How the places of faces are divided: patches of places that follow each other, the first of them
/// with fewer by an offset.
struct Patches {
  int size_bits;  ///< a power of two: every half-edge asks for its patch
  Index offset;

  Index size() const { return Index{1} << size_bits; }

  /// Few faces are near the border of a large patch, but a patch and all that is beside it should
  /// stay in the second cache of a core, and every core have some.
  static Patches of(Index faces, bool is_shifted) {
    const int bits = std::bit_width(std::clamp<Index>(faces / 16, 4096, 16384)) - 1;
    return {bits, is_shifted ? (Index{1} << bits) / 2 : 0};
  }
  TESSERA_KERNEL Index patch_of(Index face) const { return (face + offset) >> size_bits; }
  Index count(Index faces) const { return patch_of(faces) + 1; }
  /// The first face of a patch, if there are so many.
  Index start(std::size_t patch, Index faces) const {
    return static_cast<Index>(
        std::clamp<std::size_t>(patch << size_bits, offset, std::size_t{faces} + offset) - offset);
  }
};

/// Marks the vertices that have faces of several patches. What has such a vertex stays as it is, so
/// that all threads may read it: each patch changes what lies between these vertices.
struct MarkShared {
  DynamicView mesh;
  Patches patches;
  exec::View<Index> is_shared;
  TESSERA_KERNEL void operator()(Index h) const {
    if (!mesh.is_face(h / 3)) return;
    const Index from = mesh.from(h);
    const Index twin = mesh.twins[h];
    // The other copies of a vertex that was cut may be in any patch.
    if (mesh.is_cut(from)) exec::atomic_store(is_shared[from], Index{1});
    if (twin == no_index || patches.patch_of(twin / 3) == patches.patch_of(h / 3)) return;
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
    Index first_vertex;
    std::uint64_t room;  ///< operations that there are places for
    std::uint64_t most_operations;
    int most_generations;  ///< how often what has changed is looked at again; 16 bits
  };
  /// `pending`: what is left for others, what is in the queue, what has changed since it came
  /// there, and where it is wanted but not possible.
  static constexpr std::uint8_t is_left = 1;
  static constexpr std::uint8_t is_queued = 2;
  static constexpr std::uint8_t is_changed = 3;
  static constexpr std::uint8_t is_refused = 4;

  PatchWorker(const DynamicView& mesh, const Op& op, exec::View<const Index> is_shared,
              exec::View<std::uint8_t> pending)
      : mesh_(mesh), op_(&op), is_shared_(is_shared), pending_(pending) {}

  /// Finds out where to act between two places for elements: anywhere, or where others left it.
  void find(Index first, Index last, bool where_left) {
    for (Index seed = first; seed < last; ++seed) {
      if (where_left && pending_[seed] != is_left) continue;
      pending_[seed] = 0;
      Wish wish;
      if (!is_seed<Op>(mesh_, seed) || !op_->wants(mesh_, seed, wish)) continue;
      pending_[seed] = is_inside(seed) ? is_queued : is_left;
      if (is_inside(seed)) queue_.push_back({wish.priority, 0, seed});
    }
    std::make_heap(queue_.begin(), queue_.end());
  }
  std::size_t candidates() const { return queue_.size(); }

  /// Returns the operations carried out. `mesh` may have grown.
  std::uint64_t run(const DynamicView& mesh, exec::View<const Index> is_shared,
                    exec::View<std::uint8_t> pending, const Limits& limits) {
    mesh_ = mesh;
    is_shared_ = is_shared;
    pending_ = pending;
    limits_ = limits;
    std::uint64_t done = 0;
    while (!queue_.empty()) {
      std::pop_heap(queue_.begin(), queue_.end());
      const Entry entry = queue_.back();
      queue_.pop_back();
      if (!is_in_queue(entry.seed)) continue;
      const bool has_places = done < limits_.room || Op::new_faces + Op::new_vertices == 0;
      if (done == limits_.most_operations || !has_places) {
        pending_[entry.seed] = is_left;
        continue;
      }
      if (act(entry)) ++done;
    }
    for (const Index seed : refused_)
      if (pending_[seed] == is_refused) pending_[seed] = 0;
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

  bool is_in_queue(Index seed) const {
    return pending_[seed] == is_queued || pending_[seed] == is_changed;
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
    // Without can() it is wants() that knows how to act.
    const bool is_known = has_can<Op> && wants_depend_on_ends_alone<Op>;
    const bool is_asked_again = !is_known || pending_[entry.seed] == is_changed;
    pending_[entry.seed] = 0;
    if (!is_seed<Op>(mesh_, entry.seed)) return false;
    Wish wish;
    if (is_asked_again) {
      if (!op_->wants(mesh_, entry.seed, wish)) return false;
      if (wish.priority < entry.priority) {
        push({wish.priority, entry.generation, entry.seed});
        return false;
      }
    }
    Cavity cavity(mesh_);
    const bool can = can_act(mesh_, *op_, entry.seed, wish);
    if (can) op_->take(mesh_, entry.seed, cavity);
    if (!can || cavity.is_too_large()) {
      pending_[entry.seed] = is_refused;
      refused_.push_back(entry.seed);
      return false;
    }
    for (int i = 0; i < cavity.size(); ++i)
      if (!is_inside_face(cavity[i])) {
        pending_[entry.seed] = is_left;
        return false;
      }
    Filling filling(mesh_, cavity, limits_.first_face, limits_.first_vertex);
    op_->fill(entry.seed, wish.choice, filling);
    limits_.first_face += Op::new_faces;
    limits_.first_vertex += Op::new_vertices;
    visit_changed<Op>(mesh_, filling, [&](Index seed, bool may_want) {
      if (may_want || pending_[seed] == is_refused) look_at(seed, entry.generation);
    });
    return true;
  }
  /// What is in the queue already is looked at when its turn comes.
  void look_at(Index seed, int generation) {
    if (!is_inside(seed)) {
      pending_[seed] = is_left;
      return;
    }
    if (is_in_queue(seed)) {
      pending_[seed] = is_changed;
      return;
    }
    pending_[seed] = 0;
    Wish wish;
    if (generation + 1 < limits_.most_generations && op_->wants(mesh_, seed, wish))
      push({wish.priority, static_cast<std::uint16_t>(generation + 1), seed});
  }
  void push(const Entry& entry) {
    pending_[entry.seed] = is_queued;
    queue_.push_back(entry);
    std::push_heap(queue_.begin(), queue_.end());
  }

  DynamicView mesh_;
  const Op* op_;
  exec::View<const Index> is_shared_;
  exec::View<std::uint8_t> pending_;
  Limits limits_{};
  std::vector<Entry> queue_;  ///< a heap
  std::vector<Index> refused_;
};

}  // namespace tessera::surface::detail
