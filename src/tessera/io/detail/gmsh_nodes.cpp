// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/gmsh_nodes.h"

#include <algorithm>
#include <atomic>

#include <fmt/format.h>

#include "tessera/core/find_first.h"
#include "tessera/core/parallel.h"

namespace tessera::io::detail {

NodeNumbers::NodeNumbers(const Source& source, const Array<std::uint64_t>& tags)
    : count_(tags.size()) {
  if (tags.empty()) return;
  is_range_ =
      find_first(tags.size(), [&](std::size_t i) { return tags[i] != tags[0] + i; }) == tags.size();
  first_ = is_range_ ? tags[0] : *std::min_element(tags.begin(), tags.end());
  if (is_range_) return;
  const std::uint64_t span = *std::max_element(tags.begin(), tags.end()) - first_;
  const auto fail_at = [&](std::uint64_t tag) {
    source.fail(fmt::format("two nodes have the tag {}", tag));
  };
  if (span / 4 < tags.size()) {
    table_.assign(span + 1, no_index);
    parallel_for_ranges(tags.size(), 16384, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        // The smallest of equal tags stays, whichever thread comes first.
        std::atomic_ref<Index> place(table_[tags[i] - first_]);
        Index there = place.load(std::memory_order_relaxed);
        while (static_cast<Index>(i) < there &&
               !place.compare_exchange_weak(there, static_cast<Index>(i))) {
        }
      }
    });
    const std::size_t twice =
        find_first(tags.size(), [&](std::size_t i) { return table_[tags[i] - first_] != i; });
    if (twice < tags.size()) fail_at(tags[twice]);
    return;
  }
  sorted_.resize(tags.size());
  for (std::size_t i = 0; i < tags.size(); ++i) sorted_[i] = {tags[i], static_cast<Index>(i)};
  std::sort(sorted_.begin(), sorted_.end());
  for (std::size_t i = 1; i < sorted_.size(); ++i)
    if (sorted_[i].first == sorted_[i - 1].first) fail_at(sorted_[i].first);
}

Index NodeNumbers::find_sorted(std::uint64_t tag) const {
  const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair(tag, Index{0}));
  return at != sorted_.end() && at->first == tag ? at->second : no_index;
}

}  // namespace tessera::io::detail
