// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace tessera {

/// Counter-based random numbers: the n-th number of a seed is a function of (seed, n) alone, so a
/// parallel loop draws the same numbers on any device and any number of threads.
class Random {
 public:
  constexpr explicit Random(std::uint64_t seed) : key_(mix(seed + golden)) {}

  /// 64 random bits for draw `counter`.
  constexpr std::uint64_t bits(std::uint64_t counter) const {
    return mix(mix(counter * golden + key_) ^ key_);
  }

  /// Uniform in [0, 1).
  constexpr double uniform(std::uint64_t counter) const {
    return static_cast<double>(bits(counter) >> 11) * 0x1.0p-53;
  }

  /// Uniform in 0 .. n - 1; n > 0. The bias, n / 2^32, is below any use we make of it.
  constexpr std::uint32_t below(std::uint64_t counter, std::uint32_t n) const {
    return static_cast<std::uint32_t>(((bits(counter) >> 32) * n) >> 32);
  }

  /// Finaliser of SplitMix64 (Steele, Lea, Flood 2014): every input bit reaches every output bit.
  static constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }

 private:
  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;
  std::uint64_t key_;
};

}  // namespace tessera
