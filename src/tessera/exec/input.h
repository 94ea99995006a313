// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "tessera/core/array.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/exec/view.h"

namespace tessera::exec {

/// A host array where kernels can read it: copied to a GPU, the array itself on the CPU, which
/// saves the copy. The array must outlive it and not change.
template <class T>
class Input {
 public:
  Input(const Stream& stream, std::span<const T> host) {
    if (stream.backend() == Backend::cpu) {
      view_ = {host.data(), host.size()};
    } else {
      copy_ = upload(stream, host);
      view_ = copy_.const_view();
    }
  }

  Input(const Stream& stream, const Array<T>& host) : Input(stream, std::span<const T>(host)) {}

  View<const T> view() const { return view_; }

 private:
  Buffer<T> copy_;
  View<const T> view_;
};

}  // namespace tessera::exec
