// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// One hash table that all threads fill: a slot holds the smallest corner of its place so far, and
// every corner remembers its slot. The slots then tell which corners are the first of their place;
// counting these in order numbers vertices by first appearance, whatever the threads did. Against
// hash tables for partitions of the corners this saves the partitioning, which would double the
// memory. Only two passes go through the table at random: filling it, and looking numbers up.
#include "tessera/io/detail/weld.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <random>

#include "tessera/core/parallel.h"
#include "tessera/core/random.h"

namespace tessera::io::detail {
namespace {

/// A multiple of 3, for whole faces, and of 64, for whole words of bits.
constexpr std::size_t block_size = std::size_t{3} * 64 * 128;

/// Calls f(first, last) for blocks of 0 .. count - 1, in parallel.
template <class F>
void for_each_block(std::size_t count, F f) {
  parallel_for((count + block_size - 1) / block_size, [&](std::size_t block) {
    f(block * block_size, std::min(count, (block + 1) * block_size));
  });
}

/// A set of corners that knows how many of its members are smaller than a given one. Small enough
/// for the cache: three bits for two corners.
class CornerSet {
 public:
  explicit CornerSet(std::size_t corners)
      : words_((corners + 63) / 64, 0), smaller_(words_.size() + 1, 0) {}

  /// Any thread.
  void insert(Index corner) {
    std::atomic_ref<std::uint64_t>(words_[corner / 64])
        .fetch_or(std::uint64_t{1} << (corner % 64), std::memory_order_relaxed);
  }

  /// To be called between the last insert() and the first use of the rest.
  void count() {
    for (std::size_t i = 0; i < words_.size(); ++i)
      smaller_[i + 1] = smaller_[i] + static_cast<Index>(std::popcount(words_[i]));
  }

  std::size_t size() const { return smaller_.back(); }

  Index rank(Index corner) const {
    const std::uint64_t below = (std::uint64_t{1} << (corner % 64)) - 1;
    return smaller_[corner / 64] + static_cast<Index>(std::popcount(words_[corner / 64] & below));
  }

  /// Calls f(corner, rank) for the members in first .. last - 1; `first` is a multiple of 64.
  template <class F>
  void for_each(std::size_t first, std::size_t last, F f) const {
    Index rank = smaller_[first / 64];
    for (std::size_t word = first / 64; 64 * word < last; ++word)
      for (std::uint64_t bits = words_[word]; bits != 0; bits &= bits - 1)
        f(64 * word + static_cast<std::size_t>(std::countr_zero(bits)), rank++);
  }

 private:
  Array<std::uint64_t> words_;
  Array<Index> smaller_;
};

/// A secret of the process, so that no file can make all its places collide. The result does not
/// depend on it.
std::uint64_t secret_seed() {
  return std::uint64_t{std::random_device{}()} << 32 | std::random_device{}();
}

std::uint64_t place_hash(const Vec3d& p, std::uint64_t seed) {
  std::uint64_t hash = seed;
  for (const double x : p.v) hash = Random::mix(hash ^ std::bit_cast<std::uint64_t>(x + 0.0));
  return hash;
}

class CornerTable {
 public:
  explicit CornerTable(const FloatCorners& corners)
      : corners_(corners),
        slots_(std::min<std::uint64_t>(15 * corners.faces / 4 + 16, no_index)),
        seed_(secret_seed()) {
    for_each_block(slots_.size(), [&](std::size_t first, std::size_t last) {
      std::fill(slots_.data() + first, slots_.data() + last, no_index);
    });
  }

  /// Enters corners first .. last - 1 and tells their slots. A group of corners takes each of its
  /// cache misses at the same time.
  void insert(std::size_t first, std::size_t last, Index* slots) {
    constexpr std::size_t group = 24;
    std::array<Vec3f, group> positions;
    for (; first < last; first += group) {
      const std::size_t n = std::min(group, last - first);
      for (std::size_t i = 0; i < n; ++i) {
        positions[i] = corners_.at(first + i);
        slots[first + i] = home(positions[i]);
        __builtin_prefetch(&slots_[slots[first + i]], 1);
      }
      for (std::size_t i = 0; i < n; ++i) {
        const Index other = slot(slots[first + i]).load(std::memory_order_relaxed);
        if (other != no_index) prefetch(other);
      }
      for (std::size_t i = 0; i < n; ++i)
        slots[first + i] = insert(static_cast<Index>(first + i), positions[i], slots[first + i]);
    }
  }

  Array<Index>& slots() { return slots_; }

 private:
  Index home(const Vec3f& p) const {
    const std::uint64_t x = std::bit_cast<std::uint32_t>(p[0] + 0.0F);  // -0 becomes 0
    const std::uint64_t y = std::bit_cast<std::uint32_t>(p[1] + 0.0F);
    const std::uint64_t z = std::bit_cast<std::uint32_t>(p[2] + 0.0F);
    const std::uint64_t hash = Random::mix(Random::mix((x << 32 | y) ^ seed_) + z);
    return static_cast<Index>(((hash >> 32) * slots_.size()) >> 32);
  }

  std::atomic_ref<Index> slot(Index i) { return std::atomic_ref<Index>(slots_[i]); }

  void prefetch(Index corner) const {
    __builtin_prefetch(corners_.first + corner / 3 * corners_.stride);
  }

  /// Returns the slot where corners at this place are.
  Index insert(Index corner, const Vec3f& position, Index at) {
    for (;;) {
      Index other = slot(at).load(std::memory_order_relaxed);
      if (other == no_index &&
          slot(at).compare_exchange_strong(other, corner, std::memory_order_relaxed))
        return at;
      if (corners_.at(other) == position) {
        while (corner < other &&
               !slot(at).compare_exchange_weak(other, corner, std::memory_order_relaxed)) {
        }
        return at;
      }
      at = at + 1 < slots_.size() ? at + 1 : 0;
    }
  }

  const FloatCorners& corners_;
  Array<Index> slots_;
  std::uint64_t seed_;
};

}  // namespace

void weld(const FloatCorners& corners, TriangleSoup& mesh, Progress& progress) {
  const std::size_t count = 3 * corners.faces;
  mesh.triangles.resize(corners.faces);
  // Holds slots first, vertex numbers in the end.
  Index* numbers = reinterpret_cast<Index*>(mesh.triangles.data());
  CornerTable table(corners);
  for_each_block(count, [&](std::size_t first, std::size_t last) {
    table.insert(first, last, numbers);
    progress.advance((last - first) / 3);
  });

  Array<Index>& slots = table.slots();
  CornerSet vertices(count);
  for_each_block(slots.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      if (slots[i] != no_index) vertices.insert(slots[i]);
  });
  vertices.count();
  for_each_block(slots.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      if (slots[i] != no_index) slots[i] = vertices.rank(slots[i]);
  });
  mesh.positions.resize(vertices.size());
  for_each_block(count, [&](std::size_t first, std::size_t last) {
    vertices.for_each(first, last, [&](std::size_t corner, Index vertex) {
      mesh.positions[vertex] = cast<double>(corners.at(corner));
    });
    for (std::size_t corner = first; corner < last; ++corner)
      numbers[corner] = slots[numbers[corner]];
  });
}

Joiner::Joiner(TriangleSoup& mesh) : mesh_(mesh), slots_(1024, no_index), seed_(secret_seed()) {}

void Joiner::append(const TriangleSoup& part) {
  Array<Index> vertex(part.positions.size());
  for (std::size_t i = 0; i < vertex.size(); ++i) vertex[i] = join(part.positions[i]);
  for (const Triangle& t : part.triangles)
    mesh_.triangles.push_back({vertex[t[0]], vertex[t[1]], vertex[t[2]]});
}

Index Joiner::join(const Vec3d& position) {
  if (2 * (mesh_.positions.size() + 1) > slots_.size()) grow_table();
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = place_hash(position, seed_) & mask;
  while (slots_[at] != no_index && mesh_.positions[slots_[at]] != position) at = (at + 1) & mask;
  if (slots_[at] == no_index) {
    slots_[at] = static_cast<Index>(mesh_.positions.size());
    mesh_.positions.push_back(position);
  }
  return slots_[at];
}

void Joiner::grow_table() {
  slots_.assign(2 * slots_.size(), no_index);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < mesh_.positions.size(); ++i) {
    std::size_t at = place_hash(mesh_.positions[i], seed_) & mask;
    while (slots_[at] != no_index) at = (at + 1) & mask;
    slots_[at] = static_cast<Index>(i);
  }
}

}  // namespace tessera::io::detail
