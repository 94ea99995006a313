// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/volume/detail/orient_polyhedra.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tessera/core/box.h"
#include "tessera/exec/host_loop.h"

namespace tessera::volume::detail {
namespace {

/// A side of a polygon of a cell.
struct Side {
  Index low;
  Index high;
  Index face;    ///< which polygon of the cell
  bool upwards;  ///< from low to high, going round the polygon as the cell has it
  bool is_of_same_edge(const Side& other) const { return low == other.low && high == other.high; }
};

Index polygon_of(Index entry) {
  return std::min(entry, ~entry);
}

enum class Outcome { kept, turned, open };

/// Works through one cell at a time; keeps its memory.
class Orienter {
 public:
  explicit Orienter(PolyhedralSoup& soup) : soup_(soup) {}

  /// Open if polygons do not close the cell, are listed twice or cannot be given one orientation.
  Outcome orient(Index cell) {
    entries_ = soup_.cell_entries.data() + soup_.cell_offsets[cell];
    faces_ = soup_.cell_offsets[cell + 1] - soup_.cell_offsets[cell];
    if (has_polygon_twice()) return Outcome::open;  // before sides are listed: they may be many
    list_sides();
    if (!are_paired() || has_face_twice()) return Outcome::open;
    if (is_consistent()) return Outcome::kept;
    if (!spread()) return Outcome::open;
    turn_shells();
    for (Index f = 0; f < faces_; ++f)
      if (turned_[f]) entries_[f] = ~entries_[f];
    return Outcome::turned;
  }

  /// Six times the volume of the cell last given to orient().
  double volume() const {
    double sum = 0;
    for (Index f = 0; f < faces_; ++f) sum += part_of_volume(f);
    return sum;
  }

 private:
  bool has_polygon_twice() {
    sorted_.assign(entries_, entries_ + faces_);
    for (Index& entry : sorted_) entry = polygon_of(entry);
    std::sort(sorted_.begin(), sorted_.end());
    return std::adjacent_find(sorted_.begin(), sorted_.end()) != sorted_.end();
  }

  void list_sides() {
    sides_.clear();
    for (Index f = 0; f < faces_; ++f) {
      const bool reversed = polygon_of(entries_[f]) != entries_[f];
      const Index begin = soup_.polygon_offsets[polygon_of(entries_[f])];
      const Index end = soup_.polygon_offsets[polygon_of(entries_[f]) + 1];
      for (Index i = begin; i < end; ++i) {
        const Index a = soup_.polygon_corners[i];
        const Index b = soup_.polygon_corners[i + 1 == end ? begin : i + 1];
        sides_.push_back({std::min(a, b), std::max(a, b), f, (a < b) != reversed});
      }
    }
    std::sort(sides_.begin(), sides_.end(), [](const Side& a, const Side& b) {
      return a.low != b.low ? a.low < b.low : a.high != b.high ? a.high < b.high : a.face < b.face;
    });
    // For each polygon its places in sides_.
    first_.assign(faces_ + 1, 0);
    for (const Side& side : sides_) ++first_[side.face + 1];
    for (Index f = 0; f < faces_; ++f) first_[f + 1] += first_[f];
    places_.resize(sides_.size());
    next_.assign(first_.begin(), first_.end() - 1);
    for (std::size_t i = 0; i < sides_.size(); ++i) places_[next_[sides_[i].face]++] = i;
  }

  /// Whether every edge has two sides, of two polygons.
  bool are_paired() const {
    if (sides_.size() % 2 != 0) return false;
    for (std::size_t i = 0; i < sides_.size(); i += 2) {
      if (!sides_[i].is_of_same_edge(sides_[i + 1])) return false;
      if (sides_[i].face == sides_[i + 1].face) return false;
      if (i + 2 < sides_.size() && sides_[i].is_of_same_edge(sides_[i + 2])) return false;
    }
    return true;
  }

  /// Whether two polygons are one face: all sides of one have their partners in the other.
  bool has_face_twice() const {
    for (Index f = 0; f < faces_; ++f) {
      const Index other = partner(first_[f]).face;
      bool all = first_[f + 1] - first_[f] == first_[other + 1] - first_[other];
      for (Index k = first_[f]; k < first_[f + 1] && all; ++k) all = partner(k).face == other;
      if (all) return true;
    }
    return false;
  }

  /// Whether both sides of every edge run against each other as the polygons are given.
  bool is_consistent() const {
    for (std::size_t i = 0; i < sides_.size(); i += 2)
      if (sides_[i].upwards == sides_[i + 1].upwards) return false;
    return true;
  }

  const Side& partner(Index place) const { return sides_[places_[place] ^ 1]; }

  /// Turns polygons so that both sides of every edge run against each other, starting from the
  /// first polygon of each shell: a part that no edge joins to the others.
  bool spread() {
    turned_.assign(faces_, false);
    shell_.assign(faces_, no_index);
    shells_ = 0;
    for (Index start = 0; start < faces_; ++start) {
      if (shell_[start] != no_index) continue;
      shell_[start] = shells_;
      waiting_.assign(1, start);
      while (!waiting_.empty()) {
        const Index f = waiting_.back();
        waiting_.pop_back();
        for (Index k = first_[f]; k < first_[f + 1]; ++k) {
          const Side& here = sides_[places_[k]];
          const Side& there = partner(k);
          const bool turn = (here.upwards == there.upwards) != turned_[f];
          if (shell_[there.face] != no_index) {
            if (turned_[there.face] != turn) return false;
            continue;
          }
          shell_[there.face] = shells_;
          turned_[there.face] = turn;
          waiting_.push_back(there.face);
        }
      }
      ++shells_;
    }
    return true;
  }

  /// Turns each shell outwards; one within the box of the largest is a cavity and turns inwards.
  void turn_shells() {
    volumes_.assign(shells_, 0);
    boxes_.assign(shells_, Box{});
    for (Index f = 0; f < faces_; ++f) {
      volumes_[shell_[f]] += turned_[f] ? -part_of_volume(f) : part_of_volume(f);
      const Index polygon = polygon_of(entries_[f]);
      for (Index i = soup_.polygon_offsets[polygon]; i < soup_.polygon_offsets[polygon + 1]; ++i)
        boxes_[shell_[f]].add(soup_.positions[soup_.polygon_corners[i]]);
    }
    Index largest = 0;
    for (Index s = 1; s < shells_; ++s)
      if (std::abs(volumes_[s]) > std::abs(volumes_[largest])) largest = s;
    for (Index f = 0; f < faces_; ++f) {
      const Index s = shell_[f];
      const bool inwards = volumes_[s] < 0;
      if (inwards != (s != largest && is_within(boxes_[s], boxes_[largest])))
        turned_[f] = !turned_[f];
    }
  }

  static bool is_within(const Box& a, const Box& b) {
    for (int k = 0; k < 3; ++k)
      if (a.min[k] < b.min[k] || a.max[k] > b.max[k]) return false;
    return true;
  }

  /// Six times the volume under a polygon as it is listed; about a corner of the cell, so that
  /// nothing cancels far from the origin.
  double part_of_volume(Index f) const {
    const auto corner = [&](Index i) { return soup_.positions[soup_.polygon_corners[i]]; };
    const Vec3d origin = corner(soup_.polygon_offsets[polygon_of(entries_[0])]);
    const Index polygon = polygon_of(entries_[f]);
    const Index begin = soup_.polygon_offsets[polygon];
    const Index end = soup_.polygon_offsets[polygon + 1];
    double part = 0;
    for (Index i = begin + 1; i + 1 < end; ++i)
      part += dot(corner(begin) - origin, cross(corner(i) - origin, corner(i + 1) - origin));
    return polygon == entries_[f] ? part : -part;
  }

  PolyhedralSoup& soup_;
  Index* entries_ = nullptr;
  Index faces_ = 0;
  std::vector<Index> sorted_;
  std::vector<Side> sides_;
  std::vector<Index> first_;
  std::vector<Index> next_;
  std::vector<std::size_t> places_;
  std::vector<bool> turned_;
  std::vector<Index> shell_;
  Index shells_ = 0;
  std::vector<double> volumes_;
  std::vector<Box> boxes_;
  std::vector<Index> waiting_;
};

}  // namespace

OrientedPolyhedra orient_polyhedra(const exec::Stream& stream, PolyhedralSoup& soup) {
  OrientedPolyhedra result;
  // Of each cell: 1 if it is open, 2 if it was kept.
  Array<std::uint8_t> outcomes(soup.cell_count());
  std::atomic<std::int64_t> balance = 0;  // kept cells that point outwards, less the others
  exec::host_for_ranges(stream, soup.cell_count(), 1024, [&](std::size_t begin, std::size_t end) {
    Orienter orienter(soup);
    for (std::size_t c = begin; c < end; ++c) {
      outcomes[c] = 0;
      if (soup.cell_types[c] != CellType::polyhedron) continue;
      const Outcome outcome = orienter.orient(static_cast<Index>(c));
      if (outcome == Outcome::open) outcomes[c] = 1;
      if (outcome != Outcome::kept) continue;
      outcomes[c] = 2;
      const double volume = orienter.volume();
      if (volume != 0 && std::isfinite(volume)) balance += volume > 0 ? 1 : -1;
    }
  });
  for (std::size_t c = 0; c < soup.cell_count(); ++c) {
    if (outcomes[c] == 1) result.open.push_back(static_cast<Index>(c));
    if (outcomes[c] != 2 || balance >= 0) continue;
    for (Index i = soup.cell_offsets[c]; i < soup.cell_offsets[c + 1]; ++i)
      soup.cell_entries[i] = ~soup.cell_entries[i];
    ++result.turned;
  }
  return result;
}

}  // namespace tessera::volume::detail
