// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tessera/exec/device.h"

namespace tessera::bench {

/// The same work in plain oneTBB or CUB, as a user without Tessera would write it. Pointers are to
/// memory of the device; results that a caller waits for are waited for.
class ExecPeer {
 public:
  virtual ~ExecPeer() = default;
  /// y[i] = 2 x[i] + y[i]
  virtual void scale_and_add(std::uint32_t n, const float* x, float* y) = 0;
  virtual double sum(std::uint32_t n, const double* x) = 0;
  virtual void exclusive_scan(std::uint32_t n, const std::uint32_t* x, std::uint32_t* y) = 0;
  /// Sorts (keys, values), leaving the result anywhere.
  virtual void sort_pairs(std::uint32_t n, std::uint32_t* keys, std::uint32_t* other_keys,
                          std::uint32_t* values, std::uint32_t* other_values) = 0;
  /// The numbers of the odd elements.
  virtual std::uint32_t compact(std::uint32_t n, const std::uint32_t* x, std::uint32_t* out) = 0;
  virtual void copy(std::size_t bytes, const void* from, void* to) = 0;
};

std::unique_ptr<ExecPeer> tbb_peer();
/// Only in builds with CUDA.
std::unique_ptr<ExecPeer> cub_peer(const exec::Stream& stream);

}  // namespace tessera::bench
