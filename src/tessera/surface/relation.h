// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/core/error.h"
#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/scan.h"
#include "tessera/exec/view.h"
#include "tessera/surface/op.h"
#include "tessera/surface/query.h"

namespace tessera::surface {

/// Some elements of one kind, in a kernel.
template <class Element>
class ElementRange {
 public:
  TESSERA_KERNEL ElementRange(const Element* first, Index size) : first_(first), size_(size) {}
  TESSERA_KERNEL Index size() const { return size_; }
  TESSERA_KERNEL bool empty() const { return size_ == 0; }
  TESSERA_KERNEL Element operator[](Index i) const { return first_[i]; }
  TESSERA_KERNEL const Element* begin() const { return first_; }
  TESSERA_KERNEL const Element* end() const { return first_ + size_; }

 private:
  const Element* first_;
  Index size_;
};

/// What a kernel sees of a Relation.
template <class Source, class Target>
struct RelationView {
  exec::View<const Index> offsets;
  exec::View<const Target> elements;

  TESSERA_KERNEL ElementRange<Target> operator[](Source source) const {
    const Index begin = offsets[source.index];
    return {elements.data() + begin, offsets[source.index + 1] - begin};
  }
};

/// The answers to a query about all elements, stored: for kernels that walk further than one ring.
template <class Source, class Target>
struct Relation {
  exec::Buffer<Index> offsets;    ///< one for each source, and the end
  exec::Buffer<Target> elements;  ///< source after source, ascending for each

  RelationView<Source, Target> view() const { return {offsets.view(), elements.view()}; }
};

namespace detail {

template <class Source, class Target>
struct CountRing {
  exec::View<Index> counts;
  TESSERA_KERNEL void operator()(Source source, const Ring<Target>& ring) const {
    counts[source.index] = ring.size();
  }
};

/// Sorts a few elements.
template <class Element>
TESSERA_KERNEL void insertion_sort(Element* first, Index size) {
  for (Index i = 1; i < size; ++i) {
    const Element element = first[i];
    Index j = i;
    for (; j > 0 && element < first[j - 1]; --j) first[j] = first[j - 1];
    first[j] = element;
  }
}

template <class Source, class Target>
struct StoreRing {
  exec::View<const Index> offsets;
  exec::View<Target> elements;
  TESSERA_KERNEL void operator()(Source source, const Ring<Target>& ring) const {
    Target* first = elements.data() + offsets[source.index];
    for (Index i = 0; i < ring.size(); ++i) first[i] = ring[i];
    insertion_sort(first, ring.size());
  }
};

}  // namespace detail

inline namespace TESSERA_EXEC_NAMESPACE {

/// Asks for `op` of all elements and stores the answers, in ascending order of handles. Throws
/// InputError if there are more of them than 32-bit offsets can count.
template <Op Query>
auto collect(const PatchedMesh& mesh) {
  using Source = typename OpKinds<Query>::Source;
  using Target = typename OpKinds<Query>::Target;
  static_assert(Query != Op::oriented_vv && Query != Op::diamond, "their order would be lost");
  const exec::Stream& stream = mesh.stream();
  const Index sources = mesh.count<Source>();
  Relation<Source, Target> relation;
  relation.offsets = exec::Buffer<Index>(stream, std::size_t{sources} + 1);
  exec::fill(stream, relation.offsets.view().subview(sources, 1), 0);
  for_each<Query>(mesh, detail::CountRing<Source, Target>{relation.offsets.view()});
  if (exec::reduce(stream, relation.offsets.const_view(), std::uint64_t{0}, exec::Plus{}) >=
      no_index)
    throw InputError("a relation has more elements than 32-bit offsets can count");
  exec::exclusive_scan(stream, relation.offsets.view(), relation.offsets.view());
  relation.elements =
      exec::Buffer<Target>(stream, exec::download_one(stream, relation.offsets, sources));
  for_each<Query>(mesh, detail::StoreRing<Source, Target>{relation.offsets.const_view(),
                                                          relation.elements.view()});
  return relation;
}

}  // namespace TESSERA_EXEC_NAMESPACE
}  // namespace tessera::surface
