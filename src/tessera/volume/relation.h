// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"

namespace tessera::volume {

/// The number of an element and whether it is taken in its opposite direction: an entry 1 or -1 of
/// a ternary matrix. The sign is folded into the number by bitwise negation (after
/// Mueller-Roemer, Altenhofen and Stork, Ternary Sparse Matrix Representation, section 4).
struct SignedIndex {
  std::int32_t code = 0;

  SignedIndex() = default;
  TESSERA_KERNEL constexpr SignedIndex(Index index, bool reversed)
      : code(reversed ? ~static_cast<std::int32_t>(index) : static_cast<std::int32_t>(index)) {}

  /// From a number whose sign is folded in already.
  TESSERA_KERNEL static constexpr SignedIndex from_code(Index code) {
    SignedIndex result;
    result.code = static_cast<std::int32_t>(code);
    return result;
  }

  TESSERA_KERNEL constexpr Index index() const {
    return static_cast<Index>(code < 0 ? ~code : code);
  }
  TESSERA_KERNEL constexpr bool is_reversed() const { return code < 0; }
  /// The same element, the other way round if `reversed`.
  TESSERA_KERNEL constexpr SignedIndex times(bool reversed) const {
    return {index(), is_reversed() != reversed};
  }
  constexpr bool operator==(const SignedIndex&) const = default;
};

/// The most elements of a kind that signed numbers can name.
inline constexpr Index most_elements = Index{1} << 31;

TESSERA_KERNEL constexpr Index index_of(Index entry) {
  return entry;
}
TESSERA_KERNEL constexpr Index index_of(SignedIndex entry) {
  return entry.index();
}

/// What a kernel sees of a relation: row i lists the elements that belong to element i.
template <class Entry>
struct RelationView {
  exec::View<const Index> offsets;
  exec::View<const Entry> entries;

  TESSERA_KERNEL Index rows() const {
    return offsets.empty() ? 0 : static_cast<Index>(offsets.size()) - 1;
  }
  TESSERA_KERNEL Index begin(Index i) const { return offsets[i]; }
  TESSERA_KERNEL Index end(Index i) const { return offsets[i + 1]; }
  TESSERA_KERNEL Index size(Index i) const { return end(i) - begin(i); }
  TESSERA_KERNEL exec::View<const Entry> row(Index i) const {
    return entries.subview(begin(i), size(i));
  }
};

/// A sparse matrix in rows: entries of row i at offsets[i] .. offsets[i + 1]. Of SignedIndex it is
/// a ternary matrix, of Index a relation without directions.
template <class Entry>
struct Relation {
  exec::Buffer<Index> offsets;
  exec::Buffer<Entry> entries;

  RelationView<Entry> view() const { return {offsets.const_view(), entries.const_view()}; }
  Index rows() const { return offsets.empty() ? 0 : static_cast<Index>(offsets.size()) - 1; }
  std::size_t bytes() const { return offsets.bytes() + entries.bytes(); }
};

using TernaryMatrix = Relation<SignedIndex>;
using TernaryView = RelationView<SignedIndex>;

}  // namespace tessera::volume
