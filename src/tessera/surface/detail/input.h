// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tessera/core/array.h"
#include "tessera/core/error.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/exec/view.h"

namespace tessera::surface::detail {

/// A host array where kernels can read it: copied to a GPU, the array itself on the CPU, which
/// saves the copy. The array must outlive it and not change.
template <class T>
class Input {
 public:
  Input(const exec::Stream& stream, const Array<T>& host) {
    if (stream.backend() == exec::Backend::cpu) {
      view_ = {host.data(), host.size()};
    } else {
      copy_ = exec::upload(stream, host);
      view_ = copy_.const_view();
    }
  }

  exec::View<const T> view() const { return view_; }

 private:
  exec::Buffer<T> copy_;
  exec::View<const T> view_;
};

/// Throws InputError if validate() finds fault: a wrong index would make a kernel read beyond its
/// memory.
inline void require_valid(const TriangleSoup& soup) {
  if (const auto wrong = soup.validate()) throw InputError("not a valid mesh: " + *wrong);
}

}  // namespace tessera::surface::detail
