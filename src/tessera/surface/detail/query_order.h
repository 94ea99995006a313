// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/progress.h"
#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/sort.h"
#include "tessera/surface/bvh_view.h"
#include "tessera/surface/detail/point_box.h"
#include "tessera/exec/space_curve.h"

namespace tessera::surface::detail {

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
  exec::for_each(stream, n,
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

template <class Store>
struct FindClosestInRun {
  BvhView tree;
  exec::View<const Vec3d> points;
  exec::View<const Index> order;
  Index run;
  Index first_run;
  Store store;

  TESSERA_KERNEL void operator()(Index r) const {
    const auto n = static_cast<Index>(order.size());
    const Index begin = (first_run + r) * run;
    const Index end = n - begin < run ? n : begin + run;
    Index place = no_index;
    for (Index i = begin; i < end; ++i) {
      const ClosestPoint found = tree.closest_from(points[order[i]], place);
      place = found.place;
      store(order[i], found);
    }
  }
};

/// By how much for_each_closest() advances its progress.
inline constexpr std::uint64_t query_steps = 16;

/// Calls store(i, closest point) for every point i, in parallel.
template <class Store>
void for_each_closest(const exec::Stream& stream, const BvhView& tree,
                      exec::View<const Vec3d> points, const Store& store, Progress& progress) {
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
    exec::for_each(stream, step,
                   FindClosestInRun<Store>{tree, points, order.const_view(), run, first, store});
    stream.synchronize();  // or the progress of a GPU would be that of its queue
    first += step;
    const std::uint64_t done = query_steps * first / runs;
    progress.advance(done - told);
    told = done;
  }
}

}  // namespace tessera::surface::detail
