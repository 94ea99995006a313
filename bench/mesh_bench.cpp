// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "mesh_bench.h"

#include <string_view>

#include <benchmark/benchmark.h>

#include "tessera/exec/exec.h"
#include "tessera/io/triangles.h"
#include "tessera/surface/generate.h"
#include "tessera/surface/subdivide.h"

namespace tessera::bench {
namespace {

/// Writes more than a GPU's L2 cache holds.
void empty_cache(const exec::Device& device) {
  if (device.backend() == exec::Backend::cpu) return;
  static auto& large = *new exec::Buffer<Index>(device, std::size_t{64} << 20);  // until the end
  exec::fill(device, large.view(), 0);
}

}  // namespace

MeshArguments::MeshArguments(int argc, char** argv) {
  std::string_view device_name = "cpu";
  int threads = 0;
  for (int i = 1; i + 1 < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--device") device_name = argv[i + 1];
    if (flag == "--mesh") file = argv[i + 1];
    if (flag == "--levels") levels = std::stoi(argv[i + 1]);
    if (flag == "--threads") threads = std::stoi(argv[i + 1]);
    if (flag == "--largest") largest = std::stoull(argv[i + 1]);
  }
  device = device_name == "cuda" ? exec::Device::cuda() : exec::Device::cpu(threads);
}

TriangleSoup MeshArguments::load() const {
  TriangleSoup soup;
  if (file.empty()) {
    surface::GenerateOptions options;
    options.faces = 1'100'000;
    soup = surface::generate(device, surface::Shape::noisy_sphere, options);
  } else {
    soup = io::read_triangles(file).mesh;
  }
  surface::SubdivideOptions subdivision;
  subdivision.levels = levels;
  return surface::subdivide(device, soup, subdivision);
}

void add_case(const std::string& name, const exec::Device& device, const std::function<void()>& run,
              int calls) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [device, run](benchmark::State& state) {
                                 const exec::Stream stream(device);
                                 for (auto _ : state) {
                                   empty_cache(device);
                                   const exec::Event start = stream.record();
                                   run();
                                   const exec::Event end = stream.record();
                                   state.SetIterationTime(1e-3 * end.milliseconds_since(start));
                                 }
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->Iterations(calls > 0                                 ? calls
                   : device.backend() == exec::Backend::cuda ? 20
                                                             : 3)
      ->Repetitions(5);
}

}  // namespace tessera::bench
