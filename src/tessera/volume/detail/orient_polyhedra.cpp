// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/volume/detail/orient_polyhedra.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "tessera/exec/host_loop.h"

namespace tessera::volume::detail {
namespace {

/// A side of a polygon of a cell.
struct Side {
  Index low;
  Index high;
  Index face;    ///< which polygon of the cell
  bool upwards;  ///< from low to high, going round the polygon as it is given
  bool is_of_same_edge(const Side& other) const { return low == other.low && high == other.high; }
};

/// Works through one cell at a time; keeps its memory.
class Orienter {
 public:
  explicit Orienter(PolyhedralSoup& soup) : soup_(soup) {}

  /// False if the cell is not closed, or cannot be given one orientation.
  bool orient(Index cell) {
    Index* entries = soup_.cell_entries.data() + soup_.cell_offsets[cell];
    const Index faces = soup_.cell_offsets[cell + 1] - soup_.cell_offsets[cell];
    list_sides(entries, faces);
    if (sides_.size() % 2 != 0) return false;
    for (std::size_t i = 0; i < sides_.size(); i += 2) {
      if (!sides_[i].is_of_same_edge(sides_[i + 1])) return false;
      if (i + 2 < sides_.size() && sides_[i].is_of_same_edge(sides_[i + 2])) return false;
    }
    if (!spread(faces)) return false;
    const bool inwards = volume(entries, faces) < 0;
    for (Index f = 0; f < faces; ++f) {
      const Index polygon = std::min(entries[f], ~entries[f]);
      entries[f] = turned_[f] != inwards ? ~polygon : polygon;
    }
    return true;
  }

 private:
  void list_sides(const Index* entries, Index faces) {
    sides_.clear();
    for (Index f = 0; f < faces; ++f) {
      const Index polygon = std::min(entries[f], ~entries[f]);
      const Index begin = soup_.polygon_offsets[polygon];
      const Index end = soup_.polygon_offsets[polygon + 1];
      for (Index i = begin; i < end; ++i) {
        const Index a = soup_.polygon_corners[i];
        const Index b = soup_.polygon_corners[i + 1 == end ? begin : i + 1];
        sides_.push_back({std::min(a, b), std::max(a, b), f, a < b});
      }
    }
    std::sort(sides_.begin(), sides_.end(), [](const Side& a, const Side& b) {
      return a.low != b.low ? a.low < b.low : a.high != b.high ? a.high < b.high : a.face < b.face;
    });
  }

  /// Turns polygons so that both sides of every edge run against each other, starting from the
  /// first polygon. A part that is not joined to it starts anew.
  bool spread(Index faces) {
    // For each polygon its places in sides_.
    first_.assign(faces + 1, 0);
    for (const Side& side : sides_) ++first_[side.face + 1];
    for (Index f = 0; f < faces; ++f) first_[f + 1] += first_[f];
    places_.resize(sides_.size());
    next_.assign(first_.begin(), first_.end() - 1);
    for (std::size_t i = 0; i < sides_.size(); ++i) places_[next_[sides_[i].face]++] = i;
    turned_.assign(faces, false);
    known_.assign(faces, false);
    for (Index start = 0; start < faces; ++start) {
      if (known_[start]) continue;
      known_[start] = true;
      waiting_.assign(1, start);
      while (!waiting_.empty()) {
        const Index f = waiting_.back();
        waiting_.pop_back();
        for (Index k = first_[f]; k < first_[f + 1]; ++k) {
          const Side& here = sides_[places_[k]];
          const Side& there = sides_[places_[k] ^ 1];
          const bool turn = (here.upwards == there.upwards) != turned_[f];
          if (known_[there.face]) {
            if (turned_[there.face] != turn) return false;
            continue;
          }
          known_[there.face] = true;
          turned_[there.face] = turn;
          waiting_.push_back(there.face);
        }
      }
    }
    return true;
  }

  /// Six times; about a corner of the cell, so that nothing cancels far from the origin.
  double volume(const Index* entries, Index faces) const {
    const Vec3d origin =
        soup_.positions
            [soup_.polygon_corners[soup_.polygon_offsets[std::min(entries[0], ~entries[0])]]];
    double sum = 0;
    for (Index f = 0; f < faces; ++f) {
      const Index polygon = std::min(entries[f], ~entries[f]);
      const Index begin = soup_.polygon_offsets[polygon];
      const Index end = soup_.polygon_offsets[polygon + 1];
      const auto at = [&](Index i) { return soup_.positions[soup_.polygon_corners[i]] - origin; };
      double part = 0;
      for (Index i = begin + 1; i + 1 < end; ++i) part += dot(at(begin), cross(at(i), at(i + 1)));
      sum += turned_[f] ? -part : part;
    }
    return sum;
  }

  PolyhedralSoup& soup_;
  std::vector<Side> sides_;
  std::vector<Index> first_;
  std::vector<Index> next_;
  std::vector<std::size_t> places_;
  std::vector<bool> turned_;
  std::vector<bool> known_;
  std::vector<Index> waiting_;
};

}  // namespace

Array<Index> orient_polyhedra(const exec::Stream& stream, PolyhedralSoup& soup) {
  Array<Index> open;
  std::mutex mutex;
  exec::host_for_ranges(stream, soup.cell_count(), 1024, [&](std::size_t begin, std::size_t end) {
    Orienter orienter(soup);
    for (std::size_t c = begin; c < end; ++c) {
      if (soup.cell_types[c] != CellType::polyhedron) continue;
      if (orienter.orient(static_cast<Index>(c))) continue;
      const std::lock_guard lock(mutex);
      open.push_back(static_cast<Index>(c));
    }
  });
  std::sort(open.begin(), open.end());
  return open;
}

}  // namespace tessera::volume::detail
