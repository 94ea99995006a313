// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <stdexcept>

#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "exec_peer.h"

namespace tessera::bench {
namespace {

struct ScaleAndAdd {
  const float* x;
  float* y;
  __device__ void operator()(std::uint32_t i) const { y[i] += 2.0f * x[i]; }
};

struct IsOdd {
  const std::uint32_t* x;
  __device__ bool operator()(std::uint32_t i) const { return x[i] % 2 != 0; }
};

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

/// Plain CUB with its temporary storage allocated ahead: no call pays for it.
class CubPeer : public ExecPeer {
 public:
  explicit CubPeer(cudaStream_t stream) : stream_(stream) {
    check(cudaMalloc(&temporary_, bytes_));
    check(cudaMallocHost(&result_, 64));
  }
  ~CubPeer() override {
    cudaFree(temporary_);
    cudaFreeHost(result_);
  }

  void scale_and_add(std::uint32_t n, const float* x, float* y) override {
    check(cub::DeviceFor::Bulk(n, ScaleAndAdd{x, y}, stream_));
  }

  double sum(std::uint32_t n, const double* x) override {
    check(cub::DeviceReduce::Sum(temporary_, bytes_, x, static_cast<double*>(result_), n, stream_));
    check(cudaStreamSynchronize(stream_));
    return *static_cast<double*>(result_);
  }

  void exclusive_scan(std::uint32_t n, const std::uint32_t* x, std::uint32_t* y) override {
    check(cub::DeviceScan::ExclusiveSum(temporary_, bytes_, x, y, n, stream_));
  }

  void sort_pairs(std::uint32_t n, std::uint32_t* keys, std::uint32_t* other_keys,
                  std::uint32_t* values, std::uint32_t* other_values) override {
    cub::DoubleBuffer<std::uint32_t> key_pair(keys, other_keys);
    cub::DoubleBuffer<std::uint32_t> value_pair(values, other_values);
    check(cub::DeviceRadixSort::SortPairs(temporary_, bytes_, key_pair, value_pair, n, 0, 32,
                                          stream_));
  }

  std::uint32_t compact(std::uint32_t n, const std::uint32_t* x, std::uint32_t* out) override {
    check(cub::DeviceSelect::If(temporary_, bytes_, thrust::counting_iterator<std::uint32_t>(0),
                                out, static_cast<std::uint32_t*>(result_), n, IsOdd{x}, stream_));
    check(cudaStreamSynchronize(stream_));
    return *static_cast<std::uint32_t*>(result_);
  }

  void copy(std::size_t bytes, const void* from, void* to) override {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_));
  }

 private:
  cudaStream_t stream_;
  std::size_t bytes_ = std::size_t{256} << 20;
  void* temporary_ = nullptr;
  void* result_ = nullptr;
};

}  // namespace

std::unique_ptr<ExecPeer> cub_peer(const exec::Stream& stream) {
  return std::make_unique<CubPeer>(static_cast<cudaStream_t>(stream.native_handle()));
}

}  // namespace tessera::bench
