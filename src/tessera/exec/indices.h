// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <type_traits>

#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"

namespace tessera::exec {
inline namespace TESSERA_EXEC_NAMESPACE {

struct WriteIndex {
  View<Index> to;
  TESSERA_KERNEL void operator()(Index i) const { to[i] = i; }
};

/// The numbers 0 .. n - 1.
inline Buffer<Index> all_indices(const Stream& stream, Index n) {
  Buffer<Index> indices(stream, n);
  for_each(stream, n, WriteIndex{indices.view()});
  return indices;
}

struct WritePlace {
  View<const Index> order;
  View<Index> place;
  TESSERA_KERNEL void operator()(Index i) const { place[order[i]] = i; }
};

/// The inverse of an order: where each number stands in it.
inline void invert(const Stream& stream, View<const Index> order, View<Index> place) {
  for_each(stream, static_cast<Index>(order.size()), WritePlace{order, place});
}

template <class T>
struct Gather {
  View<const T> from;
  View<const Index> order;
  View<T> to;
  TESSERA_KERNEL void operator()(Index i) const { to[i] = from[order[i]]; }
};

/// to[i] = from[order[i]].
template <class T>
void gather_values(const Stream& stream, View<const std::type_identity_t<T>> from,
                   View<const Index> order, View<T> to) {
  for_each(stream, static_cast<Index>(order.size()), Gather<T>{from, order, to});
}

/// A new buffer with from[order[i]] at i.
template <class T>
Buffer<T> gathered(const Stream& stream, const Buffer<T>& from, View<const Index> order) {
  Buffer<T> to(stream, order.size());
  gather_values(stream, from.const_view(), order, to.view());
  return to;
}

/// Whether a value of a sorted array is the first of its kind: 1 or 0.
template <class T>
struct StartsRun {
  View<const T> sorted;
  TESSERA_KERNEL Index operator()(Index i) const {
    return i == 0 || sorted[i] != sorted[i - 1] ? 1 : 0;
  }
};

/// The first i in begin .. end - 1 for which before(i) does not hold, or end; before() holds for
/// all numbers up to some point and for none after it.
template <class Before>
TESSERA_KERNEL Index bisect(Index begin, Index end, const Before& before) {
  while (begin < end) {
    const Index middle = begin + (end - begin) / 2;
    if (before(middle)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

template <class Group>
struct FindGroupStart {
  Index size;
  Group group;
  View<Index> begin;
  TESSERA_KERNEL void operator()(Index p) const {
    begin[p] = bisect(0, size, [&](Index i) { return group(i) < p; });
  }
};

/// Where each of `groups` groups starts among `size` elements sorted by group(i), and the end.
template <class Group>
Buffer<Index> group_starts(const Stream& stream, Index groups, Index size, const Group& group) {
  Buffer<Index> begin(stream, std::size_t{groups} + 1);
  for_each(stream, groups + 1, FindGroupStart<Group>{size, group, begin.view()});
  return begin;
}

}  // namespace TESSERA_EXEC_NAMESPACE
}  // namespace tessera::exec
