// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// The execution layer beside plain oneTBB (CPU) or CUB (GPU), and a team kernel beside a copy:
//   tessera_exec_bench [--device cuda]
#include <cstdint>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "exec_peer.h"
#include "ratio_table.h"
#include "run.h"
#include "tessera/core/error.h"
#include "tessera/core/random.h"
#include "tessera/exec/exec.h"

namespace tessera::bench {

using exec::Buffer;
using exec::Device;
using exec::Stream;
using exec::Team;
using exec::View;

struct ScaleAndAdd {
  View<const float> x;
  View<float> y;
  TESSERA_KERNEL void operator()(std::uint32_t i) const { y[i] += 2.0f * x[i]; }
};

struct IsOdd {
  View<const std::uint32_t> x;
  TESSERA_KERNEL bool operator()(std::uint32_t i) const { return x[i] % 2 != 0; }
};

/// Fills memory with random bits.
template <class T>
struct Randomize {
  View<T> out;
  TESSERA_KERNEL void operator()(std::uint32_t i) const {
    out[i] = static_cast<T>(Random(1).bits(i) >> 32);
  }
};

template <class T>
Buffer<T> random_buffer(const Stream& stream, std::uint32_t n) {
  Buffer<T> buffer(stream, n);
  exec::for_each(stream, n, Randomize<T>{buffer.view()});
  return buffer;
}

/// Transposes a matrix of 16-bit numbers, side x side with side a multiple of 64, by 64 x 64 tiles
/// staged in scratch memory. Two neighbouring numbers are moved as one 32-bit word.
struct Transpose {
  static constexpr Index tile = 64;
  static constexpr Index words = tile / 2;
  static constexpr Index padded = words + 1;  ///< so that a column of words meets all banks

  View<const std::uint32_t> in;
  View<std::uint32_t> out;
  Index side;
  exec::ScratchSlot<std::uint32_t> staged;

  TESSERA_KERNEL void operator()(Team& team) const {
    const View<std::uint32_t> stage = team.scratch(staged);
    const Index row_words = side / 2;
    const Index tiles = side / tile;
    const Index tile_row = team.index() / tiles;
    const Index tile_column = team.index() % tiles;
    // A 2 x 2 block comes in as one word from each of two rows and goes out as one word for each
    // of two columns. Even columns are staged before odd ones: neighbouring threads, two columns
    // apart, then write to neighbouring rows.
    Team::Slots<std::uint32_t, words * words> upper;
    Team::Slots<std::uint32_t, words * words> lower;
    team.for_each_slot<words * words>(words * words, [&](Index i, int slot) {
      const Index row = tile_row * tile + 2 * (i / words);
      const std::size_t at = std::size_t{row} * row_words + tile_column * words + i % words;
      upper[slot] = in[at];
      lower[slot] = in[at + row_words];
    });
    team.for_each_slot<words * words>(words * words, [&](Index i, int slot) {
      const Index pair_row = i / words;
      const Index pair_column = i % words;
      stage[pair_column * padded + pair_row] = (upper[slot] & 0xffffu) | (lower[slot] << 16);
      stage[(words + pair_column) * padded + pair_row] =
          (upper[slot] >> 16) | (lower[slot] & 0xffff0000u);
    });
    team.sync();
    team.for_each(tile * words, [&](Index i) {
      const Index column = i / words;
      const Index staged_row = column / 2 + (column % 2) * words;
      const std::size_t at =
          (std::size_t{tile_column} * tile + column) * row_words + tile_row * words + i % words;
      out[at] = stage[staged_row * padded + i % words];
    });
  }
};

void transpose(const Stream& stream, Index side, const Buffer<std::uint32_t>& in,
               Buffer<std::uint32_t>& out) {
  exec::Scratch scratch;
  const auto staged = scratch.add<std::uint32_t>(std::size_t{Transpose::tile} * Transpose::padded);
  const Index tiles = side / Transpose::tile;
  exec::for_each_team(stream, std::uint64_t{tiles} * tiles, scratch,
                      Transpose{in.view(), out.view(), side, staged});
}

void check_transpose(const Device& device) {
  const Index side = 192;
  const Buffer<std::uint32_t> in = random_buffer<std::uint32_t>(device, side * side / 2);
  Buffer<std::uint32_t> out(device, in.size());
  transpose(device, side, in, out);
  const auto from = download(device, in);
  const auto to = download(device, out);
  const auto* a = reinterpret_cast<const std::uint16_t*>(from.data());
  const auto* b = reinterpret_cast<const std::uint16_t*>(to.data());
  for (Index r = 0; r < side; ++r)
    for (Index c = 0; c < side; ++c)
      if (a[r * side + c] != b[c * side + r]) throw Error("the transpose kernel is wrong");
}

/// How often a case runs: `calls` in a row between two readings of the clock, `batches` of them,
/// and all that five times, of which the table shows the median.
struct Repeats {
  int calls;
  int batches;
};

const std::function<void()> nothing = [] {};

/// `prepare` runs before each batch and is not counted.
void add_case(const std::string& name, const Device& device, Repeats repeats,
              std::function<void()> work, std::function<void()> prepare = nothing) {
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        const Stream stream(device);
        prepare();
        work();  // warm: allocations, modules
        for (auto _ : state) {
          prepare();
          stream.synchronize();
          const exec::Event start = stream.record();
          for (int k = 0; k < repeats.calls; ++k) work();
          const exec::Event stop = stream.record();
          stream.synchronize();
          state.SetIterationTime(double(stop.milliseconds_since(start)) * 1e-3 / repeats.calls);
        }
      })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->Iterations(repeats.batches)
      ->Repetitions(5);
}

/// What the cases of one size share. Kept alive until all have run.
struct Data {
  Buffer<float> x, y;
  Buffer<double> numbers;
  Buffer<std::uint32_t> counts, sums, random_keys, keys, values, other_keys, other_values;
};

void add_flat_cases(const Device& device, ExecPeer& peer, const std::string& who, std::uint32_t n,
                    std::vector<std::shared_ptr<Data>>& keep) {
  auto data = std::make_shared<Data>();
  keep.push_back(data);
  data->x = random_buffer<float>(device, n);
  data->y = random_buffer<float>(device, n);
  data->numbers = random_buffer<double>(device, n);
  data->counts = random_buffer<std::uint32_t>(device, n);
  data->random_keys = random_buffer<std::uint32_t>(device, n);
  for (auto* buffer :
       {&data->sums, &data->keys, &data->values, &data->other_keys, &data->other_values})
    *buffer = Buffer<std::uint32_t>(device, n);
  Data& d = *data;
  const std::string size = n >= 100000000 ? "1e8" : "1e6";
  const bool cuda = device.backend() == exec::Backend::cuda;
  const bool small = n <= 1000000;
  const Repeats repeats = small ? Repeats{cuda ? 50 : 10, 10} : Repeats{1, cuda ? 10 : 1};
  const auto both = [&](const std::string& name, Repeats times, std::function<void()> ours,
                        std::function<void()> theirs, std::function<void()> prepare = nothing) {
    add_case(name + " " + size + "/" + who, device, times, std::move(theirs), prepare);
    add_case(name + " " + size + "/tessera", device, times, std::move(ours), prepare);
  };
  both(
      "for_each", repeats,
      [=, &d] {
        exec::for_each(device, n, ScaleAndAdd{d.x.view(), d.y.view()});
      },
      [=, &d, &peer] { peer.scale_and_add(n, d.x.view().data(), d.y.view().data()); });
  both(
      "reduce", repeats,
      [=, &d] {
        benchmark::DoNotOptimize(exec::reduce(device, d.numbers.view(), 0.0, exec::Plus{}));
      },
      [=, &d, &peer] { benchmark::DoNotOptimize(peer.sum(n, d.numbers.view().data())); });
  both(
      "exclusive_scan", repeats,
      [=, &d] { exec::exclusive_scan(device, d.counts.const_view(), d.sums.view()); },
      [=, &d, &peer] { peer.exclusive_scan(n, d.counts.view().data(), d.sums.view().data()); });
  both(
      "compact", repeats,
      [=, &d] {
        benchmark::DoNotOptimize(exec::compact(device, n, IsOdd{d.counts.view()}, d.sums.view()));
      },
      [=, &d, &peer] {
        benchmark::DoNotOptimize(peer.compact(n, d.counts.view().data(), d.sums.view().data()));
      });
  both(
      "sort_pairs", Repeats{1, small || cuda ? 10 : 1},
      [=, &d] { exec::sort_pairs(device, d.keys, d.values); },
      [=, &d, &peer] {
        peer.sort_pairs(n, d.keys.view().data(), d.other_keys.view().data(), d.values.view().data(),
                        d.other_values.view().data());
      },
      [=, &d] {
        exec::copy_on_device(device, d.keys.view(), d.random_keys.view());
        exec::copy_on_device(device, d.values.view(), d.counts.view());
      });
  both(
      "copy_on_device", repeats,
      [=, &d] { exec::copy_on_device(device, d.sums.view(), d.counts.view()); },
      [=, &d, &peer] {
        peer.copy(std::size_t{n} * 4, d.counts.view().data(), d.sums.view().data());
      });
}

void add_team_case(const Device& device, ExecPeer& peer, const std::string& who, Index side,
                   std::vector<std::shared_ptr<Data>>& keep) {
  auto data = std::make_shared<Data>();
  keep.push_back(data);
  const std::uint32_t words = side / 2 * side;
  data->keys = random_buffer<std::uint32_t>(device, words);
  data->other_keys = Buffer<std::uint32_t>(device, words);
  Data& d = *data;
  const std::string name = "team transpose of " + std::to_string(side) + " x " +
                           std::to_string(side) + " 16-bit numbers, beside a copy of them";
  add_case(name + "/" + who, device, {5, 3}, [=, &d, &peer] {
    peer.copy(d.keys.bytes(), d.keys.view().data(), d.other_keys.view().data());
  });
  add_case(name + "/tessera", device, {5, 3},
           [=, &d] { transpose(device, side, d.keys, d.other_keys); });
}

int run(int argc, char** argv) {
  std::string_view wanted = "cpu";
  for (int i = 1; i + 1 < argc; ++i)
    if (std::string_view(argv[i]) == "--device") wanted = argv[i + 1];
  const Device device = wanted == "cuda" ? Device::cuda() : Device::cpu();
  const bool cuda = device.backend() == exec::Backend::cuda;
#ifdef TESSERA_BENCH_CUB
  const std::unique_ptr<ExecPeer> peer = cuda ? cub_peer(device) : tbb_peer();
#else
  const std::unique_ptr<ExecPeer> peer = tbb_peer();
#endif
  const std::string who = cuda ? "CUB" : "oneTBB";
  std::cout << "On " << device.name() << "\n\n";
  check_transpose(device);
  std::vector<std::shared_ptr<Data>> keep;
  add_flat_cases(device, *peer, who, 1000000, keep);
  add_flat_cases(device, *peer, who, 100000000, keep);
  add_team_case(device, *peer, who, cuda ? 32768 : 8192, keep);
  benchmark::Initialize(&argc, argv);
  RatioTable table({who, "tessera"});
  benchmark::RunSpecifiedBenchmarks(&table);
  device.synchronize();
  return 0;
}

}  // namespace tessera::bench
