// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

// CUDA's side of the execution layer; empty for g++.
#ifdef __CUDACC__

#include <cstdint>
#include <limits>

#include <cuda_runtime.h>

#include "tessera/core/error.h"
#include "tessera/exec/detail/state.h"

namespace tessera::exec::detail {

[[noreturn]] void throw_cuda_error(cudaError_t error, const char* call, const std::string& device);

inline void check_cuda(cudaError_t error, const char* call, const DeviceState& device) {
  if (error != cudaSuccess) throw_cuda_error(error, call, device.name);
}

inline cudaStream_t cuda_stream(const StreamState& stream) {
  return static_cast<cudaStream_t>(stream.cuda_stream);
}

/// Makes the stream's device the calling thread's current one. Cheap if it is already.
inline void make_current(const DeviceState& device) {
  check_cuda(cudaSetDevice(device.ordinal), "cudaSetDevice", device);
}

/// What the size of an algorithm's temporary storage depends on, beside its types.
struct CubSize {
  std::uint64_t count;
  int key_bits = 0;  ///< sorts only
  int device = -1;
  bool operator==(const CubSize&) const = default;
};

/// Runs a CUB algorithm, whose first call tells how much temporary storage the second one needs.
/// Asking costs a tenth of a small call, so the answer to the last question is remembered.
template <class Call>
void run_cub(StreamState& stream, const char* name, CubSize size, const Call& call) {
  thread_local CubSize asked{};
  thread_local std::size_t bytes = 0;
  make_current(*stream.device);
  size.device = stream.device->ordinal;
  if (size != asked) {
    check_cuda(call(static_cast<void*>(nullptr), bytes, cuda_stream(stream)), name, *stream.device);
    asked = size;
  }
  void* temporary = scratch(stream, bytes);
  check_cuda(call(temporary, bytes, cuda_stream(stream)), name, *stream.device);
}

/// Calls f(n) with a 32-bit n where it fits: CUB then counts in 32 bits, up to an eighth faster.
template <class F>
void with_short_count(std::size_t n, const F& f) {
  if (n <= std::numeric_limits<std::uint32_t>::max())
    f(static_cast<std::uint32_t>(n));
  else
    f(n);
}

}  // namespace tessera::exec::detail

#endif
