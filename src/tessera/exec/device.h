// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace tessera::exec {

template <class T>
class Buffer;

namespace detail {
struct DeviceState;
struct StreamState;
struct EventState;
}  // namespace detail

enum class Backend { cpu, cuda };

/// Where kernels run: the threads of this machine, or one NVIDIA GPU. A cheap handle; copies mean
/// the same device.
///
/// Several host threads may use one device, each with a stream of its own (Stream::create). Its
/// default stream, which a Device passed for a Stream means, is one stream: on a GPU all calls of
/// Device::cuda(0) share it, so two threads that both pass that device use one stream.
class Device {
 public:
  /// That many threads of this machine; 0: all of them. Throws DeviceError if negative.
  static Device cpu(int threads = 0);
  /// The GPU of that number; the same device, with the same default stream, at every call. Throws
  /// DeviceError where there is none that can run this build's kernels, or no CUDA in this build.
  static Device cuda(int ordinal = 0);
  /// A GPU if there is a usable one, else all CPU threads.
  static Device best();
  /// How many GPUs there are; 0 in a build without CUDA.
  static int cuda_count();

  Backend backend() const;
  /// For people: "CPU, 2 threads", "NVIDIA H200".
  const std::string& name() const;
  /// Threads of a CPU device; 1 for a GPU, which takes its orders from one thread.
  int threads() const;
  /// The most scratch memory that a team kernel can have in a GPU's shared memory, in bytes; with
  /// more it is slower (for_each_team). The CPU says what a Hopper GPU does.
  std::size_t team_scratch_limit() const;
  /// Memory not in use at the moment, in bytes.
  std::size_t free_memory() const;
  /// Memory of freed buffers stays with the device, for later ones: on a GPU all of it, on the CPU
  /// no more than twice what is in use and 256 MiB. This gives it back.
  void trim() const;

  /// Waits for all work given to this device's default stream. Throws DeviceError if a kernel
  /// failed. Returns at once on the CPU, where work is done when its call returns.
  void synchronize() const;

 private:
  friend class Stream;
  explicit Device(std::shared_ptr<detail::StreamState> main) : main_(std::move(main)) {}
  std::shared_ptr<detail::StreamState> main_;
};

/// A moment in a stream: all work given to it before record() was called.
class Event {
 public:
  /// Waits until that moment has come. Throws DeviceError if a kernel before it failed.
  void synchronize() const;
  /// Whether it has come.
  bool is_done() const;
  /// Milliseconds from an earlier event of the same device to this one; waits for both.
  float milliseconds_since(const Event& earlier) const;

 private:
  friend class Stream;
  Event() = default;
  std::shared_ptr<detail::EventState> state_;
};

/// An ordered queue of work on a device. Everything in exec/ takes a Stream; a Device passed in
/// its place means the device's default stream. Work in one stream runs in order; on a GPU, work
/// in different streams overlaps, and calls return before it is done. On the CPU every call
/// returns when its work is done: pipelines overlap there by using several threads.
///
/// One host thread at a time uses a stream: calls with it, and making, using and freeing buffers of
/// it, by two threads at once are a mistake, which debug builds stop at (assert). Work may pass
/// from one thread to another if that one waits for it (a lock, a join). Other streams of the same
/// device do not matter; events may be waited for by any thread.
class Stream {
 public:
  Stream(const Device& device) : state_(device.main_) {}  // NOLINT: a device is its main stream
  /// A further stream of the device, to overlap with the others.
  static Stream create(const Device& device);

  Device device() const;
  Backend backend() const;

  void synchronize() const;
  Event record() const;
  /// Later work in this stream starts after the event; the host does not wait.
  void wait(const Event& event) const;
  /// The cudaStream_t, for CUDA code of one's own; nullptr on the CPU.
  void* native_handle() const;

  detail::StreamState& state() const { return *state_; }
  const std::shared_ptr<detail::StreamState>& shared_state() const { return state_; }

 private:
  template <class T>
  friend class Buffer;
  explicit Stream(std::shared_ptr<detail::StreamState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::StreamState> state_;
};

}  // namespace tessera::exec
