// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Operations on many places of a mesh at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tessera/core/progress.h"
#include "tessera/core/stopwatch.h"
#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/compact.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/for_each_apart.h"
#include "tessera/exec/host_loop.h"
#include "tessera/surface/cavity.h"
#include "tessera/surface/detail/patches.h"
#include "tessera/surface/detail/rounds.h"
#include "tessera/surface/dynamic_mesh.h"
#include "tessera/surface/wish.h"

namespace tessera::surface {

/// How operations are kept apart that are next to each other.
enum class Scheme {
  rounds,     ///< all at once claim their faces, and who has all of them acts
  patches,    ///< one after the other in patches, many patches at once; what lies between them is
              ///< left. On a GPU, and from vertices: rounds
  automatic,  ///< what is faster: rounds on a GPU; on the CPU patches, then rounds for the rest
};

struct UpdateOptions {
  /// The most that follow each other; in a patch, how often what has changed is looked at again.
  int most_rounds = 1000;
  std::uint64_t most_operations = std::uint64_t{1} << 40;
  /// Whether to look at the whole mesh again when nothing is left near what has changed: it may be
  /// wanted elsewhere now, a few times at a time.
  bool looks_again = true;
  Scheme scheme = Scheme::automatic;
  /// Answering Continue::no stops between two rounds or patches: what is done stays done.
  ProgressCallback progress{};
};

struct UpdateReport {
  int rounds = 0;
  std::uint64_t done = 0;        ///< operations carried out
  std::uint64_t in_patches = 0;  ///< of these: before the rounds
  bool is_complete = false;      ///< nothing wants it any more, or only what is too large
  std::uint64_t lost = 0;  ///< times that one had to wait because another held a face of its cavity
  double choosing = 0;     ///< seconds for finding where to act and what may at once; in patches
                           ///< only for the former
  double acting = 0;       ///< seconds for the rest
};

namespace detail {
inline namespace TESSERA_EXEC_NAMESPACE {

template <class Op>
class Updater {
 public:
  Updater(DynamicMesh& mesh, const Op& op, const UpdateOptions& options)
      : mesh_(mesh),
        stream_(mesh.stream()),
        op_(op),
        options_(options),
        progress_(options_.progress, "updating",
                  2 * Patches::of(mesh.face_places(), true).count(mesh.face_places())),
        lost_(stream_, 1) {
    exec::fill(stream_, lost_.view(), 0);
    make_room(pending_);
  }

  UpdateReport run() {
    look_everywhere();
    if (uses_patches() && options_.scheme == Scheme::patches) {
      if (is_fresh_) find_candidates();
      report_.is_complete = is_fresh_ && count_ == 0;
      return report_;
    }
    while (!is_over()) {
      if (count_ > 0) {
        run_round();
        progress_.advance(0);
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
  /// One value for each element; those of new ones are 0.
  template <class T>
  void make_room(exec::Buffer<T>& values) {
    if (values.size() >= places()) return;
    exec::Buffer<T> larger(stream_, places() + std::size_t{places()} / 4);
    exec::copy_on_device(stream_, larger.view().subview(0, values.size()), values.const_view());
    exec::fill(stream_, larger.view().subview(values.size(), larger.size() - values.size()), {});
    values.swap(larger);
  }
  void find_candidates() {
    if (candidates_.size() < places()) candidates_ = exec::Buffer<Index>(stream_, pending_.size());
    count_ = exec::compact(stream_, places(), IsPending{pending_.const_view()}, candidates_.view());
  }
  void look_everywhere() {
    is_fresh_ = true;
    Stopwatch watch;
    if (uses_patches() && report_.rounds == 0) {
      // Twice, so that most of what is between two patches is inside of one the other time.
      run_patches(false);
      run_patches(true);
      are_known_ = false;
      if (options_.scheme != Scheme::automatic) return;
      watch.lap();
      find_candidates();
    } else {
      make_room(wishes_);
      exec::for_each(stream_, places(),
                     FindFirst<Op>{mesh_.view(), op_, pending_.view(), wishes_.view()});
      are_known_ = true;
      find_candidates();
    }
    report_.choosing += watch.lap();
  }

  bool uses_patches() const {
    return Op::seed != Seed::vertex && stream_.backend() == exec::Backend::cpu &&
           options_.scheme != Scheme::rounds;
  }
  /// The second time, with patches that are shifted, only what was left is looked at.
  void run_patches(bool is_second) {
    if (is_over()) return;
    ++report_.rounds;
    Stopwatch watch;
    constexpr Index seeds_of_face = Op::seed == Seed::edge ? 3 : 1;
    const Index faces = mesh_.face_places();
    const Index vertices = mesh_.vertex_places();
    const Patches patches = Patches::of(faces, is_second);
    exec::Buffer<Index> is_shared(stream_, vertices);
    exec::fill(stream_, is_shared.view(), 0);
    exec::for_each(stream_, 3 * faces, MarkShared{mesh_.view(), patches, is_shared.view()});
    std::vector<Worker> workers(patches.count(faces),
                                Worker(mesh_.view(), op_, is_shared.const_view(), pending_.view()));
    for_each_worker(workers, [&](Worker& worker, std::size_t p) {
      worker.find(seeds_of_face * patches.start(p, faces),
                  seeds_of_face * patches.start(p + 1, faces), is_second);
    });

    // Every patch gets its share of what there may be.
    std::uint64_t candidates = 0;
    for (const Worker& worker : workers) candidates += worker.candidates();
    report_.choosing += watch.lap();
    if (candidates == 0) return;
    constexpr std::uint64_t no_limit = std::uint64_t{1} << 40;
    const std::uint64_t allowed = std::min(options_.most_operations - report_.done, no_limit);
    // Places for more than that, as some make others possible; where they do not suffice, the rest
    // is left to the rounds.
    std::uint64_t room = std::min(2 * candidates, allowed);
    if constexpr (Op::new_faces > 0)
      room = std::min<std::uint64_t>(room, (no_index / 3 - faces) / Op::new_faces);
    if constexpr (Op::new_vertices > 0)
      room = std::min<std::uint64_t>(room, (no_index - 1 - vertices) / Op::new_vertices);
    mesh_.extend(room * Op::new_faces, room * Op::new_vertices);
    make_room(pending_);
    if constexpr (Op::new_vertices > 0) {
      exec::Buffer<Index> with_new(stream_, mesh_.vertex_places());
      exec::copy_on_device(stream_, with_new.view().subview(0, vertices), is_shared.const_view());
      exec::fill(stream_, with_new.view().subview(vertices, with_new.size() - vertices), 0);
      is_shared.swap(with_new);
    }
    const auto share_before = [&](std::uint64_t all, std::uint64_t candidate) {
      return static_cast<std::uint64_t>(
          static_cast<double>(all) *
          (static_cast<double>(candidate) / static_cast<double>(candidates)));
    };
    std::vector<typename Worker::Limits> limits;
    std::uint64_t before = 0;
    for (const Worker& worker : workers) {
      const std::uint64_t after = before + worker.candidates();
      const std::uint64_t first = share_before(room, before);
      limits.push_back({static_cast<Index>(faces + first * Op::new_faces),
                        static_cast<Index>(vertices + first * Op::new_vertices),
                        share_before(room, after) - first,
                        share_before(allowed, after) - share_before(allowed, before),
                        std::min(options_.most_rounds, 65535)});
      before = after;
    }
    std::vector<std::uint64_t> done(workers.size());
    for_each_worker(workers, [&](Worker& worker, std::size_t p) {
      done[p] = worker.run(mesh_.view(), is_shared.const_view(), pending_.view(), limits[p]);
      progress_.advance(1);
    });
    std::uint64_t sum = 0;
    for (const std::uint64_t n : done) sum += n;
    report_.done += sum;
    report_.in_patches += sum;
    is_fresh_ = is_fresh_ && sum == 0;
    report_.acting += watch.lap();
  }
  template <class F>
  void for_each_worker(std::vector<Worker>& workers, const F& f) {
    exec::host_for_ranges(stream_, workers.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) f(workers[p], p);
    });
  }

  void run_round() {
    ++report_.rounds;
    Stopwatch watch;
    make_room(wishes_);
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
    // Where there are many, a round is as long as the work for all of them: adapting 1.1 million
    // faces to stretched metrics on an H200 takes 0.31 s, not 0.75. Few wait for each other more
    // often when those that turn out impossible have claimed their faces.
    constexpr Index many = 100'000;
    const AskCan ask = count_ >= many ? AskCan::of_few : AskCan::first;
    exec::for_each_apart(
        stream_, count_,
        Claim<Op>{mesh_.view(), op_, round_, candidates_.const_view(), pending_.view(), claims,
                  are_known_, ask, wishes_.view(), own_.view()});
    are_known_ = false;
    exec::for_each_apart(
        stream_, count_,
        Check<Op>{mesh_.view(), op_, candidates_.const_view(), pending_.view(), claims,
                  own_.const_view(), wins_.view(), lost_.view(), ask, wishes_.view()});
    Index won = exec::compact(stream_, count_, IsPending{wins_.const_view()}, winners_.view());
    report_.choosing += watch.lap();
    if (won == 0) {
      // Where the strongest turned out impossible, others may have waited for them.
      if (ask == AskCan::of_few)
        find_candidates();
      else
        count_ = 0;
      return;
    }
    is_fresh_ = false;
    won = static_cast<Index>(std::min<std::uint64_t>(won, options_.most_operations - report_.done));
    report_.done += won;
    const Index first_face = mesh_.face_places();
    const Index first_vertex = mesh_.vertex_places();
    mesh_.extend(std::size_t{won} * Op::new_faces, std::size_t{won} * Op::new_vertices);
    make_room(pending_);
    make_room(wishes_);
    exec::for_each_apart(
        stream_, won,
        Apply<Op>{mesh_.view(), op_, candidates_.const_view(), winners_.const_view(),
                  wishes_.const_view(), first_face, first_vertex, pending_.view()});
    find_candidates();
    report_.acting += watch.lap();
  }

  DynamicMesh& mesh_;
  const exec::Stream& stream_;
  const Op& op_;
  const UpdateOptions& options_;
  Progress progress_;  ///< of patches; in rounds nobody knows how many there will be
  UpdateReport report_;
  exec::Buffer<std::uint8_t> pending_;  ///< elements to look at
  exec::Buffer<Wish> wishes_;           ///< of the candidates
  exec::Buffer<Index> candidates_;
  Index count_ = 0;
  bool is_fresh_ = true;    ///< nothing has changed since all elements were looked at
  bool are_known_ = false;  ///< the wishes of the candidates
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
///   bool can(mesh, i, wish)          whether that is possible; asked when its turn comes, and only
///                                    if there is such a function: for what costs time to find out
///   static constexpr bool depends_on_ends_alone   optional, of edges: whether what wants() says
///                                    changes only with a new or moved end; it is asked less then
///   void take(mesh, i, cavity)       which faces it replaces
///   void fill(i, choice, filling)    what comes in their place
/// wants() and can() may read the faces of its element, the stars of their vertices with the
/// positions there, and the faces around those, but not the positions of these. take() and fill()
/// may read the faces of the cavity and their vertices, but not the stars of those on its border,
/// which others may be changing; fill() may move vertices all of whose faces are in the cavity.
/// Operations whose cavities overlap or touch along an edge follow each other. The result does not
/// depend on the number of threads. Throws Cancelled if the callback says so, InputError and
/// DeviceError as DynamicMesh::extend(); the mesh is a whole one then, with what was done.
template <class Op>
UpdateReport update(DynamicMesh& mesh, const Op& op, const UpdateOptions& options = {}) {
  if constexpr (requires { &Op::can; })
    static_assert(detail::has_can<Op>, "can() must be: bool can(mesh, i, wish) const");
  return detail::Updater<Op>(mesh, op, options).run();
}

}  // namespace TESSERA_EXEC_NAMESPACE
}  // namespace tessera::surface
