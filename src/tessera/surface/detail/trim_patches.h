// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/exec/view.h"

namespace tessera::surface::detail {

/// Makes the borders of patches shorter by passing faces that stick out on to the patch beside
/// them. `next` is that of next_faces.h, `labels` the patch of each face and `sizes` the faces of
/// each patch; both change. A patch of up to `max_faces` does not grow beyond that.
void trim_patches(const exec::Stream& stream, exec::View<const Index> next, Index max_faces,
                  exec::Buffer<Index>& labels, exec::Buffer<Index>& sizes);

}  // namespace tessera::surface::detail
