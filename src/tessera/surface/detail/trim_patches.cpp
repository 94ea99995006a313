// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/detail/trim_patches.h"

#include <cstdint>

#include "tessera/core/random.h"
#include "tessera/exec/atomic.h"
#include "tessera/exec/for_each.h"
#include "tessera/surface/detail/next_faces.h"

namespace tessera::surface::detail {
namespace {

using exec::Buffer;
using exec::View;

/// Moves faces that hang on their patch by one side to a patch beside them: where that makes the
/// border shorter, where their patch is too large, or where it is larger and the border stays as
/// long. Taking such a face away cannot tear a patch apart. In one sweep half of the patches only
/// give and the others only take, so a face always finds the neighbour that it joins.
struct Trim {
  View<const Index> next;
  View<const Index> before;
  View<const Index> sizes;
  View<Index> after;
  View<Index> new_sizes;
  Random sides;  ///< another one in each sweep
  Index limit;

  TESSERA_KERNEL bool gives(Index patch) const { return (sides.bits(patch) & 1) != 0; }

  TESSERA_KERNEL void operator()(Index f) const {
    const Index own = before[f];
    after[f] = own;
    Index others[3];
    Index count = 0;
    Index same = 0;
    for (Index k = 0; k < 3; ++k) {
      const Index h = next[3 * f + k];
      if (h == no_index) continue;
      const bool joined = next_face(next, 3 * f + k, [&](Index g) {
                            return g != f && before[g] == own;
                          }) != no_index;
      if (joined)
        ++same;
      else
        others[count++] = before[h / 3];
    }
    if (same != 1 || count == 0 || !gives(own) || sizes[own] < 3) return;
    // Two sides to the same patch make the border shorter by one.
    const bool shortens = count == 2 && others[0] == others[1];
    Index best = no_index;
    for (Index k = 0; k < count; ++k) {
      const Index to = others[k];
      if (gives(to) || sizes[to] + most_taken > limit) continue;
      if (best == no_index || sizes[to] < sizes[best] || (sizes[to] == sizes[best] && to < best))
        best = to;
    }
    if (best == no_index) return;
    if (!shortens && sizes[own] <= limit && sizes[own] <= sizes[best] + most_taken) return;
    after[f] = best;
    exec::atomic_add(new_sizes[own], no_index);  // one less
    exec::atomic_add(new_sizes[best], Index{1});
  }

  /// About as many faces as a patch of 512 takes in one sweep.
  static constexpr Index most_taken = 16;
};

}  // namespace

void trim_patches(const exec::Stream& stream, View<const Index> next, Index max_faces,
                  Buffer<Index>& labels, Buffer<Index>& sizes) {
  constexpr std::uint64_t sweeps = 8;  // measured in partition.cpp
  const auto faces = static_cast<Index>(labels.size());
  Buffer<Index> new_labels(stream, labels.size());
  Buffer<Index> new_sizes(stream, sizes.size());
  for (std::uint64_t sweep = 0; sweep < sweeps; ++sweep) {
    exec::copy_on_device(stream, new_sizes.view(), sizes.const_view());
    exec::for_each(stream, faces,
                   Trim{next, labels.const_view(), sizes.const_view(), new_labels.view(),
                        new_sizes.view(), Random(sweep), max_faces});
    labels.swap(new_labels);
    sizes.swap(new_sizes);
  }
}

}  // namespace tessera::surface::detail
