// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// The execution layer against the standard library, on whichever device the run is for.
#include "tessera/exec/exec.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "tessera/core/error.h"
#include "tessera/core/random.h"
#include "test_device.h"

namespace tessera::exec {
namespace {

// Sizes around the borders of warps, blocks, CPU blocks and several of them.
const std::vector<std::size_t> sizes = {0,   1,    2,    31,   32,    33,    127,
                                        128, 1000, 4096, 4097, 65536, 300001};

template <class T>
Array<T> random_values(std::size_t n, std::uint64_t seed, std::uint64_t below) {
  const Random random(seed);
  Array<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(random.bits(i) % below);
  return values;
}

// nvcc wants kernels' lambdas in functions of external names, which a TEST body is not.
void set_to_square(const Stream& stream, View<std::uint32_t> out) {
  for_each(stream, static_cast<Index>(out.size()), [=] TESSERA_KERNEL(Index i) { out[i] = i * i; });
}

double sum_of_reciprocals(const Stream& stream, std::size_t n) {
  return reduce(
      stream, n, 0.0, [=] TESSERA_KERNEL(std::size_t i) { return 1.0 / (1.0 + double(i)); },
      Plus{});
}

Index keep_multiples(const Stream& stream, Index n, Index divisor, View<Index> out) {
  return compact(
      stream, n, [=] TESSERA_KERNEL(Index i) { return i % divisor == 0; }, out);
}

void count_collisions(const Stream& stream, View<const std::uint32_t> bins,
                      View<std::uint32_t> counts, View<std::uint32_t> extremes) {
  for_each(stream, bins.size(), [=] TESSERA_KERNEL(std::size_t i) {
    atomic_add(counts[bins[i]], 1u);
    atomic_min(extremes[0], bins[i]);
    atomic_max(extremes[1], bins[i]);
  });
}

/// Each team scans its own stretch of the input and writes the total behind it.
void scan_by_teams(const Stream& stream, View<const std::uint32_t> in, View<std::uint32_t> out,
                   Index stretch) {
  const auto teams = static_cast<Index>(in.size()) / stretch;
  Scratch scratch;
  const auto slot = scratch.add<std::uint32_t>(stretch);
  for_each_team(stream, teams, scratch, [=] TESSERA_KERNEL(Team & team) {
    const View<std::uint32_t> values = team.scratch(slot);
    const Index first = team.index() * stretch;
    team.for_each(stretch, [&](Index i) { values[i] = in[first + i]; });
    const std::uint32_t total = team.exclusive_scan(values);
    const Index first_out = team.index() * (stretch + 1);
    team.for_each(stretch, [&](Index i) { out[first_out + i] = values[i]; });
    team.once([&] { out[first_out + stretch] = total; });
  });
}

/// A histogram in scratch memory whose atomics hand out ranks, kept in slots for a second phase:
/// a stable-free counting sort of each stretch by its low digit.
void counting_sort_by_teams(const Stream& stream, View<const std::uint32_t> in,
                            View<std::uint32_t> out) {
  constexpr Index stretch = 512;
  constexpr Index bins = 64;
  Scratch scratch;
  const auto count_slot = scratch.add<std::uint32_t>(bins);
  for_each_team(stream, in.size() / stretch, scratch, [=] TESSERA_KERNEL(Team & team) {
    const View<std::uint32_t> counts = team.scratch(count_slot);
    const Index first = team.index() * stretch;
    team.for_each(bins, [&](Index b) { counts[b] = 0; });
    team.sync();
    Team::Slots<std::uint32_t, stretch> rank;
    team.for_each_slot<stretch>(stretch, [&](Index i, int slot) {
      rank[slot] = team.atomic_add(counts[in[first + i] % bins], 1);
    });
    team.exclusive_scan(counts);
    team.for_each_slot<stretch>(stretch, [&](Index i, int slot) {
      out[first + counts[in[first + i] % bins] + rank[slot]] = in[first + i];
    });
  });
}

void sum_by_teams(const Stream& stream, View<const std::uint32_t> in, View<std::uint32_t> out,
                  Index stretch) {
  for_each_team(stream, out.size(), Scratch{}, [=] TESSERA_KERNEL(Team & team) {
    std::uint32_t own = 0;
    team.for_each(stretch, [&](Index i) { own += in[team.index() * stretch + i]; });
    const std::uint32_t total = team.sum(own);
    team.once([&] { out[team.index()] = total; });
  });
}

void touch_scratch(const Stream& stream, std::size_t bytes, View<std::uint8_t> out) {
  Scratch scratch;
  const auto slot = scratch.add<std::uint8_t>(bytes);
  for_each_team(stream, out.size(), scratch, [=] TESSERA_KERNEL(Team & team) {
    const View<std::uint8_t> memory = team.scratch(slot);
    team.for_each(static_cast<Index>(bytes),
                  [&](Index i) { memory[i] = static_cast<std::uint8_t>(i % 251); });
    team.sync();
    team.once([&] { out[team.index()] = memory[bytes - 1]; });
  });
}

/// The number of 32-bit words in that much scratch, found by a scan over all of it.
std::uint32_t scan_in_large_scratch(const Stream& stream, std::size_t bytes) {
  Scratch scratch;
  const auto slot = scratch.add<std::uint32_t>(bytes / 4);
  Buffer<std::uint32_t> total(stream, 1);
  const View<std::uint32_t> out = total.view();
  for_each_team(stream, 1, scratch, [=] TESSERA_KERNEL(Team & team) {
    const View<std::uint32_t> values = team.scratch(slot);
    team.for_each(static_cast<Index>(values.size()), [&](Index i) { values[i] = 1; });
    const std::uint32_t sum = team.exclusive_scan(values);
    team.once([&] { out[0] = sum; });
  });
  return download(stream, total)[0];
}

/// Item i brings i % 3 numbers, of which its own comes first; notes what was asked for ahead.
struct AppendSome {
  View<std::uint8_t> asked;
  void prefetch_far(Index i) const { asked[i] |= 1; }
  void prefetch_near(Index i) const { asked[i] |= 2; }
  template <class Append>
  TESSERA_KERNEL void operator()(Index i, Append& append) const {
    for (Index k = 0; k < i % 3; ++k) append(std::uint64_t{i} << 8 | k);
  }
};

/// Item i brings a thousand numbers, more than a CPU hands over at a time.
struct AppendMany {
  template <class Append>
  TESSERA_KERNEL void operator()(Index i, Append& append) const {
    for (Index k = 0; k < 1000; ++k) append(1000 * i + k);
  }
};

void slow_increment(const Stream& stream, View<std::uint32_t> values) {
  for_each(stream, values.size(), [=] TESSERA_KERNEL(std::size_t i) {
    std::uint32_t x = values[i];
    for (int k = 0; k < 100; ++k) x = x * 1664525u + 1013904223u;
    values[i] = x;
  });
}

TEST(ForEach, VisitsEveryElementOnce) {
  const Device device = test_device();
  for (const std::size_t n : sizes) {
    Buffer<std::uint32_t> out(device, n);
    set_to_square(device, out.view());
    const Array<std::uint32_t> host = download(device, out);
    ASSERT_EQ(host.size(), n);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(host[i], static_cast<std::uint32_t>(i * i));
  }
}

TEST(Reduce, MatchesTheStandardLibrary) {
  const Device device = test_device();
  for (const std::size_t n : sizes) {
    const auto host = random_values<std::int64_t>(n, n, 1000);
    const Buffer<std::int64_t> values = upload(device, host);
    EXPECT_EQ(reduce(device, values.view(), std::int64_t{0}, Plus{}),
              std::accumulate(host.begin(), host.end(), std::int64_t{0}));
    if (n == 0) continue;
    EXPECT_EQ(reduce(device, values.view(), std::int64_t{5000}, Minimum{}),
              *std::min_element(host.begin(), host.end()));
    EXPECT_EQ(reduce(device, values.view(), std::int64_t{-1}, Maximum{}),
              *std::max_element(host.begin(), host.end()));
  }
}

TEST(Reduce, FloatingPointSumDoesNotDependOnThreads) {
  const std::size_t n = 1234567;
  const double one = sum_of_reciprocals(Device::cpu(1), n);
  for (const int threads : {2, 3, 7}) EXPECT_EQ(one, sum_of_reciprocals(Device::cpu(threads), n));
  const Device device = test_device();
  const double here = sum_of_reciprocals(device, n);
  EXPECT_EQ(here, sum_of_reciprocals(device, n));
  EXPECT_NEAR(here, one, 1e-12 * one);
}

TEST(ExclusiveScan, MatchesTheStandardLibrary) {
  const Device device = test_device();
  for (const std::size_t n : sizes) {
    const auto host = random_values<std::uint32_t>(n, n + 1, 100);
    Array<std::uint32_t> expected(n);
    std::exclusive_scan(host.begin(), host.end(), expected.begin(), 0u);
    const Buffer<std::uint32_t> in = upload(device, host);
    Buffer<std::uint32_t> out(device, n);
    exclusive_scan(device, in.view(), out.view());
    EXPECT_EQ(download(device, out), expected) << n;
    Buffer<std::uint32_t> both = upload(device, host);
    exclusive_scan(device, both.const_view(), both.view());
    EXPECT_EQ(download(device, both), expected) << n << " in place";
  }
}

TEST(ExclusiveScan, CountsBecomeLongerOffsets) {
  const Device device = test_device();
  const Buffer<std::uint32_t> in = upload(device, Array<std::uint32_t>(100000, 4000000000u));
  Buffer<std::uint64_t> out(device, in.size());
  exclusive_scan(device, in.view(), out.view());
  const auto offsets = download(device, out);
  for (std::size_t i = 0; i < offsets.size(); ++i) ASSERT_EQ(offsets[i], i * 4000000000u);
}

TEST(ExclusiveScan, SizesMustAgree) {
  const Device device = test_device();
  const Buffer<std::uint32_t> in(device, 3);
  Buffer<std::uint32_t> out(device, 4);
  EXPECT_THROW(exclusive_scan(device, in.view(), out.view()), std::invalid_argument);
}

template <class K>
void check_sort(const Device& device, std::size_t n, std::uint64_t below, int bits) {
  const auto keys = random_values<K>(n, n + 2, below);
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  Buffer<K> sorted_keys = upload(device, keys);
  Array<std::uint32_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0u);
  Buffer<std::uint32_t> values = upload(device, numbers);
  sort_pairs(device, sorted_keys, values, bits);
  const auto sorted = download(device, sorted_keys);
  const auto moved = download(device, values);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(moved[i], order[i]) << "of " << n;
    ASSERT_EQ(sorted[i], keys[order[i]]);
  }
  Buffer<K> alone = upload(device, keys);
  sort(device, alone, bits);
  EXPECT_EQ(download(device, alone), sorted);
}

TEST(SortPairs, IsStableAndMatchesTheStandardLibrary) {
  const Device device = test_device();
  for (const std::size_t n : sizes) {
    check_sort<std::uint32_t>(device, n, ~0u, 32);
    check_sort<std::uint32_t>(device, n, 1000, bits_for(1000));
    check_sort<std::uint32_t>(device, n, 1, 32);  // all keys equal
    check_sort<std::uint64_t>(device, n, ~0ull, 64);
    check_sort<std::uint64_t>(device, n, 1ull << 40, 40);
    check_sort<std::uint16_t>(device, n, 65536, 16);
  }
}

TEST(SortPairs, BitsForCountsUpToTheLastKey) {
  EXPECT_EQ(bits_for(0), 1);
  EXPECT_EQ(bits_for(2), 1);
  EXPECT_EQ(bits_for(3), 2);
  EXPECT_EQ(bits_for(256), 8);
  EXPECT_EQ(bits_for(257), 9);
  EXPECT_EQ(bits_for(~0ull), 64);
}

TEST(Compact, KeepsOrderAndCounts) {
  const Device device = test_device();
  for (const std::size_t n : sizes) {
    for (const Index divisor : {1u, 2u, 7u, 1000000u}) {
      Buffer<Index> out(device, n);
      const Index kept = keep_multiples(device, static_cast<Index>(n), divisor, out.view());
      ASSERT_EQ(kept, n == 0 ? 0 : (n - 1) / divisor + 1);
      const auto host = download(device, out);
      for (Index i = 0; i < kept; ++i) ASSERT_EQ(host[i], i * divisor);
    }
  }
  Buffer<Index> small(device, 3);
  EXPECT_THROW(keep_multiples(device, 4, 1, small.view()), std::invalid_argument);
}

TEST(ForEachAppend, FindsEverythingOnce) {
  const Device device = test_device();
  for (const std::size_t size : sizes) {
    const auto n = static_cast<Index>(size);
    std::vector<std::uint64_t> expected{7};  // one is in the list already
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k < i % 3; ++k) expected.push_back(std::uint64_t{i} << 8 | k);
    Buffer<std::uint64_t> list(device, expected.size());
    Buffer<Index> count(device, 1);
    Buffer<std::uint8_t> asked(device, n);
    fill(device, list.view(), 7);
    fill(device, count.view(), 1);
    fill(device, asked.view(), 0);
    for_each_append(device, n, AppendSome{asked.view()}, list.view(), count.view());
    EXPECT_EQ(download_one(device, count, 0), expected.size());
    auto found = download(device, list);
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
    if (device.backend() == Backend::cuda || n < 60000) continue;
    const auto ahead = download(device, asked);
    EXPECT_GT(std::count(ahead.begin(), ahead.end(), 3), n / 2);
  }
}

TEST(ForEachAppend, ItemsMayBringMany) {
  const Device device = test_device();
  Buffer<Index> list(device, 20000);
  Buffer<Index> count(device, 1);
  fill(device, count.view(), 0);
  for_each_append(device, Index{20}, AppendMany{}, list.view(), count.view());
  for_each_append(device, -3, AppendMany{}, list.view(), count.view());
  for_each_append(device, 0, AppendMany{}, list.view(), count.view());
  EXPECT_EQ(download_one(device, count, 0), 20000u);
  auto found = download(device, list);
  std::sort(found.begin(), found.end());
  for (Index i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], i);
}

TEST(Atomics, CountWithoutLoss) {
  const Device device = test_device();
  const auto host = random_values<std::uint32_t>(200000, 3, 61);
  const Buffer<std::uint32_t> bins = upload(device, host);
  Buffer<std::uint32_t> counts(device, 61);
  fill(device, counts.view(), 0u);
  Buffer<std::uint32_t> extremes = upload(device, Array<std::uint32_t>{1000u, 0u});
  count_collisions(device, bins.view(), counts.view(), extremes.view());
  const auto counted = download(device, counts);
  for (std::uint32_t b = 0; b < 61; ++b)
    EXPECT_EQ(counted[b], std::count(host.begin(), host.end(), b));
  EXPECT_EQ(download(device, extremes), (Array<std::uint32_t>{0u, 60u}));
}

TEST(Team, ScanMatchesTheStandardLibrary) {
  const Device device = test_device();
  for (const Index stretch : {1u, 31u, 100u, 128u, 129u, 512u, 1000u}) {
    const Index teams = 37;
    const auto host = random_values<std::uint32_t>(teams * stretch, stretch, 50);
    const Buffer<std::uint32_t> in = upload(device, host);
    Buffer<std::uint32_t> out(device, teams * (stretch + 1));
    scan_by_teams(device, in.view(), out.view(), stretch);
    const auto result = download(device, out);
    for (Index t = 0; t < teams; ++t) {
      std::uint32_t sum = 0;
      for (Index i = 0; i < stretch; ++i) {
        ASSERT_EQ(result[t * (stretch + 1) + i], sum);
        sum += host[t * stretch + i];
      }
      ASSERT_EQ(result[t * (stretch + 1) + stretch], sum);
    }
  }
}

TEST(Team, SlotsKeepWhatAtomicsHandedOut) {
  const Device device = test_device();
  const auto host = random_values<std::uint32_t>(512 * 20, 9, 1u << 30);
  const Buffer<std::uint32_t> in = upload(device, host);
  Buffer<std::uint32_t> out(device, host.size());
  counting_sort_by_teams(device, in.view(), out.view());
  const auto result = download(device, out);
  for (std::size_t t = 0; t < 20; ++t) {
    std::vector<std::uint32_t> expected(host.begin() + t * 512, host.begin() + (t + 1) * 512);
    std::vector<std::uint32_t> got(result.begin() + t * 512, result.begin() + (t + 1) * 512);
    EXPECT_TRUE(
        std::is_sorted(got.begin(), got.end(), [](auto a, auto b) { return a % 64 < b % 64; }));
    std::sort(expected.begin(), expected.end());
    std::sort(got.begin(), got.end());
    EXPECT_EQ(got, expected);
  }
}

TEST(Team, SumReachesEveryThread) {
  const Device device = test_device();
  const auto host = random_values<std::uint32_t>(300 * 11, 10, 1000);
  const Buffer<std::uint32_t> in = upload(device, host);
  Buffer<std::uint32_t> out(device, 11);
  sum_by_teams(device, in.view(), out.view(), 300);
  const auto result = download(device, out);
  for (std::size_t t = 0; t < 11; ++t)
    EXPECT_EQ(result[t], std::accumulate(host.begin() + t * 300, host.begin() + (t + 1) * 300, 0u));
}

TEST(Team, ScratchUpToTheLimitAndBeyond) {
  const Device device = test_device();
  const std::size_t limit = device.team_scratch_limit() / 16 * 16;
  ASSERT_GE(limit, std::size_t{48} * 1024);
  for (const std::size_t bytes : {limit, device.team_scratch_limit() + 1, 5 * limit}) {
    // More teams than a GPU runs at once, so that slices of memory are used again.
    Buffer<std::uint8_t> out(device, device.backend() == Backend::cuda ? 5000 : 20);
    fill(device, out.view(), 255);
    touch_scratch(device, bytes, out.view());
    const auto touched = download(device, out);
    EXPECT_EQ(std::count(touched.begin(), touched.end(), (bytes - 1) % 251),
              static_cast<std::ptrdiff_t>(out.size()));
  }
  Scratch scratch;
  EXPECT_THROW(scratch.add<std::uint64_t>(std::size_t{1} << 40), std::invalid_argument);
}

TEST(Team, ScansFitBesideAnyScratch) {
  const Device device = test_device();
  for (const std::size_t bytes :
       {std::size_t{46} << 10, std::size_t{47} << 10, std::size_t{48} << 10,
        device.team_scratch_limit() / 16 * 16, std::size_t{3} << 20})
    EXPECT_EQ(scan_in_large_scratch(device, bytes), bytes / 4);
}

TEST(Buffer, MoreThanTheDeviceHasIsAnErrorThatLosesNothing) {
  const Device device = test_device();
  try {
    const Buffer<double> huge(device, std::size_t{1} << 44);
    FAIL() << "no error";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("out of memory"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(device.name()), std::string::npos);
  }
  EXPECT_THROW(Buffer<double>(device, ~std::size_t{0}), DeviceError);
  Buffer<std::uint32_t> after(device, 1000);
  set_to_square(device, after.view());
  EXPECT_EQ(download(device, after)[999], 999u * 999u);
}

TEST(Buffer, MovesAndSwaps) {
  const Device device = test_device();
  Buffer<std::uint32_t> a = upload(device, Array<std::uint32_t>{1, 2, 3});
  Buffer<std::uint32_t> b = std::move(a);
  EXPECT_EQ(b.size(), 3u);
  EXPECT_EQ(a.size(), 0u);  // NOLINT: a moved-from buffer is an empty one
  a = upload(device, Array<std::uint32_t>{9});
  a.swap(b);
  EXPECT_EQ(download(device, a), (Array<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(download(device, b), (Array<std::uint32_t>{9}));
  EXPECT_THROW(copy_on_device(device, a.view(), b.view()), std::invalid_argument);
}

TEST(Streams, AsyncCopiesAndKernelsOverlapInOrder) {
  const Device device = test_device();
  constexpr std::size_t n = 1 << 18;
  constexpr int streams = 3;
  constexpr int rounds = 4;
  std::vector<Stream> stream;
  std::vector<HostBuffer<std::uint32_t>> host;
  std::vector<Buffer<std::uint32_t>> buffer;
  for (int s = 0; s < streams; ++s) {
    stream.push_back(Stream::create(device));
    host.emplace_back(stream[s], n);
    buffer.emplace_back(stream[s], n);
    for (std::size_t i = 0; i < n; ++i) host[s].span()[i] = static_cast<std::uint32_t>(i * 3 + s);
  }
  for (int r = 0; r < rounds; ++r)
    for (int s = 0; s < streams; ++s) {
      copy_to_device(stream[s], buffer[s].view(), host[s].span());
      slow_increment(stream[s], buffer[s].view());
      copy_to_host(stream[s], host[s].span(), buffer[s].view());
    }
  for (int s = 0; s < streams; ++s) {
    stream[s].synchronize();
    for (const std::size_t i : {std::size_t{0}, n / 2, n - 1}) {
      auto x = static_cast<std::uint32_t>(i * 3 + s);
      for (int k = 0; k < 100 * rounds; ++k) x = x * 1664525u + 1013904223u;
      EXPECT_EQ(host[s].span()[i], x);
    }
    EXPECT_EQ(stream[s].device().name(), device.name());
  }
}

TEST(Streams, OneStreamWaitsForAnother) {
  const Device device = test_device();
  constexpr std::size_t n = 1 << 20;
  const Stream first = Stream::create(device);
  const Stream second = Stream::create(device);
  Buffer<std::uint32_t> values(first, n);
  fill(first, values.view(), 1u);
  slow_increment(first, values.view());
  const Event ready = first.record();
  second.wait(ready);
  slow_increment(second, values.view());
  const Event done = second.record();
  second.synchronize();
  std::uint32_t x = 1;
  for (int k = 0; k < 200; ++k) x = x * 1664525u + 1013904223u;
  const auto host = download(second, values);
  EXPECT_EQ(std::count(host.begin(), host.end(), x), static_cast<std::ptrdiff_t>(n));
  EXPECT_GE(done.milliseconds_since(ready), 0.0f);
}

TEST(Streams, SortOnAnotherStreamOutlivesItsBuffers) {
  const Device device = test_device();
  const Stream other = Stream::create(device);
  const auto host = random_values<std::uint32_t>(1 << 20, 5, ~0u);
  auto expected = host;
  std::sort(expected.begin(), expected.end());
  for (int round = 0; round < 5; ++round) {
    Buffer<std::uint32_t> keys = upload(device, host);
    sort(other, keys, 32);
    // What the sort is still reading must not become this.
    Buffer<std::uint32_t> taken(device, host.size());
    fill(device, taken.view(), 7u);
    EXPECT_EQ(download(other, keys), expected);
  }
}

TEST(Streams, EventsTellWhenTheyAreDone) {
  const Device device = test_device();
  Buffer<std::uint32_t> values(device, 1 << 20);
  fill(device, values.view(), 1u);
  slow_increment(device, values.view());
  const Event event = Stream(device).record();
  event.synchronize();
  EXPECT_TRUE(event.is_done());
}

TEST(Devices, AreTheSameAtEveryCall) {
  const Device device = test_device();
  if (device.backend() == Backend::cuda) {
    EXPECT_EQ(Stream(Device::cuda()).native_handle(), Stream(device).native_handle());
  } else {
    EXPECT_EQ(Stream(device).native_handle(), nullptr);
  }
}

TEST(Devices, SayWhatTheyAre) {
  EXPECT_EQ(Device::cpu(1).name(), "CPU, 1 thread");
  EXPECT_EQ(Device::cpu(3).threads(), 3);
  EXPECT_THROW(Device::cpu(-1), DeviceError);
  EXPECT_THROW(Device::cuda(Device::cuda_count()), DeviceError);
  EXPECT_GT(test_device().free_memory(), 0u);
  EXPECT_NO_THROW(test_device().trim());
  EXPECT_EQ(Device::best().backend(), Device::cuda_count() > 0 ? Backend::cuda : Backend::cpu);
}

}  // namespace
}  // namespace tessera::exec
