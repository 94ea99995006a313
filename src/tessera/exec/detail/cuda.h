// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

// CUDA's side of the execution layer; empty for g++.
#ifdef __CUDACC__

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

/// Runs a CUB algorithm. CUB refuses too little temporary storage before it does anything, so what
/// the stream has is tried first: asking for the size every time costs a tenth of a small call.
template <class Call>
void run_cub(StreamState& stream, const char* name, Call call) {
  make_current(*stream.device);
  std::size_t bytes = stream.scratch_bytes;
  if (bytes > 0) {
    const cudaError_t error = call(stream.scratch, bytes, cuda_stream(stream));
    if (error == cudaSuccess) return;
    if (error != cudaErrorInvalidValue) check_cuda(error, name, *stream.device);
    cudaGetLastError();
  }
  check_cuda(call(static_cast<void*>(nullptr), bytes, cuda_stream(stream)), name, *stream.device);
  void* temporary = scratch(stream, bytes);
  check_cuda(call(temporary, bytes, cuda_stream(stream)), name, *stream.device);
}

}  // namespace tessera::exec::detail

#endif
