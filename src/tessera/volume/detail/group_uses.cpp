// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/volume/detail/group_uses.h"

#include <cstdint>

#include "tessera/core/random.h"
#include "tessera/exec/compact.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/sort.h"

namespace tessera::volume::detail {
namespace {

using exec::Buffer;
using exec::View;

/// The three smallest vertices of a use.
struct Smallest {
  std::uint64_t v[3] = {~0ull, ~0ull, ~0ull};
};
TESSERA_KERNEL Smallest smallest_of(const Index* loop, Index size) {
  Smallest result;
  for (Index i = 0; i < size; ++i) {
    std::uint64_t v = loop[i];
    for (auto& own : result.v) {
      if (v >= own) continue;
      const std::uint64_t larger = own;
      own = v;
      v = larger;
    }
  }
  return result;
}

/// Keys of uses in any order. Where three numbers do not fit in 64 bits, the third has a pass of
/// its own, before the two others.
struct WriteUseKey {
  Uses uses;
  View<const Index> order;
  View<std::uint64_t> keys;
  int bits;
  int first;
  int last;
  TESSERA_KERNEL void operator()(Index i) const {
    const Index use = order[i];
    const Smallest smallest = smallest_of(uses.loop(use), uses.size(use));
    std::uint64_t key = 0;
    for (int k = first; k < last; ++k) key = (key << bits) | smallest.v[k];
    keys[i] = key;
  }
};

/// The runs of uses that have the same smallest vertices.
struct Runs {
  View<const Index> starts;
  Index uses;
  TESSERA_KERNEL Index end(Index r) const { return r + 1 < starts.size() ? starts[r + 1] : uses; }
  TESSERA_KERNEL Index size(Index r) const { return end(r) - starts[r]; }
};

/// Comparing all uses of a run with each other would take the square of this. A face has two uses,
/// and an edge, to whose faces runs come down where three numbers do not fit in a key, some dozens.
constexpr Index long_run = 64;

struct SizeOfRun {
  Runs runs;
  TESSERA_KERNEL Index operator()(Index r) const { return runs.size(r); }
};

/// For the uses of long runs the number of the run, for others no_index.
struct MarkLongRuns {
  Runs runs;
  View<const Index> order;
  View<Index> run_of_use;
  TESSERA_KERNEL void operator()(Index r) const {
    const bool is_long = runs.size(r) > long_run;
    for (Index i = runs.starts[r]; i < runs.end(r); ++i)
      run_of_use[order[i]] = is_long ? r : no_index;
  }
};

struct IsInLongRun {
  View<const Index> order;
  View<const Index> run_of_use;
  TESSERA_KERNEL bool operator()(Index i) const { return run_of_use[order[i]] != no_index; }
};

/// A number for the loop of a use, wherever and in whichever direction it starts: from the vertices
/// before and after each one, which make up the loop.
struct HashOfUse {
  Uses uses;
  TESSERA_KERNEL std::uint64_t operator()(Index use) const {
    const Index* loop = uses.loop(use);
    const Index size = uses.size(use);
    std::uint64_t sum = 0;
    for (Index i = 0; i < size; ++i) {
      const std::uint64_t before = loop[i == 0 ? size - 1 : i - 1];
      const std::uint64_t after = loop[i + 1 == size ? 0 : i + 1];
      const std::uint64_t ends = before < after ? before << 32 | after : after << 32 | before;
      sum += Random::mix(Random::mix(ends) + loop[i]);
    }
    return sum;
  }
};

struct WriteHash {
  HashOfUse hash;
  View<const Index> of;
  View<std::uint64_t> hashes;
  TESSERA_KERNEL void operator()(Index i) const { hashes[i] = hash(of[i]); }
};

struct PutBack {
  View<const Index> places;
  View<const Index> values;
  View<Index> order;
  TESSERA_KERNEL void operator()(Index i) const { order[places[i]] = values[i]; }
};

/// Long runs start anew where the loop changes.
struct StartsSplitRun {
  exec::StartsRun<std::uint64_t> starts_run;
  HashOfUse hash;
  View<const Index> order;
  View<const Index> run_of_use;
  TESSERA_KERNEL bool operator()(Index i) const {
    return starts_run(i) ||
           (run_of_use[order[i]] != no_index && hash(order[i]) != hash(order[i - 1]));
  }
};

/// Sorts uses so that those of one face stand together.
Buffer<Index> sort_uses(const exec::Stream& stream, const Uses& uses, Index count, int bits,
                        Buffer<std::uint64_t>& keys) {
  Buffer<Index> order = exec::all_indices(stream, count);
  const auto sort_by = [&](int first, int last) {
    exec::for_each(stream, count,
                   WriteUseKey{uses, order.const_view(), keys.view(), bits, first, last});
    exec::sort_pairs(stream, keys, order, (last - first) * bits);
  };
  if (3 * bits <= 64) {
    sort_by(0, 3);
  } else {
    sort_by(2, 3);
    sort_by(0, 2);
  }
  return order;
}

/// Sorts the uses of long runs by their loops and splits these runs.
void split_long_runs(const exec::Stream& stream, const Uses& uses,
                     const Buffer<std::uint64_t>& keys, GroupedUses& groups) {
  const auto count = static_cast<Index>(groups.order.size());
  const Runs runs{groups.run_starts.const_view().subview(0, groups.runs), count};
  const Index longest =
      exec::reduce(stream, groups.runs, Index{0}, SizeOfRun{runs}, exec::Maximum{});
  if (longest <= long_run) return;
  Buffer<Index> run_of_use(stream, count);
  exec::for_each(stream, groups.runs,
                 MarkLongRuns{runs, groups.order.const_view(), run_of_use.view()});
  Buffer<Index> places(stream, count);
  const Index found =
      exec::compact(stream, count, IsInLongRun{groups.order.const_view(), run_of_use.const_view()},
                    places.view());
  const View<const Index> found_places = places.const_view().subview(0, found);
  Buffer<Index> sorted(stream, found);
  exec::gather_values(stream, groups.order.const_view(), found_places, sorted.view());
  Buffer<std::uint64_t> hashes(stream, found);
  exec::for_each(stream, found, WriteHash{{uses}, sorted.const_view(), hashes.view()});
  exec::sort_pairs(stream, hashes, sorted);
  Buffer<Index> run_numbers(stream, found);
  exec::gather_values(stream, run_of_use.const_view(), sorted.const_view(), run_numbers.view());
  exec::sort_pairs(stream, run_numbers, sorted, exec::bits_for(groups.runs));
  exec::for_each(stream, found, PutBack{found_places, sorted.const_view(), groups.order.view()});
  groups.runs = exec::compact(
      stream, count,
      StartsSplitRun{
          {keys.const_view()}, {uses}, groups.order.const_view(), run_of_use.const_view()},
      groups.run_starts.view());
}

}  // namespace

GroupedUses group_uses(const exec::Stream& stream, const Uses& uses, Index count,
                       std::size_t vertices) {
  Buffer<std::uint64_t> keys(stream, count);
  GroupedUses groups{sort_uses(stream, uses, count, exec::bits_for(vertices), keys),
                     Buffer<Index>(stream, count), 0};
  groups.runs = exec::compact(stream, count, exec::StartsRun<std::uint64_t>{keys.const_view()},
                              groups.run_starts.view());
  split_long_runs(stream, uses, keys, groups);
  return groups;
}

}  // namespace tessera::volume::detail
