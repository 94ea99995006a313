// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Patches by Lloyd's clustering of faces (dissertation of Mahmoud, section 4.3.3; RXMesh, section
// 6.3): patches grow from seeds until they meet, each seed moves to the middle of its patch, and so
// on. Four things are different. Seeds start at equal distances along a space-filling curve
// instead of at random, so that a few rounds are enough. Patches that came out too large start
// later in the next round, and win fewer ties, which evens out their sizes. Faces that stick out
// are then passed over to the patch beside them, which makes borders shorter by a tenth. And what
// is still too large at the end is cut by the same growth within the patch alone, so that this
// always ends.
//
// The constants are measured on the Stanford bunny, split to 1.1 million faces, with 512 a patch.
// Five rounds, three of them moving, and eight sweeps leave 0.208 ribbon faces a face; METIS gets
// 0.201, seven rounds with four moving 0.205, no sweeps 0.23.
#include "tessera/surface/detail/partition.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "tessera/core/error.h"
#include "tessera/core/random.h"
#include "tessera/exec/append.h"
#include "tessera/exec/atomic.h"
#include "tessera/exec/compact.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/prefetch.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/scan.h"
#include "tessera/exec/sort.h"
#include "tessera/surface/detail/connectivity.h"
#include "tessera/surface/detail/next_faces.h"
#include "tessera/surface/detail/trim_patches.h"

namespace tessera::surface::detail {
namespace {

using exec::Buffer;
using exec::View;

/// A face's claim by a patch: the smallest wins. It consists of the round in which growth reached
/// the face, how late the patch started within a round, and the patch.
using Claim = std::uint64_t;
constexpr Claim unclaimed = ~Claim{0};
constexpr int patch_bits = 28;
constexpr int fraction_bits = 8;
constexpr Index fractions = 1U << fraction_bits;

TESSERA_KERNEL constexpr Claim make_claim(Index level, Index fraction, Index patch) {
  return (Claim{level} << (patch_bits + fraction_bits)) | (Claim{fraction} << patch_bits) | patch;
}
TESSERA_KERNEL constexpr Index patch_of(Claim claim) {
  return static_cast<Index>(claim & ((Claim{1} << patch_bits) - 1));
}
/// The claim that a face passes on to its neighbours: one level later.
TESSERA_KERNEL constexpr Claim next_level(Claim claim) {
  return claim + (Claim{1} << (patch_bits + fraction_bits));
}

template <class Claims>
void prefetch_face(View<const Index> next, const Claims& claims, Index f) {
  exec::prefetch(next[std::size_t{3} * f]);
  exec::prefetch(claims[f]);
}

/// What is known of the faces beside f.
template <class... Values>
void prefetch_neighbors(View<const Index> next, Index f, const Values&... values) {
  for (std::size_t k = 0; k < 3; ++k) {
    const Index h = next[std::size_t{3} * f + k];
    if (h != no_index) (exec::prefetch(values[h / 3]), ...);
  }
}

/// A patch in the making.
struct Seeds {
  Buffer<Index> face;
  /// When its growth starts, in fractions of a level.
  Buffer<Index> start;

  Index size() const { return static_cast<Index>(face.size()); }
};

/// Claims the seeds of patches that start at this level, unless another patch came first.
struct Plant {
  View<const Index> face;
  View<const Index> start;
  View<Claim> claims;
  Index level;
  Index first_patch;  ///< number of the first of these seeds

  template <class Append>
  TESSERA_KERNEL void operator()(Index s, Append& append) const {
    if (start[s] / fractions != level) return;
    const Claim claim = make_claim(level, start[s] % fractions, first_patch + s);
    if (exec::atomic_min(claims[face[s]], claim) == unclaimed) append(face[s]);
  }
};

/// Passes the claims of the faces reached last on to their neighbours. A neighbour that is reached
/// twice in one level goes to the smaller claim, whoever comes first. Where `within` is given,
/// growth stays among faces of the same value.
struct Grow {
  View<const Index> next;
  View<Claim> claims;
  View<const Index> frontier;
  View<const Index> within;

  void prefetch_far(Index i) const { prefetch_face(next, claims, frontier[i]); }
  void prefetch_near(Index i) const { prefetch_neighbors(next, frontier[i], claims); }

  template <class Append>
  TESSERA_KERNEL void operator()(Index i, Append& append) const {
    const Index f = frontier[i];
    const Claim claim = next_level(exec::atomic_load(claims[f]));
    for (Index k = 0; k < 3; ++k) {
      const Index g = next_face(
          next, 3 * f + k, [&](Index face) { return within.empty() || within[face] == within[f]; });
      if (g == no_index || exec::atomic_load(claims[g]) <= claim) continue;
      if (exec::atomic_min(claims[g], claim) == unclaimed) append(g);
    }
  }
};

/// Faces at the border of their patch or of the mesh have depth 0.
struct FindBorder {
  View<const Index> next;
  View<const Claim> claims;
  View<Index> depths;

  template <class Append>
  TESSERA_KERNEL void operator()(Index f, Append& append) const {
    const Index patch = patch_of(claims[f]);
    bool inside = true;
    for (Index k = 0; k < 3; ++k) {
      const Index h = next[3 * f + k];
      inside = inside && h != no_index && patch_of(claims[h / 3]) == patch;
    }
    depths[f] = inside ? no_index : 0;
    if (!inside) append(f);
  }
};

/// Counts the depth inwards from the border, and notes the deepest face of each patch; of several
/// the first.
struct Deepen {
  View<const Index> next;
  View<const Claim> claims;
  View<const Index> frontier;
  View<Index> depths;
  View<std::uint64_t> deepest;
  Index depth;

  void prefetch_far(Index i) const { prefetch_face(next, claims, frontier[i]); }
  void prefetch_near(Index i) const { prefetch_neighbors(next, frontier[i], claims, depths); }

  template <class Append>
  TESSERA_KERNEL void operator()(Index i, Append& append) const {
    const Index f = frontier[i];
    const Index patch = patch_of(claims[f]);
    bool is_end = true;
    for (Index k = 0; k < 3; ++k) {
      const Index h = next[3 * f + k];
      if (h == no_index || patch_of(claims[h / 3]) != patch) continue;
      const Index g = h / 3;
      if (exec::atomic_load(depths[g]) == no_index &&
          exec::atomic_compare_exchange(depths[g], no_index, depth + 1) == no_index) {
        append(g);
        is_end = false;
      }
    }
    if (is_end) exec::atomic_max(deepest[patch], (std::uint64_t{depth} << 32) | (no_index - f));
  }
};

struct CountClaims {
  View<const Claim> claims;
  View<Index> sizes;
  TESSERA_KERNEL void operator()(Index f) const {
    exec::atomic_add(sizes[patch_of(claims[f])], Index{1});
  }
};

struct CountFaces {
  View<const Index> labels;
  View<Index> sizes;
  TESSERA_KERNEL void operator()(Index f) const { exec::atomic_add(sizes[labels[f]], Index{1}); }
};

struct MoveSeed {
  View<const std::uint64_t> deepest;
  View<Index> face;
  TESSERA_KERNEL void operator()(Index p) const {
    if (deepest[p] != 0) face[p] = no_index - static_cast<Index>(deepest[p] & no_index);
  }
};

/// Large patches start later in the next round, small ones earlier. In whole numbers: a GPU rounds
/// others in its own way.
struct ShiftStart {
  View<const Index> sizes;
  View<Index> start;
  std::int64_t target;
  std::int64_t shift;  ///< for a patch of twice the right size
  std::int64_t latest;

  TESSERA_KERNEL void operator()(Index p) const {
    const std::int64_t excess = std::int64_t{sizes[p]} - target;
    const std::int64_t wanted = start[p] + shift * (excess < target ? excess : target) / target;
    start[p] = static_cast<Index>(wanted < 0 ? 0 : wanted > latest ? latest : wanted);
  }
};

struct IsNotEmpty {
  View<const Index> sizes;
  TESSERA_KERNEL Index operator()(Index p) const { return sizes[p] > 0 ? 1 : 0; }
};

/// How many seeds a group of faces gets.
struct SeedsOfRun {
  View<const Index> starts;
  Index groups;
  Index all;
  Index per_seed;
  TESSERA_KERNEL Index faces(Index group) const {
    return (group + 1 < groups ? starts[group + 1] : all) - starts[group];
  }
  TESSERA_KERNEL Index operator()(Index group) const {
    return (faces(group) + per_seed - 1) / per_seed;
  }
};

struct WriteSeedCounts {
  SeedsOfRun seeds;
  View<Index> counts;
  TESSERA_KERNEL void operator()(Index group) const {
    counts[group] = group < seeds.groups ? seeds(group) : 0;
  }
};

/// Seeds at equal distances among the faces of each group.
struct PlaceSeeds {
  SeedsOfRun runs;
  View<const Index> first_seed;  ///< of each group
  View<const Index> faces;       ///< group after group
  View<Index> face;
  Random random;

  TESSERA_KERNEL void operator()(Index s) const {
    const Index group =
        exec::bisect(0, runs.groups, [&](Index g) { return first_seed[g + 1] <= s; });
    const std::uint64_t count = first_seed[group + 1] - first_seed[group];
    const std::uint64_t n = runs.faces(group);
    // In the middle of its share of the faces, give or take a sixteenth.
    const std::uint64_t place = s - first_seed[group];
    const std::uint64_t begin = n * place / count;
    const std::uint64_t share = n * (place + 1) / count - begin;
    const std::uint64_t rank = begin + (share * (14 * 64 + random.below(s, 4 * 64)) >> 11);
    face[s] = faces[runs.starts[group] + static_cast<Index>(rank)];
  }
};

struct WriteLabels {
  View<const Claim> claims;
  View<Index> labels;
  TESSERA_KERNEL void operator()(Index f) const { labels[f] = patch_of(claims[f]); }
};

struct WriteLabelsOf {
  View<const Index> faces;
  View<const Claim> claims;
  View<Index> labels;
  TESSERA_KERNEL void operator()(Index i) const { labels[faces[i]] = patch_of(claims[faces[i]]); }
};

struct InLargePatch {
  View<const Index> labels;
  View<const Index> sizes;
  Index limit;
  TESSERA_KERNEL bool operator()(Index f) const { return sizes[labels[f]] > limit; }
};

struct Unclaim {
  View<const Index> faces;
  View<Claim> claims;
  TESSERA_KERNEL void operator()(Index i) const { claims[faces[i]] = unclaimed; }
};

struct WritePatches {
  View<const Index> number;
  View<Index> labels;
  TESSERA_KERNEL void operator()(Index f) const { labels[f] = number[labels[f]]; }
};

struct WriteFlags {
  IsNotEmpty is_not_empty;
  View<Index> flags;
  Index size;
  TESSERA_KERNEL void operator()(Index p) const { flags[p] = p < size ? is_not_empty(p) : 0; }
};

class Partitioner {
 public:
  Partitioner(const exec::Stream& stream, Index faces, const EdgeTable& edges, Index max_faces,
              std::uint64_t seed)
      : stream_(stream),
        faces_(faces),
        max_faces_(max_faces),
        target_(std::max<Index>(1, static_cast<Index>(fill * static_cast<float>(max_faces)))),
        random_(seed),
        next_of_(stream, std::size_t{3} * faces),
        claims_(stream, faces),
        labels_(stream, faces),
        frontier_(stream, faces),
        next_(stream, faces),
        count_(stream, 1) {
    exec::for_each(stream_, edges.size(), WriteNext{edges.view(), next_of_.view()});
  }

  Partition run(const EdgeTable& edges, Progress& progress) {
    Seeds seeds = first_seeds(edges);
    for (int round = 0; round < rounds; ++round) {
      exec::fill(stream_, claims_.view(), unclaimed);
      grow(seeds, 0, {});
      count_sizes(seeds.size());
      if (round < moving_rounds) move_to_middle(seeds);
      even_out(seeds);
      progress.advance(1);
    }
    Index patches = seeds.size();
    exec::for_each(stream_, faces_, WriteLabels{claims_.const_view(), labels_.view()});
    trim_patches(stream_, next_of_.const_view(), max_faces_, labels_, sizes_);
    progress.advance(1);
    while (cut_large(patches)) progress.advance(0);
    progress.advance(1);
    return finish(patches);
  }

  static constexpr int rounds = 5;
  static constexpr int moving_rounds = 3;  ///< the first ones; then only sizes are evened out

 private:
  /// Of the largest size allowed, what patches aim at: fuller ones would often have to be cut.
  static constexpr float fill = 0.9F;
  /// Levels that a patch can start earlier or later than the others.
  static constexpr Index leeway = 4;

  /// A claim has room for so many patches.
  static void require_numbers(std::uint64_t patches) {
    if (patches >= std::uint64_t{1} << patch_bits)
      throw InputError("the mesh needs " + std::to_string(patches) +
                       " patches, more than can be numbered: it has too many components, or " +
                       "patches are too small");
  }

  Index read_count() const { return exec::download_one(stream_, count_, 0); }

  /// Seeds at equal distances along each group of faces; `keys` are the groups, sorted.
  Seeds seeds_of_groups(const Buffer<Index>& keys, const Buffer<Index>& faces, Index per_seed) {
    const auto all = static_cast<Index>(keys.size());
    Buffer<Index> starts(stream_, all);
    const Index groups =
        exec::compact(stream_, all, exec::StartsRun<Index>{keys.const_view()}, starts.view());
    const SeedsOfRun runs{starts.const_view(), groups, all, per_seed};
    Buffer<Index> first_seed(stream_, std::size_t{groups} + 1);
    exec::for_each(stream_, groups + 1, WriteSeedCounts{runs, first_seed.view()});
    exec::exclusive_scan(stream_, first_seed.view(), first_seed.view());
    const Index count = exec::download_one(stream_, first_seed, groups);
    require_numbers(count);
    Seeds seeds{Buffer<Index>(stream_, count), Buffer<Index>(stream_, count)};
    exec::for_each(
        stream_, count,
        PlaceSeeds{runs, first_seed.const_view(), faces.const_view(), seeds.face.view(), random_});
    exec::fill(stream_, seeds.start.view(), leeway * fractions);
    return seeds;
  }

  Seeds first_seeds(const EdgeTable& edges) {
    Buffer<Index> components = face_components(stream_, faces_, edges);
    Buffer<Index> faces = exec::all_indices(stream_, faces_);
    exec::sort_pairs(stream_, components, faces, exec::bits_for(faces_));
    return seeds_of_groups(components, faces, target_);
  }

  /// One flood: from the seeds to every face that they lead to.
  void grow(const Seeds& seeds, Index first_patch, View<const Index> within) {
    Index reached = 0;
    for (Index level = 0; reached > 0 || level <= 2 * leeway; ++level) {
      exec::fill(stream_, count_.view(), 0);
      exec::for_each_append(
          stream_, reached,
          Grow{next_of_.const_view(), claims_.view(), frontier_.const_view(), within}, next_.view(),
          count_.view());
      if (level <= 2 * leeway)
        exec::for_each_append(stream_, seeds.size(),
                              Plant{seeds.face.const_view(), seeds.start.const_view(),
                                    claims_.view(), level, first_patch},
                              next_.view(), count_.view());
      reached = read_count();
      frontier_.swap(next_);
    }
  }

  void count_sizes(Index patches) {
    sizes_ = Buffer<Index>(stream_, patches);
    exec::fill(stream_, sizes_.view(), 0);
    exec::for_each(stream_, faces_, CountClaims{claims_.const_view(), sizes_.view()});
  }

  void move_to_middle(Seeds& seeds) {
    Buffer<Index> depths(stream_, faces_);
    Buffer<std::uint64_t> deepest(stream_, seeds.size());
    exec::fill(stream_, deepest.view(), 0);
    exec::fill(stream_, count_.view(), 0);
    exec::for_each_append(stream_, faces_,
                          FindBorder{next_of_.const_view(), claims_.const_view(), depths.view()},
                          frontier_.view(), count_.view());
    Index reached = read_count();
    for (Index depth = 0; reached > 0; ++depth) {
      exec::fill(stream_, count_.view(), 0);
      exec::for_each_append(stream_, reached,
                            Deepen{next_of_.const_view(), claims_.const_view(),
                                   frontier_.const_view(), depths.view(), deepest.view(), depth},
                            next_.view(), count_.view());
      reached = read_count();
      frontier_.swap(next_);
    }
    exec::for_each(stream_, seeds.size(), MoveSeed{deepest.const_view(), seeds.face.view()});
  }

  void even_out(Seeds& seeds) {
    // A disc of n levels in the graph of a regular triangulation has 1.5 n^2 faces. Where a patch
    // starts a level later than its neighbours, its border moves by half of that. The neighbours
    // move too: with a gain of 1.2 instead of 0.6 sizes swing and do not settle.
    constexpr double gain = 0.6;
    const double radius = std::sqrt(static_cast<double>(target_) / 1.5);
    exec::for_each(stream_, seeds.size(),
                   ShiftStart{sizes_.const_view(), seeds.start.view(), target_,
                              std::lround(gain * radius * fractions), 2 * leeway * fractions - 1});
  }

  /// Cuts every patch above the limit into two or more; whether there were any.
  bool cut_large(Index& patches) {
    Buffer<Index> faces(stream_, faces_);
    const Index large = exec::compact(
        stream_, faces_, InLargePatch{labels_.const_view(), sizes_.const_view(), max_faces_},
        faces.view());
    if (large == 0) return false;
    Buffer<Index> list(stream_, large);
    exec::copy_on_device(stream_, list.view(), faces.const_view().subview(0, large));
    Buffer<Index> keys(stream_, large);
    exec::gather_values(stream_, labels_.const_view(), list.const_view(), keys.view());
    exec::sort_pairs(stream_, keys, list, exec::bits_for(patches));
    const Seeds seeds = seeds_of_groups(keys, list, max_faces_);
    require_numbers(std::uint64_t{patches} + seeds.size());
    exec::for_each(stream_, large, Unclaim{list.const_view(), claims_.view()});
    grow(seeds, patches, labels_.const_view());
    exec::for_each(stream_, large,
                   WriteLabelsOf{list.const_view(), claims_.const_view(), labels_.view()});
    patches += seeds.size();
    sizes_ = Buffer<Index>(stream_, patches);
    exec::fill(stream_, sizes_.view(), 0);
    exec::for_each(stream_, faces_, CountFaces{labels_.const_view(), sizes_.view()});
    return true;
  }

  /// Numbers the patches that have faces without gaps.
  Partition finish(Index patches) {
    Buffer<Index> number(stream_, std::size_t{patches} + 1);
    exec::for_each(stream_, patches + 1,
                   WriteFlags{IsNotEmpty{sizes_.const_view()}, number.view(), patches});
    exec::exclusive_scan(stream_, number.view(), number.view());
    Partition partition;
    partition.patches = exec::download_one(stream_, number, patches);
    exec::for_each(stream_, faces_, WritePatches{number.const_view(), labels_.view()});
    partition.patch_of_face = std::move(labels_);
    return partition;
  }

  exec::Stream stream_;
  Index faces_;
  Index max_faces_;
  Index target_;
  Random random_;
  Buffer<Index> next_of_;
  Buffer<Claim> claims_;
  Buffer<Index> labels_;
  Buffer<Index> frontier_;
  Buffer<Index> next_;
  Buffer<Index> count_;
  Buffer<Index> sizes_;
};

}  // namespace

Partition make_patches(const exec::Stream& stream, Index faces, const EdgeTable& edges,
                       Index max_faces, std::uint64_t seed, Progress& progress) {
  static_assert(patching_steps == Partitioner::rounds + 2);
  return Partitioner(stream, faces, edges, max_faces, seed).run(edges, progress);
}

}  // namespace tessera::surface::detail
