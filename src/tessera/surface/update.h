// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Operations on many places of a mesh at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/compact.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/host_loop.h"
#include "tessera/surface/cavity.h"
#include "tessera/surface/detail/patches.h"
#include "tessera/surface/detail/rounds.h"
#include "tessera/surface/dynamic_mesh.h"
#include "tessera/surface/wish.h"

namespace tessera::surface {

/// How operations are kept apart that are next to each other.
enum class Scheme {
  automatic,  ///< what is faster: patches on the CPU, rounds on a GPU
  rounds,     ///< all at once claim their faces, and who has all of them acts
  patches     ///< one after the other in patches, then in rounds what is between them; CPU only
};

struct UpdateOptions {
  /// The most that follow each other; in a patch, how often what has changed is looked at again.
  int most_rounds = 1000;
  std::uint64_t most_operations = std::uint64_t{1} << 40;
  /// Whether to look at the whole mesh again when nothing is left near what has changed: it may be
  /// wanted elsewhere now, a few times at a time.
  bool looks_again = true;
  Scheme scheme = Scheme::automatic;
};

struct UpdateReport {
  int rounds = 0;
  std::uint64_t done = 0;        ///< operations carried out
  std::uint64_t in_patches = 0;  ///< of these: before the rounds
  bool is_complete = false;      ///< nothing wants it any more, or only what is too large
  std::uint64_t lost = 0;  ///< times that one had to wait because another held a face of its cavity
};

namespace detail {
inline namespace TESSERA_EXEC_NAMESPACE {

template <class Op>
class Updater {
 public:
  Updater(DynamicMesh& mesh, const Op& op, const UpdateOptions& options)
      : mesh_(mesh), stream_(mesh.stream()), op_(op), options_(options), lost_(stream_, 1) {
    exec::fill(stream_, lost_.view(), 0);
    make_room();
  }

  UpdateReport run() {
    look_everywhere();
    while (!is_over()) {
      if (count_ > 0) {
        run_round();
        continue;
      }
      report_.is_complete = is_fresh_;
      if (is_fresh_ || !options_.looks_again) break;
      // What has changed may let others act that were not near it.
      look_everywhere();
    }
    report_.lost = exec::download_one(stream_, lost_, 0);
    return report_;
  }

 private:
  using Worker = PatchWorker<Op>;

  Index places() const {
    return Op::seed == Seed::vertex ? mesh_.vertex_places()
           : Op::seed == Seed::edge ? mesh_.half_edge_places()
                                    : mesh_.face_places();
  }
  bool is_over() const {
    return report_.rounds >= options_.most_rounds || report_.done >= options_.most_operations;
  }
  void make_room() {
    const std::size_t elements = places();
    if (elements > pending_.size()) {
      const std::size_t room = elements + elements / 4;
      enlarge(pending_, room);
      exec::fill(stream_, pending_.view().subview(known_, room - known_), 0);
      enlarge(wishes_, room);
      known_ = room;
    }
  }
  template <class T>
  void enlarge(exec::Buffer<T>& buffer, std::size_t size) {
    exec::Buffer<T> larger(stream_, size);
    exec::copy_on_device(stream_, larger.view().subview(0, buffer.size()), buffer.const_view());
    buffer.swap(larger);
  }
  void find_candidates() {
    if (candidates_.size() < places()) candidates_ = exec::Buffer<Index>(stream_, pending_.size());
    count_ = exec::compact(stream_, places(), IsPending{pending_.const_view()}, candidates_.view());
  }
  void look_everywhere() {
    exec::for_each(stream_, places(),
                   FindFirst<Op>{mesh_.view(), op_, pending_.view(), wishes_.view()});
    find_candidates();
    is_fresh_ = true;
    if (uses_patches() && count_ > 0) run_patches();
  }

  bool uses_patches() const {
    return Op::seed != Seed::vertex && stream_.backend() == exec::Backend::cpu &&
           options_.scheme != Scheme::rounds;
  }
  void run_patches() {
    ++report_.rounds;
    constexpr Index seeds_of_patch = Op::seed == Seed::edge ? 3 * faces_of_patch : faces_of_patch;
    const exec::View<const Index> candidates = candidates_.const_view().subview(0, count_);
    const Index patches = (places() + seeds_of_patch - 1) / seeds_of_patch;
    std::vector<Index> starts(patches + std::size_t{1});
    for (Index p = 0; p <= patches; ++p)
      starts[p] = static_cast<Index>(std::lower_bound(candidates.begin(), candidates.end(),
                                                      std::uint64_t{p} * seeds_of_patch) -
                                     candidates.begin());
    // Some operations make others possible.
    constexpr Index growth = 2;
    const Index first_face = mesh_.face_places();
    const Index first_vertex = mesh_.vertex_places();
    mesh_.extend(std::size_t{growth} * count_ * Op::new_faces,
                 std::size_t{growth} * count_ * Op::new_vertices);
    make_room();
    exec::Buffer<Index> is_shared(stream_, mesh_.vertex_places());
    exec::fill(stream_, is_shared.view(), 0);
    exec::for_each(stream_, 3 * first_face, MarkShared{mesh_.view(), is_shared.view()});
    // Operations that are left for the candidates before one.
    const auto share_before = [&](Index candidate) {
      const auto left = static_cast<double>(options_.most_operations - report_.done);
      return static_cast<std::uint64_t>(left * (static_cast<double>(candidate) / count_));
    };
    std::vector<std::uint64_t> done(patches);
    exec::host_for_ranges(stream_, patches, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) {
        const Index start = starts[p];
        const Index stop = starts[p + 1];
        if (start == stop) continue;
        const typename Worker::Limits limits{
            first_face + growth * start * Op::new_faces, first_face + growth * stop * Op::new_faces,
            first_vertex + growth * start * Op::new_vertices,
            share_before(stop) - share_before(start), options_.most_rounds};
        Worker worker(mesh_.view(), op_, is_shared.const_view(), pending_.view(), limits);
        done[p] = worker.run(candidates.subview(start, stop - start), wishes_.const_view());
      }
    });
    std::uint64_t sum = 0;
    for (const std::uint64_t n : done) sum += n;
    report_.done += sum;
    report_.in_patches += sum;
    is_fresh_ = is_fresh_ && sum == 0;
    find_candidates();
  }

  void run_round() {
    ++report_.rounds;
    if (mesh_.face_places() > claimed_faces_) {
      claimed_faces_ = mesh_.face_places() + mesh_.face_places() / 4;
      claims_ = exec::Buffer<std::uint64_t>(stream_, std::size_t{2} * claimed_faces_ + 256);
      round_ = 0;
    }
    if (++round_ == 1 || round_ == 1U << 16) {
      round_ = 1;
      exec::fill(stream_, claims_.view(), 0);
    }
    if (own_.size() < count_) {
      own_ = exec::Buffer<std::uint64_t>(stream_, count_);
      wins_ = exec::Buffer<std::uint8_t>(stream_, count_);
      winners_ = exec::Buffer<Index>(stream_, count_);
    }
    const Claims claims{claims_.view(), claimed_faces_};
    exec::for_each(stream_, count_,
                   Claim<Op>{mesh_.view(), op_, round_, candidates_.const_view(), pending_.view(),
                             claims, is_fresh_, wishes_.view(), own_.view()});
    exec::for_each(stream_, count_,
                   Check<Op>{mesh_.view(), op_, candidates_.const_view(), pending_.view(), claims,
                             own_.const_view(), wins_.view(), lost_.view()});
    Index won = exec::compact(stream_, count_, IsPending{wins_.const_view()}, winners_.view());
    if (won == 0) {
      count_ = 0;
      return;
    }
    is_fresh_ = false;
    won = static_cast<Index>(std::min<std::uint64_t>(won, options_.most_operations - report_.done));
    report_.done += won;
    const Index first_face = mesh_.face_places();
    const Index first_vertex = mesh_.vertex_places();
    mesh_.extend(std::size_t{won} * Op::new_faces, std::size_t{won} * Op::new_vertices);
    make_room();
    exec::for_each(stream_, won,
                   Apply<Op>{mesh_.view(), op_, candidates_.const_view(), winners_.const_view(),
                             wishes_.const_view(), first_face, first_vertex, pending_.view()});
    find_candidates();
  }

  DynamicMesh& mesh_;
  const exec::Stream& stream_;
  const Op& op_;
  const UpdateOptions& options_;
  UpdateReport report_;
  std::size_t known_ = 0;               ///< elements that `pending` and `wishes` have room for
  exec::Buffer<std::uint8_t> pending_;  ///< elements to look at
  exec::Buffer<Wish> wishes_;           ///< of the candidates
  exec::Buffer<Index> candidates_;
  Index count_ = 0;
  bool is_fresh_ = true;  ///< the candidates are all there are, and their wishes known
  exec::Buffer<std::uint64_t> claims_;
  Index claimed_faces_ = 0;
  std::uint32_t round_ = 0;  ///< since the claims were erased
  exec::Buffer<std::uint64_t> own_;
  exec::Buffer<std::uint8_t> wins_;
  exec::Buffer<Index> winners_;
  exec::Buffer<std::uint64_t> lost_;
};

}  // namespace TESSERA_EXEC_NAMESPACE
}  // namespace detail

inline namespace TESSERA_EXEC_NAMESPACE {

/// Carries an operation out wherever the mesh wants it, until it does nowhere (UpdateOptions
/// aside). An operation has
///   static constexpr Seed seed;                       what it starts from
///   static constexpr Index new_faces, new_vertices;   the most that one adds to those it replaces
///   bool wants(mesh, i, wish)        whether to act at element i, and how (see Wish)
///   void take(mesh, i, cavity)       which faces it replaces
///   void fill(i, choice, filling)    what comes in their place
/// wants() may read the faces of its element, the stars of their vertices with the positions there,
/// and the faces around those, but not the positions of these. take() and fill() may read the faces
/// of the cavity and their vertices, but not the stars of those on its border, which others may be
/// changing; fill() may move vertices all of whose faces are in the cavity. Operations whose
/// cavities overlap or touch along an edge follow each other. The result does not depend on the
/// number of threads.
template <class Op>
UpdateReport update(DynamicMesh& mesh, const Op& op, const UpdateOptions& options = {}) {
  return detail::Updater<Op>(mesh, op, options).run();
}

}  // namespace TESSERA_EXEC_NAMESPACE
}  // namespace tessera::surface
