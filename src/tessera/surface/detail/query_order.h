// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "tessera/core/error.h"
#include "tessera/core/progress.h"
#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/sort.h"
#include "tessera/exec/space_curve.h"
#include "tessera/surface/bvh_view.h"
#include "tessera/surface/detail/point_box.h"

namespace tessera::surface::detail {

struct IsNotFinite {
  exec::View<const Vec3d> points;
  TESSERA_KERNEL Index operator()(Index i) const {
    constexpr double most = std::numeric_limits<double>::max();
    for (int k = 0; k < 3; ++k)
      if (!(points[i][k] >= -most && points[i][k] <= most)) return i;
    return no_index;
  }
};

/// Throws InputError if there are too many points, or one that is nowhere.
inline void require_queries(const exec::Stream& stream, exec::View<const Vec3d> points) {
  if (points.size() >= no_index) throw InputError("more points than can be numbered");
  const Index wrong = exec::reduce(stream, static_cast<Index>(points.size()), no_index,
                                   IsNotFinite{points}, exec::Minimum{});
  if (wrong != no_index)
    throw InputError("a coordinate of point " + std::to_string(wrong) + " is not a finite number");
}

struct WritePointKey {
  exec::View<const Vec3d> points;
  exec::CurveGrid<std::uint32_t> grid;
  exec::View<std::uint32_t> keys;
  TESSERA_KERNEL void operator()(Index i) const { keys[i] = grid.hilbert_key(points[i]); }
};

/// The numbers of points in an order in which neighbours follow each other.
inline exec::Buffer<Index> sort_queries(const exec::Stream& stream,
                                        exec::View<const Vec3d> points) {
  const auto n = static_cast<Index>(points.size());
  const Box box = box_of_points(stream, points);
  constexpr int bits_per_axis = 10;
  exec::Buffer<std::uint32_t> keys(stream, n);
  exec::for_each(
      stream, n,
      WritePointKey{points, exec::CurveGrid<std::uint32_t>(box, bits_per_axis), keys.view()});
  exec::Buffer<Index> order = exec::all_indices(stream, n);
  exec::sort_pairs(stream, keys, order, 3 * bits_per_axis);
  return order;
}

/// How many consecutive queries a thread works through, each starting from what the one before
/// found. A GPU needs the threads more: on an H200 a million points near a surface took 17 ms in
/// runs of two and 19 in runs of 1, 4 or 8, a hundred thousand farther away 7.6, 10, 14 and 25 ms
/// in runs of 1, 2, 4 and 8.
inline Index queries_per_run(const exec::Stream& stream) {
  return stream.backend() == exec::Backend::cuda ? 1 : 64;
}

/// One thread's share: visit(i, memory) for consecutive points of the order. The memory starts
/// empty and passes from each point to the next one near it.
template <class Visit>
struct VisitRun {
  exec::View<const Index> order;
  Index run;
  Index first_run;
  Visit visit;

  TESSERA_KERNEL void operator()(Index r) const {
    const auto n = static_cast<Index>(order.size());
    const Index begin = (first_run + r) * run;
    const Index end = n - begin < run ? n : begin + run;
    typename Visit::Memory memory;
    for (Index i = begin; i < end; ++i) visit(order[i], memory);
  }
};

/// By how much for_each_query() advances its progress.
inline constexpr std::uint64_t query_steps = 16;

/// Calls visit(i, memory) for every point i, in parallel, in an order in which neighbours follow
/// each other.
template <class Visit>
void for_each_query(const exec::Stream& stream, exec::View<const Vec3d> points, const Visit& visit,
                    Progress& progress) {
  const exec::Buffer<Index> order = sort_queries(stream, points);
  const Index run = queries_per_run(stream);
  const auto n = static_cast<Index>(points.size());
  const Index runs = n / run + (n % run != 0 ? 1 : 0);
  // In steps that keep a device busy: a GPU needs far more threads for that.
  const Index fewest = stream.backend() == exec::Backend::cuda ? Index{1} << 20 : Index{1} << 8;
  std::uint64_t told = 0;
  for (Index first = 0; first < runs;) {
    const Index sixteenth = static_cast<Index>(runs / query_steps + 1);
    const Index step = exec::Minimum{}(exec::Maximum{}(sixteenth, fewest), runs - first);
    exec::for_each(stream, step, VisitRun<Visit>{order.const_view(), run, first, visit});
    stream.synchronize();  // or the progress of a GPU would be that of its queue
    first += step;
    const std::uint64_t done = query_steps * first / runs;
    progress.advance(done - told);
    told = done;
  }
}

template <class Store>
struct FindClosest {
  /// Where the last search ended.
  struct Memory {
    Index place = no_index;
  };

  BvhView tree;
  exec::View<const Vec3d> points;
  Store store;

  TESSERA_KERNEL void operator()(Index i, Memory& memory) const {
    const ClosestPoint found = tree.closest_from(points[i], memory.place);
    memory.place = found.place;
    store(i, found);
  }
};

/// Calls store(i, closest point) for every point i, in parallel.
template <class Store>
void for_each_closest(const exec::Stream& stream, const BvhView& tree,
                      exec::View<const Vec3d> points, const Store& store, Progress& progress) {
  for_each_query(stream, points, FindClosest<Store>{tree, points, store}, progress);
}

}  // namespace tessera::surface::detail
