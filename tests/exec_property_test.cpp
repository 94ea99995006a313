// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Properties of scans, sorts and reductions over arbitrary inputs.
#include <algorithm>
#include <cstdint>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tessera/core/random.h"
#include "tessera/exec/exec.h"
#include "test_device.h"

namespace tessera::exec {
namespace {

/// Any number of arbitrary values, often enough of them to fill several blocks and teams.
template <class T>
Array<T> arbitrary_values() {
  const auto n = *rc::gen::oneOf(rc::gen::inRange(0, 300), rc::gen::inRange(0, 100000));
  const Random random(*rc::gen::arbitrary<std::uint64_t>());
  const int unused_bits = *rc::gen::inRange(0, 64);
  Array<T> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<T>(random.bits(i) >> unused_bits);
  return values;
}

RC_GTEST_PROP(ScanProperty, EqualsTheStandardLibrary, ()) {
  const Device device = test_device();
  const auto values = arbitrary_values<std::uint32_t>();
  Array<std::uint32_t> expected(values.size());
  std::exclusive_scan(values.begin(), values.end(), expected.begin(), 0u);
  Buffer<std::uint32_t> buffer = upload(device, values);
  exclusive_scan(device, buffer.const_view(), buffer.view());
  RC_ASSERT(download(device, buffer) == expected);
}

RC_GTEST_PROP(SortProperty, EqualsAStableSort, ()) {
  const Device device = test_device();
  auto keys = arbitrary_values<std::uint64_t>();
  Array<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  Buffer<std::uint64_t> sorted = upload(device, keys);
  Buffer<std::uint32_t> moved = upload(device, order);
  sort_pairs(device, sorted, moved);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  RC_ASSERT(download(device, moved) == order);
  std::sort(keys.begin(), keys.end());
  RC_ASSERT(download(device, sorted) == keys);
}

RC_GTEST_PROP(ReduceProperty, SumsWithoutRegardToBlocks, ()) {
  const Device device = test_device();
  const auto values = arbitrary_values<std::int32_t>();
  const Buffer<std::int32_t> buffer = upload(device, values);
  const auto expected = std::accumulate(values.begin(), values.end(), std::int64_t{0});
  RC_ASSERT(reduce(device, buffer.view(), std::int64_t{0}, Plus{}) == expected);
}

}  // namespace
}  // namespace tessera::exec
