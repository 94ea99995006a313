// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>

#include "tessera/core/attribute.h"
#include "tessera/io/detail/medit_text.h"
#include "tessera/io/detail/table.h"

namespace tessera::io::detail {

// The rows of MEDIT's elements, for the readers of surfaces and of cells. What is wrong with a row
// is thrown as RowError.

[[noreturn]] void fail_at_medit_ref(const Scanner& row, const char* kind, std::uint64_t number);

/// The end of the row of element `number` (as messages count) of a kind: its reference, 0 where
/// there is none.
inline std::int32_t read_medit_ref(Scanner& row, const char* kind, std::uint64_t number) {
  std::int32_t ref = 0;
  if (!at_row_end(row) && !(row.read(ref) && at_row_end(row))) fail_at_medit_ref(row, kind, number);
  return ref;
}

/// The reference numbers of the elements of one kind, kept only if they say something.
class MeditRefs {
 public:
  explicit MeditRefs(std::size_t elements) : values_(elements) {}

  void set(std::size_t element, std::int32_t ref) {
    values_[element] = ref;
    if (ref != 0 && !any_.load(std::memory_order_relaxed))
      any_.store(true, std::memory_order_relaxed);
  }

  void add_to(Attributes& attributes) {
    if (any_) attributes.push_back({"ref", 1, std::move(values_)});
  }

 private:
  Array<std::int32_t> values_;
  std::atomic<bool> any_{false};
};

/// Reads the section Vertices: positions, and references as an attribute.
void read_medit_vertices(const LineTable& table, const MeditText& text, const MeditSection& section,
                         Progress& progress, Array<Vec3d>& positions, Attributes& attributes);

/// The start of the row of element `number` of a kind: the numbers of its corners, from 1 to
/// `vertices`.
void read_medit_corners(Scanner& row, const char* kind, std::uint64_t number, Index corners,
                        std::uint64_t vertices, Index* out);

}  // namespace tessera::io::detail
