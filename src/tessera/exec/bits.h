// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

#include "tessera/exec/kernel.h"

namespace tessera::exec {

/// Which is the lowest bit set, of a number that has one. In kernels use this, not
/// std::countr_zero: nvcc 13 compiles that to the constant 32, without a word.
TESSERA_KERNEL inline int lowest_bit(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __ffs(static_cast<int>(bits)) - 1;
#else
  return std::countr_zero(bits);
#endif
}
TESSERA_KERNEL inline int lowest_bit(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __ffsll(static_cast<long long>(bits)) - 1;
#else
  return std::countr_zero(bits);
#endif
}

}  // namespace tessera::exec
