// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "tessera/core/array.h"
#include "tessera/core/error.h"
#include "tessera/exec/detail/state.h"
#include "tessera/exec/device.h"
#include "tessera/exec/view.h"

namespace tessera::exec {

namespace detail {
template <class T>
std::size_t bytes_of(std::size_t count) {
  if (count > std::numeric_limits<std::size_t>::max() / sizeof(T))
    throw DeviceError("a buffer of that many elements exceeds the address space");
  return count * sizeof(T);
}
}  // namespace detail

/// Owns memory on a device, uninitialised until something writes it. Allocated and freed in the
/// order of its stream, from a pool that keeps what was freed: cheap enough for temporaries. Work
/// on another stream first waits for an event of the buffer's (Stream::wait), and calls
/// release_after() when it has used it.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>, "device memory holds plain data");

 public:
  Buffer() = default;
  /// Throws DeviceError where the device has not that much memory.
  Buffer(const Stream& stream, std::size_t size)
      : stream_(stream.shared_state()),
        data_(static_cast<T*>(detail::allocate(*stream_, detail::bytes_of<T>(size)))),
        size_(size) {}
  ~Buffer() {
    if (stream_) detail::release(*stream_, data_);
  }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }

  void swap(Buffer& other) noexcept {
    std::swap(stream_, other.stream_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  /// Memory is freed in the order of the stream that it was made with. After use on another one,
  /// this makes the release wait for what that stream has been given so far.
  void release_after(const Stream& user) const {
    if (stream_ && stream_ != user.shared_state()) Stream(stream_).wait(user.record());
  }

  /// Forgets the elements from `size` on; their memory stays with the buffer. Throws
  /// std::invalid_argument if there are fewer.
  void shrink(std::size_t size) {
    if (size > size_) throw std::invalid_argument("a buffer cannot shrink to a larger size");
    size_ = size;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  View<T> view() { return {data_, size_}; }
  View<const T> view() const { return {data_, size_}; }
  View<const T> const_view() const { return {data_, size_}; }

 private:
  std::shared_ptr<detail::StreamState> stream_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Memory of the host that a GPU copies to and from without a detour (page-locked), which makes
/// such copies asynchronous. On a CPU device ordinary memory.
template <class T>
class HostBuffer {
  static_assert(std::is_trivially_copyable_v<T>, "device memory holds plain data");

 public:
  HostBuffer() = default;
  /// Throws DeviceError where the host has not that much memory.
  HostBuffer(const Stream& stream, std::size_t size)
      : device_(stream.state().device),
        data_(static_cast<T*>(detail::allocate_pinned(*device_, detail::bytes_of<T>(size)))),
        size_(size) {}
  ~HostBuffer() {
    if (device_) detail::release_pinned(*device_, data_);
  }
  HostBuffer(HostBuffer&& other) noexcept { swap(other); }
  HostBuffer& operator=(HostBuffer&& other) noexcept {
    swap(other);
    return *this;
  }

  void swap(HostBuffer& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  std::size_t size() const { return size_; }
  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }

 private:
  std::shared_ptr<detail::DeviceState> device_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

namespace detail {
inline void require_same_size(std::size_t to, std::size_t from) {
  if (to != from) throw std::invalid_argument("a copy needs source and target of one size");
}
}  // namespace detail

// Copies take their place in the stream: on a GPU the call returns before the data has moved.
// Both sides must live until then, and host memory must not change. Different sizes throw
// std::invalid_argument, a failed CUDA call DeviceError.

template <class T>
void copy_to_device(const Stream& stream, View<T> to,
                    std::span<const std::type_identity_t<T>> from) {
  detail::require_same_size(to.size(), from.size());
  detail::copy_bytes(stream.state(), to.data(), from.data(), from.size_bytes(),
                     detail::Direction::to_device);
}

template <class T>
void copy_to_host(const Stream& stream, std::span<T> to, View<const std::type_identity_t<T>> from) {
  detail::require_same_size(to.size(), from.size());
  detail::copy_bytes(stream.state(), to.data(), from.data(), to.size_bytes(),
                     detail::Direction::to_host);
}

template <class T>
void copy_on_device(const Stream& stream, View<T> to, View<const std::type_identity_t<T>> from) {
  detail::require_same_size(to.size(), from.size());
  detail::copy_bytes(stream.state(), to.data(), from.data(), to.size() * sizeof(T),
                     detail::Direction::on_device);
}

/// The same values at the front of a buffer of at least a size.
template <class T>
Buffer<T> grown(const Stream& stream, const Buffer<T>& buffer, std::size_t size) {
  Buffer<T> result(stream, size < buffer.size() ? buffer.size() : size);
  copy_on_device(stream, result.view().subview(0, buffer.size()), buffer.const_view());
  return result;
}

/// A new buffer with the contents of host memory; `from` may change when the call returns. Throws
/// DeviceError where the device has not that much memory.
template <class T>
Buffer<T> upload(const Stream& stream, std::span<const T> from) {
  Buffer<T> to(stream, from.size());
  copy_to_device(stream, to.view(), from);
  stream.synchronize();
  return to;
}

template <class T>
Buffer<T> upload(const Stream& stream, const Array<T>& from) {
  return upload(stream, std::span<const T>(from));
}

/// The contents of device memory; waits for the stream. Throws DeviceError if a kernel given to it
/// before failed.
template <class T>
Array<T> download(const Stream& stream, View<const T> from) {
  Array<T> to(from.size());
  copy_to_host(stream, std::span<T>(to), from);
  stream.synchronize();
  return to;
}

template <class T>
Array<T> download(const Stream& stream, const Buffer<T>& from) {
  return download(stream, from.const_view());
}

/// One element of device memory, i below the buffer's size; waits for the stream and throws as
/// download().
template <class T>
T download_one(const Stream& stream, const Buffer<T>& from, std::size_t i) {
  T value;
  copy_to_host(stream, std::span<T>(&value, 1), from.const_view().subview(i, 1));
  stream.synchronize();
  return value;
}

}  // namespace tessera::exec
