// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cassert>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>

#include "tessera/core/arena.h"
#include "tessera/exec/detail/memory_pool.h"
#include "tessera/exec/device.h"

namespace tessera::exec::detail {

/// What a device is. CUDA types appear as void* so that files compiled by g++ see one layout.
struct DeviceState {
  Backend backend = Backend::cpu;
  std::string name;
  int ordinal = 0;
  std::size_t team_scratch_limit = 0;
  void* pool = nullptr;          ///< CUDA only: where buffers come from
  std::unique_ptr<Arena> arena;  ///< CPU only
  MemoryPool memory;             ///< CPU only: where buffers come from

  DeviceState() = default;
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;
  ~DeviceState();
};

struct StreamState {
  std::shared_ptr<DeviceState> device;
  std::weak_ptr<StreamState> main;  ///< the device's default stream, to name the device by
  void* cuda_stream = nullptr;
  void* scratch = nullptr;  ///< for CUB's temporary storage; grows, and is reused in stream order
  std::size_t scratch_bytes = 0;
  void* result = nullptr;  ///< pinned: a kernel writes a reduction's result here
  /// The thread that is in a call with this stream; debug builds look (OneThread).
  std::atomic<std::thread::id> user{};

  StreamState() = default;
  StreamState(const StreamState&) = delete;
  StreamState& operator=(const StreamState&) = delete;
  ~StreamState();
};

inline constexpr std::size_t result_bytes = 256;

/// In debug builds, stops the program where a second thread uses a stream while the first is still
/// in a call with it: they would share its temporary memory. A call within a call is fine.
class OneThread {
 public:
#ifdef NDEBUG
  explicit OneThread(StreamState&) {}
#else
  explicit OneThread(StreamState& stream) : stream_(stream) {
    std::thread::id user{};
    entered_ = stream_.user.compare_exchange_strong(user, std::this_thread::get_id());
    assert((entered_ || user == std::this_thread::get_id()) && "two threads use one stream");
  }
  ~OneThread() {
    if (entered_) stream_.user.store({});
  }

 private:
  StreamState& stream_;
  bool entered_ = false;
#endif

 public:
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;
};

struct EventState {
  std::shared_ptr<DeviceState> device;
  void* cuda_event = nullptr;
  std::chrono::steady_clock::time_point time;  ///< CPU only

  EventState() = default;
  EventState(const EventState&) = delete;
  EventState& operator=(const EventState&) = delete;
  ~EventState();
};

// Memory, for Buffer and HostBuffer. All throw DeviceError naming the size and the device.
void* allocate(const StreamState& stream, std::size_t bytes);
void release(const StreamState& stream, void* memory) noexcept;
void* allocate_pinned(const DeviceState& device, std::size_t bytes);
void release_pinned(const DeviceState& device, void* memory) noexcept;
enum class Direction { to_device, to_host, on_device };
void copy_bytes(const StreamState& stream, void* to, const void* from, std::size_t bytes,
                Direction direction);
/// At least that much of the stream's scratch, valid until the next call.
void* scratch(StreamState& stream, std::size_t bytes);

/// For algorithm templates compiled by g++ and called with a GPU.
[[noreturn]] void throw_compiled_for_cpu_only(const StreamState& stream, const char* function);

}  // namespace tessera::exec::detail
