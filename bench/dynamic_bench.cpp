// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Meshes that change:
//   tessera_dynamic_bench FILE [--device cuda] [--threads N] [--levels N] [--smoothing-steps N]
// Delaunay flips, three iterations of isotropic remeshing (edges as long as the mean of the
// input's, no ridges) and simplification to 10 and 1 % of a mesh and of the same split into four
// faces each, up to N times. Medians of three runs after one. Remeshing is from and to memory of
// the host, flips are of a mesh that is built.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "tessera/io/triangles.h"
#include "tessera/surface/analysis.h"
#include "tessera/surface/compare.h"
#include "tessera/surface/delaunay.h"
#include "tessera/surface/isotropic_remesh.h"
#include "tessera/surface/simplify.h"
#include "tessera/surface/subdivide.h"

namespace {

using namespace tessera;
using namespace tessera::surface;

template <class F>
double seconds(const F& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class F>
double median(const F& f) {
  f();
  std::array<double, 3> runs{};
  for (double& run : runs) run = f();
  std::sort(runs.begin(), runs.end());
  return runs[1];
}

void run(const exec::Stream& stream, const TriangleSoup& mesh, int smoothing_steps) {
  DelaunayReport flips;
  const double build = median([&] {
    return seconds([&] {
      DynamicMesh dynamic(stream, mesh);
      stream.synchronize();
    });
  });
  const double delaunay = median([&] {
    DynamicMesh dynamic(stream, mesh);
    stream.synchronize();
    return seconds([&] { flips = make_delaunay(dynamic, {180}); });
  });
  std::printf("| %zu | build | %.4f |\n| | Delaunay: %llu flips, %d rounds, %llu left | %.4f |\n",
              mesh.triangles.size(), build, static_cast<unsigned long long>(flips.flips),
              flips.rounds, static_cast<unsigned long long>(flips.violating), delaunay);
  IsotropicRemeshOptions options;
  options.ridge_angle = 180;
  options.smoothing_steps = smoothing_steps;
  IsotropicRemeshResult result;
  const double remesh =
      median([&] { return seconds([&] { result = isotropic_remesh(stream, mesh, options); }); });
  const MeshInfo info = analyze(stream, result.mesh);
  const Comparison distance = compare(stream, mesh, result.mesh);
  const double unit = 1e5 / distance.diagonal;
  std::printf(
      "| | remesh: %zu faces, %llu rounds, %llu operations, %llu waited; quality %.3f, smallest "
      "angle "
      "%.1f, distance mean %.2fe-5 max %.0fe-5 | %.4f |\n",
      result.mesh.triangles.size(), static_cast<unsigned long long>(result.report.rounds),
      static_cast<unsigned long long>(result.report.splits + result.report.collapses +
                                      result.report.flips),
      static_cast<unsigned long long>(result.report.lost), info.mean_quality, info.min_angle,
      unit * distance.b_to_a.mean, unit * distance.b_to_a.max, remesh);
  for (const double ratio : {0.1, 0.01}) {
    SimplifyOptions fewer;
    fewer.faces = static_cast<std::uint64_t>(ratio * static_cast<double>(mesh.triangles.size()));
    SimplifyResult simple;
    const double simplified =
        median([&] { return seconds([&] { simple = simplify(stream, mesh, fewer); }); });
    const Comparison error = compare(stream, mesh, simple.mesh);
    std::printf("| | simplify to %zu faces: %d rounds, error mean %.1fe-5 max %.0fe-5 | %.4f |\n",
                simple.mesh.triangles.size(), simple.rounds, unit * error.mean, unit * error.max,
                simplified);
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::fprintf(stderr, "tessera_dynamic_bench FILE [--device cuda] [--threads N] [--levels N]\n");
    return 2;
  }
  bool on_gpu = false;
  int threads = 0;
  int levels = 2;
  int smoothing_steps = IsotropicRemeshOptions{}.smoothing_steps;
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string flag = argv[i];
    if (flag == "--device") on_gpu = std::string(argv[i + 1]) == "cuda";
    if (flag == "--threads") threads = std::atoi(argv[i + 1]);
    if (flag == "--levels") levels = std::atoi(argv[i + 1]);
    if (flag == "--smoothing-steps") smoothing_steps = std::atoi(argv[i + 1]);
  }
  const exec::Device device = on_gpu        ? exec::Device::cuda()
                              : threads > 0 ? exec::Device::cpu(threads)
                                            : exec::Device::cpu();
  const exec::Stream stream(device);
  std::printf("%s\n\n| faces | | s |\n|---|---|---|\n", device.name().c_str());
  TriangleSoup mesh = io::read_triangles(argv[1]).mesh;
  for (int level = 0; level <= levels; ++level) {
    run(stream, mesh, smoothing_steps);
    if (level < levels) mesh = subdivide(stream, mesh);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
