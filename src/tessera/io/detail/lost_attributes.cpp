// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/lost_attributes.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>

#include <fmt/format.h>

#include "tessera/core/parallel.h"

namespace tessera::io::detail {

void note_lost(std::vector<std::string>& notes, std::string_view format,
               const Attributes& attributes, std::string_view kind,
               std::span<const Attribute* const> kept) {
  for (const Attribute& attribute : attributes)
    if (std::find(kept.begin(), kept.end(), &attribute) == kept.end())
      notes.push_back(fmt::format("{} files have no room for {} attribute \"{}\"", format, kind,
                                  attribute.name));
}

void note_lost(const Target& target, std::string_view format,
               std::span<const Attribute* const> kept) {
  note_lost(target.result.notes, format, target.mesh.vertex_attributes, "vertex", kept);
  note_lost(target.result.notes, format, target.mesh.face_attributes, "face", kept);
}

std::size_t count_unreferenced(const TriangleSoup& mesh) {
  constexpr std::size_t grain = 65536;
  Array<std::uint8_t> used(mesh.positions.size());
  parallel_for_ranges(used.size(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) used[v] = 0;
  });
  parallel_for_ranges(mesh.triangles.size(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t f = begin; f < end; ++f)
      for (const Index v : mesh.triangles[f].v)
        std::atomic_ref(used[v]).store(1, std::memory_order_relaxed);  // by several threads
  });
  return parallel_reduce(
      used.size(), grain, std::size_t{0},
      [&](std::size_t begin, std::size_t end, std::size_t count) {
        for (std::size_t v = begin; v < end; ++v) count += used[v] == 0 ? 1 : 0;
        return count;
      },
      std::plus<>());
}

}  // namespace tessera::io::detail
