// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/exec/device.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include "tessera/core/array.h"
#include "tessera/core/error.h"
#include "tessera/core/memory.h"
#include "tessera/exec/detail/cpu.h"
#include "tessera/exec/detail/cuda.h"
#include "tessera/exec/detail/state.h"

namespace tessera::exec {
namespace {

/// Shared memory that one block of a Hopper GPU can have: 227 KiB.
constexpr std::size_t hopper_shared_memory = 227 * 1024;

/// What the scans and sums of a team take of it for themselves.
constexpr std::size_t team_own_bytes = 1024;

std::string gibibytes(std::size_t bytes) {
  const std::size_t tenths = bytes / (std::size_t{1} << 30) * 10 +
                             bytes % (std::size_t{1} << 30) * 10 / (std::size_t{1} << 30);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GiB";
}

[[noreturn]] void throw_out_of_memory(std::size_t bytes, const std::string& device,
                                      std::size_t free) {
  throw DeviceError("out of memory on " + device + ": " + std::to_string(bytes) + " bytes (" +
                    gibibytes(bytes) + ") were asked for, " + gibibytes(free) + " are free");
}

std::size_t free_cpu_memory() {
  return static_cast<std::size_t>(available_memory());
}

#ifdef __CUDACC__
/// A pool of its own, so that freed memory can stay with it, for the next buffer, without keeping
/// it from other CUDA code in the process.
cudaMemPool_t make_pool(const detail::DeviceState& device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device.ordinal;
  cudaMemPool_t pool{};
  detail::check_cuda(cudaMemPoolCreate(&pool, &properties), "cudaMemPoolCreate", device);
  std::uint64_t keep_all = ~std::uint64_t{0};
  detail::check_cuda(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_all),
                     "cudaMemPoolSetAttribute", device);
  return pool;
}

/// What the driver has left, and what the pool holds without using it.
std::size_t free_cuda_memory(const detail::DeviceState& device) {
  std::size_t free = 0;
  std::size_t total = 0;
  detail::check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo", device);
  const auto pool = static_cast<cudaMemPool_t>(device.pool);
  std::uint64_t reserved = 0;
  std::uint64_t used = 0;
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
  return free + reserved - used;
}

__global__ void do_nothing() {}

/// Whether this build has code for the GPU: an older one may have been left out.
bool can_run(int ordinal) {
  cudaFuncAttributes attributes{};
  const bool can = cudaSetDevice(ordinal) == cudaSuccess &&
                   cudaFuncGetAttributes(&attributes, do_nothing) == cudaSuccess;
  cudaGetLastError();
  return can;
}
#endif

std::shared_ptr<detail::StreamState> make_stream(std::shared_ptr<detail::DeviceState> device) {
  auto stream = std::make_shared<detail::StreamState>();
  stream->device = std::move(device);
#ifdef __CUDACC__
  if (stream->device->backend == Backend::cuda) {
    detail::make_current(*stream->device);
    cudaStream_t created{};
    detail::check_cuda(cudaStreamCreateWithFlags(&created, cudaStreamNonBlocking),
                       "cudaStreamCreateWithFlags", *stream->device);
    stream->cuda_stream = created;
    detail::check_cuda(cudaMallocHost(&stream->result, detail::result_bytes), "cudaMallocHost",
                       *stream->device);
  }
#endif
  return stream;
}

}  // namespace

namespace detail {

#ifdef __CUDACC__
void throw_cuda_error(cudaError_t error, const char* call, const std::string& device) {
  cudaGetLastError();  // clears the error, unless it is one that lasts
  throw DeviceError(std::string(call) + " failed on " + device + ": " + cudaGetErrorString(error));
}
#endif

void throw_compiled_for_cpu_only(const StreamState& stream, const char* function) {
  throw DeviceError(std::string(function) + " was called for " + stream.device->name +
                    " from a source file compiled without CUDA: compile that file with nvcc");
}

DeviceState::~DeviceState() {
#ifdef __CUDACC__
  if (pool != nullptr) cudaMemPoolDestroy(static_cast<cudaMemPool_t>(pool));
#endif
}

StreamState::~StreamState() {
#ifdef __CUDACC__
  if (cuda_stream != nullptr) {
    cudaSetDevice(device->ordinal);
    if (scratch != nullptr) cudaFreeAsync(scratch, detail::cuda_stream(*this));
    cudaStreamSynchronize(detail::cuda_stream(*this));
    cudaStreamDestroy(detail::cuda_stream(*this));
    cudaFreeHost(result);
  }
#endif
}

EventState::~EventState() {
#ifdef __CUDACC__
  if (cuda_event != nullptr) cudaEventDestroy(static_cast<cudaEvent_t>(cuda_event));
#endif
}

void* allocate(const StreamState& stream, std::size_t bytes) {
  if (bytes == 0) return nullptr;
#ifdef __CUDACC__
  if (stream.device->backend == Backend::cuda) {
    make_current(*stream.device);
    void* memory = nullptr;
    const cudaError_t error = cudaMallocFromPoolAsync(
        &memory, bytes, static_cast<cudaMemPool_t>(stream.device->pool), cuda_stream(stream));
    if (error == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      throw_out_of_memory(bytes, stream.device->name, free_cuda_memory(*stream.device));
    }
    check_cuda(error, "cudaMallocFromPoolAsync", *stream.device);
    return memory;
  }
#endif
  try {
    return stream.device->memory.allocate(bytes);
  } catch (const std::bad_alloc&) {
    throw_out_of_memory(bytes, stream.device->name, free_cpu_memory());
  }
}

void release(const StreamState& stream, void* memory) noexcept {
  if (memory == nullptr) return;
#ifdef __CUDACC__
  if (stream.device->backend == Backend::cuda) {
    cudaSetDevice(stream.device->ordinal);
    cudaFreeAsync(memory, cuda_stream(stream));
    return;
  }
#endif
  stream.device->memory.release(memory);
}

void* allocate_pinned(const DeviceState& device, std::size_t bytes) {
  if (bytes == 0) return nullptr;
#ifdef __CUDACC__
  if (device.backend == Backend::cuda) {
    make_current(device);
    void* memory = nullptr;
    check_cuda(cudaMallocHost(&memory, bytes), "cudaMallocHost", device);
    return memory;
  }
#endif
  try {
    return tessera::detail::allocate_array(bytes);
  } catch (const std::bad_alloc&) {
    throw_out_of_memory(bytes, device.name, free_cpu_memory());
  }
}

void release_pinned([[maybe_unused]] const DeviceState& device, void* memory) noexcept {
  if (memory == nullptr) return;
#ifdef __CUDACC__
  if (device.backend == Backend::cuda) {
    cudaFreeHost(memory);
    return;
  }
#endif
  tessera::detail::free_array(memory);
}

void copy_bytes(const StreamState& stream, void* to, const void* from, std::size_t bytes,
                [[maybe_unused]] Direction direction) {
  if (bytes == 0) return;
#ifdef __CUDACC__
  if (stream.device->backend == Backend::cuda) {
    make_current(*stream.device);
    const cudaMemcpyKind kind = direction == Direction::to_device ? cudaMemcpyHostToDevice
                                : direction == Direction::to_host ? cudaMemcpyDeviceToHost
                                                                  : cudaMemcpyDeviceToDevice;
    check_cuda(cudaMemcpyAsync(to, from, bytes, kind, cuda_stream(stream)), "cudaMemcpyAsync",
               *stream.device);
    return;
  }
#endif
  constexpr std::size_t grain = std::size_t{1} << 20;
  cpu_for_ranges(*stream.device, bytes, grain, [&](std::size_t begin, std::size_t end) {
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin,
                end - begin);
  });
}

void* scratch(StreamState& stream, std::size_t bytes) {
  if (bytes > stream.scratch_bytes) {
    release(stream, stream.scratch);
    stream.scratch = nullptr;
    stream.scratch_bytes = 0;
    const std::size_t wanted = bytes + bytes / 2;  // room to grow, so that this happens rarely
    stream.scratch = allocate(stream, wanted);
    stream.scratch_bytes = wanted;
  }
  return stream.scratch;
}

}  // namespace detail

Device Device::cpu(int threads) {
  if (threads < 0)
    throw DeviceError("a CPU device needs at least one thread, not " + std::to_string(threads));
  auto state = std::make_shared<detail::DeviceState>();
  state->backend = Backend::cpu;
  state->arena = std::make_unique<Arena>(threads);
  const int used = state->arena->threads();
  state->name = "CPU, " + std::to_string(used) + (used == 1 ? " thread" : " threads");
  state->team_scratch_limit = hopper_shared_memory - team_own_bytes;
  auto main = make_stream(std::move(state));
  main->main = main;
  return Device(std::move(main));
}

Device Device::cuda([[maybe_unused]] int ordinal) {
#ifdef __CUDACC__
  const int count = cuda_count();
  if (ordinal < 0 || ordinal >= count)
    throw DeviceError("there is no CUDA device " + std::to_string(ordinal) + ": " +
                      std::to_string(count) + " found");
  // Calls for the same GPU share its default stream: work given to one is ordered with the other's.
  static std::mutex lock;
  static std::map<int, std::weak_ptr<detail::StreamState>> devices;
  const std::lock_guard guard(lock);
  if (auto known = devices[ordinal].lock()) return Device(std::move(known));
  if (!can_run(ordinal))
    throw DeviceError("this build has no kernels for CUDA device " + std::to_string(ordinal) +
                      ": configure it with its number in CMAKE_CUDA_ARCHITECTURES");
  auto state = std::make_shared<detail::DeviceState>();
  state->backend = Backend::cuda;
  state->ordinal = ordinal;
  state->name = "CUDA device " + std::to_string(ordinal);
  detail::make_current(*state);
  cudaDeviceProp properties{};
  detail::check_cuda(cudaGetDeviceProperties(&properties, ordinal), "cudaGetDeviceProperties",
                     *state);
  state->name = properties.name;
  state->team_scratch_limit = properties.sharedMemPerBlockOptin - team_own_bytes;
  state->pool = make_pool(*state);
  auto main = make_stream(std::move(state));
  main->main = main;
  devices[ordinal] = main;
  return Device(std::move(main));
#else
  throw DeviceError("this build of Tessera has no CUDA: configure it with -DTESSERA_CUDA=ON");
#endif
}

Device Device::best() {
  if (cuda_count() > 0) {
    try {
      return cuda(0);
    } catch (const DeviceError&) {
      // A GPU that cannot be used is as good as none.
    }
  }
  return cpu();
}

int Device::cuda_count() {
#ifdef __CUDACC__
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  cudaGetLastError();
  return error == cudaSuccess ? count : 0;
#else
  return 0;
#endif
}

Backend Device::backend() const {
  return main_->device->backend;
}
const std::string& Device::name() const {
  return main_->device->name;
}
int Device::threads() const {
  return main_->device->arena ? main_->device->arena->threads() : 1;
}
std::size_t Device::team_scratch_limit() const {
  return main_->device->team_scratch_limit;
}

std::size_t Device::free_memory() const {
#ifdef __CUDACC__
  if (backend() == Backend::cuda) {
    detail::make_current(*main_->device);
    return free_cuda_memory(*main_->device);
  }
#endif
  return free_cpu_memory() + main_->device->memory.kept();
}

void Device::trim() const {
#ifdef __CUDACC__
  if (backend() == Backend::cuda) {
    detail::make_current(*main_->device);
    synchronize();
    detail::check_cuda(cudaMemPoolTrimTo(static_cast<cudaMemPool_t>(main_->device->pool), 0),
                       "cudaMemPoolTrimTo", *main_->device);
  }
#endif
  main_->device->memory.trim();
}

void Device::synchronize() const {
  Stream(*this).synchronize();
}

Stream Stream::create(const Device& device) {
  auto created = make_stream(device.main_->device);
  created->main = device.main_;
  return Stream(std::move(created));
}

Device Stream::device() const {
  // The default stream may be gone if only this further one was kept: then this one stands in.
  auto main = state_->main.lock();
  return Device(main ? std::move(main) : state_);
}

Backend Stream::backend() const {
  return state_->device->backend;
}

void* Stream::native_handle() const {
  return state_->cuda_stream;
}

void Stream::synchronize() const {
#ifdef __CUDACC__
  if (backend() == Backend::cuda) {
    detail::check_cuda(cudaStreamSynchronize(detail::cuda_stream(*state_)), "cudaStreamSynchronize",
                       *state_->device);
  }
#endif
}

Event Stream::record() const {
  Event event;
  event.state_ = std::make_shared<detail::EventState>();
  event.state_->device = state_->device;
  event.state_->time = std::chrono::steady_clock::now();
#ifdef __CUDACC__
  if (backend() == Backend::cuda) {
    detail::make_current(*state_->device);
    cudaEvent_t created{};
    detail::check_cuda(cudaEventCreate(&created), "cudaEventCreate", *state_->device);
    event.state_->cuda_event = created;
    detail::check_cuda(cudaEventRecord(created, detail::cuda_stream(*state_)), "cudaEventRecord",
                       *state_->device);
  }
#endif
  return event;
}

void Stream::wait([[maybe_unused]] const Event& event) const {
#ifdef __CUDACC__
  if (backend() == Backend::cuda) {
    detail::make_current(*state_->device);
    detail::check_cuda(cudaStreamWaitEvent(detail::cuda_stream(*state_),
                                           static_cast<cudaEvent_t>(event.state_->cuda_event)),
                       "cudaStreamWaitEvent", *state_->device);
  }
#endif
}

void Event::synchronize() const {
#ifdef __CUDACC__
  if (state_->device->backend == Backend::cuda)
    detail::check_cuda(cudaEventSynchronize(static_cast<cudaEvent_t>(state_->cuda_event)),
                       "cudaEventSynchronize", *state_->device);
#endif
}

bool Event::is_done() const {
#ifdef __CUDACC__
  if (state_->device->backend == Backend::cuda) {
    const cudaError_t error = cudaEventQuery(static_cast<cudaEvent_t>(state_->cuda_event));
    if (error == cudaErrorNotReady) return false;
    detail::check_cuda(error, "cudaEventQuery", *state_->device);
  }
#endif
  return true;
}

float Event::milliseconds_since(const Event& earlier) const {
#ifdef __CUDACC__
  if (state_->device->backend == Backend::cuda) {
    detail::make_current(*state_->device);
    synchronize();
    const auto last = static_cast<cudaEvent_t>(state_->cuda_event);
    float milliseconds = 0;
    detail::check_cuda(
        cudaEventElapsedTime(&milliseconds, static_cast<cudaEvent_t>(earlier.state_->cuda_event),
                             last),
        "cudaEventElapsedTime", *state_->device);
    return milliseconds;
  }
#endif
  return std::chrono::duration<float, std::milli>(state_->time - earlier.state_->time).count();
}

}  // namespace tessera::exec
