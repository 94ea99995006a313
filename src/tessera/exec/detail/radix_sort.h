// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "tessera/core/array.h"
#include "tessera/exec/detail/cpu.h"

namespace tessera::exec::detail {

struct NoValue {};

/// Stable least-significant-digit radix sort on the device's threads, between (keys, values) and
/// (other_keys, other_values). Returns whether the result is in the other pair. oneTBB's
/// parallel_sort compares; this moves each pair once per eight bits of key, and is five times
/// faster from a million pairs up (docs/benchmarks.md).
///
/// Each piece of the input counts its digits, one scan over (digit, piece) gives every piece its
/// own place for every digit, and the pieces then move their elements independently. A pass in
/// which all keys have the same digit is skipped.
template <class K, class V>
bool cpu_radix_sort(const DeviceState& device, K* keys, K* other_keys, V* values, V* other_values,
                    std::size_t n, int key_bits) {
  constexpr int digit_bits = 8;
  constexpr std::size_t digits = std::size_t{1} << digit_bits;
  constexpr bool has_values = !std::is_same_v<V, NoValue>;
  // As many pieces as keep every thread busy, none too small to be worth its table of counts. The
  // result does not depend on it.
  const std::size_t pieces =
      std::clamp<std::size_t>(n / 65536, 1, static_cast<std::size_t>(device.arena->threads()) * 4);
  const std::size_t piece = (n + pieces - 1) / pieces;
  using Counts = std::array<std::size_t, digits>;
  Array<Counts> counts(pieces);

  bool swapped = false;
  for (int shift = 0; shift < key_bits; shift += digit_bits) {
    const K mask = static_cast<K>((std::uint64_t{1} << std::min(digit_bits, key_bits - shift)) - 1);
    const auto digit = [=](K key) {
      return static_cast<std::size_t>(static_cast<K>(key >> shift) & mask);
    };
    cpu_for_ranges(device, pieces, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t p = first; p < last; ++p) {
        Counts& count = counts[p];
        count.fill(0);
        const std::size_t end = std::min(n, (p + 1) * piece);
        for (std::size_t i = p * piece; i < end; ++i) ++count[digit(keys[i])];
      }
    });
    std::size_t position = 0;
    std::size_t largest = 0;
    for (std::size_t d = 0; d < digits; ++d) {
      const std::size_t start = position;
      for (Counts& count : counts) {
        const std::size_t c = count[d];
        count[d] = position;
        position += c;
      }
      largest = std::max(largest, position - start);
    }
    if (largest == n) continue;
    cpu_for_ranges(device, pieces, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t p = first; p < last; ++p) {
        Counts& place = counts[p];
        const std::size_t end = std::min(n, (p + 1) * piece);
        for (std::size_t i = p * piece; i < end; ++i) {
          const std::size_t to = place[digit(keys[i])]++;
          other_keys[to] = keys[i];
          if constexpr (has_values) other_values[to] = values[i];
        }
      }
    });
    std::swap(keys, other_keys);
    std::swap(values, other_values);
    swapped = !swapped;
  }
  return swapped;
}

}  // namespace tessera::exec::detail
