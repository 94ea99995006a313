// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// What the execution layer does in a source file compiled by g++, also where CUDA is on.
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tessera/core/error.h"
#include "tessera/exec/exec.h"

namespace tessera::exec {
namespace {

TEST(ForEach, AnExceptionOnTheCpuReachesTheCaller) {
  for (const int threads : {1, 2, 8}) {
    const Device cpu = Device::cpu(threads);
    const auto throw_at_seven = [](Index i) {
      if (i == 77777) throw std::runtime_error("element " + std::to_string(i));
    };
    try {
      for_each(cpu, Index{100000}, throw_at_seven);
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "element 77777");
    }
    EXPECT_NO_THROW(for_each(cpu, Index{1000}, throw_at_seven));
    EXPECT_THROW(for_each_team(cpu, 100, Scratch{},
                               [](Team& team) {
                                 if (team.index() == 50) throw std::runtime_error("team");
                               }),
                 std::runtime_error);
  }
}

TEST(Streams, TwoThreadsAtOnceAreAMistake) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const Device device = Device::cpu(1);
  const auto meet_on = [&](const Stream& stream) {
    for_each(device, 1, [&](int) { std::thread([&] { for_each(stream, 1, [](int) {}); }).join(); });
  };
  EXPECT_DEBUG_DEATH(meet_on(device), "two threads use one stream");
  meet_on(Stream::create(device));
  // One after the other, and a call within a call, are fine.
  std::thread([&] { for_each(device, 1, [](int) {}); }).join();
  for_each(device, 1, [&](int) { for_each(device, 1, [](int) {}); });
}

TEST(HostLoop, StaysOnTheThreadsOfItsDevice) {
  const auto run = [](const Device& device) {
    std::mutex lock;
    std::set<std::thread::id> threads;
    std::size_t covered = 0;
    host_for_ranges(device, 100000, 10, [&](std::size_t begin, std::size_t end) {
      const std::lock_guard guard(lock);
      threads.insert(std::this_thread::get_id());
      covered += end - begin;
    });
    EXPECT_EQ(covered, 100000u);
    return threads;
  };
  EXPECT_EQ(run(Device::cpu(1)), std::set{std::this_thread::get_id()});
  EXPECT_LE(run(Device::cpu(2)).size(), 2u);
}

TEST(MemoryPool, KeepsLargeBlocksForLater) {
  constexpr std::size_t unit = std::size_t{32} << 20;  // 256 MiB in all are always kept
  detail::MemoryPool pool;
  void* first = pool.allocate(16 * unit);
  void* second = pool.allocate(10 * unit);
  pool.release(first);
  EXPECT_EQ(pool.kept(), 16 * unit);
  EXPECT_EQ(pool.allocate(12 * unit), first);
  EXPECT_EQ(pool.kept(), 0u);
  pool.release(first);
  // Too small for what is kept, and together no more than was in use before.
  void* third = pool.allocate(4 * unit);
  EXPECT_NE(third, first);
  EXPECT_LE(pool.kept(), 12 * unit);
  pool.release(second);
  pool.release(third);
  EXPECT_GT(pool.kept(), 0u);
  pool.trim();
  EXPECT_EQ(pool.kept(), 0u);
}

TEST(MemoryPool, KeepsNoMoreThanSomeTimesWhatIsInUse) {
  constexpr std::size_t mega = std::size_t{1} << 20;
  detail::MemoryPool pool;
  void* stays = pool.allocate(100 * mega);
  std::vector<void*> blocks;
  for (int i = 0; i < 10; ++i) blocks.push_back(pool.allocate(100 * mega));
  for (void* block : blocks) pool.release(block);
  EXPECT_LE(pool.kept(), (2 * 100 + 256) * mega);
  EXPECT_GE(pool.kept(), 300 * mega);
  pool.release(stays);
  EXPECT_LE(pool.kept(), 256 * mega);
  EXPECT_GE(pool.kept(), 100 * mega);
}

TEST(MemoryPool, LeavesSmallBlocksToMalloc) {
  detail::MemoryPool pool;
  pool.release(pool.allocate(1000));
  EXPECT_EQ(pool.kept(), 0u);
}

TEST(ForEach, NegativeCountDoesNothing) {
  for_each(Device::cpu(), -5, [](int) { FAIL(); });
}

TEST(ForEach, OnAGpuNeedsNvcc) {
  // Where there is no GPU, asking for it is already the error.
  const std::string expected = Device::cuda_count() == 0 ? "CUDA" : "nvcc";
  try {
    for_each(Device::cuda(), Index{10}, [](Index) {});
    FAIL() << "no exception";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tessera::exec
