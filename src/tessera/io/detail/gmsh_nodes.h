// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>

#include "tessera/core/array.h"
#include "tessera/core/vec.h"
#include "tessera/io/detail/source.h"

namespace tessera::io::detail {

/// Finds nodes by their tags, which need not be 1, 2, 3, ...
class NodeNumbers {
 public:
  /// `tags[i]` belongs to node i. Throws InputError if two are equal.
  NodeNumbers(const Source& source, const Array<std::uint64_t>& tags);

  /// no_index if there is none.
  Index find(std::uint64_t tag) const {
    const std::uint64_t place = tag - first_;  // of a smaller tag: huge
    if (is_range_) return place < count_ ? static_cast<Index>(place) : no_index;
    if (!table_.empty()) return place < table_.size() ? table_[place] : no_index;
    return find_sorted(tag);
  }

 private:
  Index find_sorted(std::uint64_t tag) const;

  bool is_range_ = false;  ///< the tags are first_, first_ + 1, ...
  std::uint64_t first_ = 0;
  std::uint64_t count_ = 0;
  Array<Index> table_;  ///< by tag - first_, where that is not much larger than the tags
  Array<std::pair<std::uint64_t, Index>> sorted_;
};

}  // namespace tessera::io::detail
