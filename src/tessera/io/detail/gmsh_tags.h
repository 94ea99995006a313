// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/attribute.h"
#include "tessera/io/detail/elements.h"
#include "tessera/io/detail/gmsh_file.h"

namespace tessera::io::detail {

/// The physical group (0: none) and the entity of each element.
struct GmshTags {
  Array<std::int32_t> groups;
  Array<std::int32_t> entities;

  /// Adds "ref" for the elements of one dimension, unless it is 0 for all of them: the group or, if
  /// there are no groups in that dimension (`has_groups` says that there are, though all may be 0),
  /// the entity. Where there are groups, adds "entity", unless it is the same.
  void add_to(Attributes& attributes, const Array<Index>& elements, bool has_groups) const;
};

/// Version 2 has a row for every group that an element is in. Finds the rows but the first: those
/// of the same type and corners that have another group, or the same number.
class GmshRepeats {
 public:
  /// The arrays have a value for each element and must stay.
  GmshRepeats(const Array<ElementShape>& shapes, const Array<std::int32_t>& groups,
              const Array<std::uint64_t>& numbers)
      : shapes_(shapes), groups_(groups), numbers_(numbers) {}

  /// Whether groups or numbers leave it open; if so, corners have to be set.
  bool are_possible();

  /// Any thread.
  void set_corners(std::uint64_t element, const GmshCorners& corners);

  /// The elements to leave out, in ascending order.
  Array<Index> find();

 private:
  /// 128 bits of type and corners, whatever the order of these.
  struct Key {
    std::uint64_t low;
    std::uint64_t high;
    Index element;
  };

  const Array<ElementShape>& shapes_;
  const Array<std::int32_t>& groups_;
  const Array<std::uint64_t>& numbers_;
  Array<Key> keys_;
};

}  // namespace tessera::io::detail
