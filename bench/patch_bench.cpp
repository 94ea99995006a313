// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Patching beside METIS (k-way, one thread; CPU only), and how the cost grows with the mesh:
//   tessera_patch_bench [--device cuda] [--mesh FILE] [--levels N] [--largest FACES]
// METIS gets as many parts as keep its largest at 512 faces or below. The ribbon ratio of its parts
// is that of a PatchedMesh made of them.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <metis.h>

#include "mesh_bench.h"
#include "run.h"
#include "tessera/surface/generate.h"
#include "tessera/surface/patched_mesh.h"

namespace tessera::bench {

using surface::PatchedMesh;

/// Which faces share an edge, as METIS wants it.
struct DualGraph {
  std::vector<idx_t> begin{0};
  std::vector<idx_t> neighbors;

  explicit DualGraph(const TriangleSoup& mesh) {
    std::vector<std::pair<std::uint64_t, idx_t>> sides;
    for (std::size_t f = 0; f < mesh.triangles.size(); ++f)
      for (int k = 0; k < 3; ++k) {
        const std::uint64_t a = mesh.triangles[f][k];
        const std::uint64_t b = mesh.triangles[f][(k + 1) % 3];
        sides.emplace_back(std::min(a, b) << 32 | std::max(a, b), static_cast<idx_t>(f));
      }
    std::sort(sides.begin(), sides.end());
    std::vector<std::pair<idx_t, idx_t>> pairs;
    for (std::size_t i = 1; i < sides.size(); ++i)
      if (sides[i].first == sides[i - 1].first) {
        pairs.emplace_back(sides[i].second, sides[i - 1].second);
        pairs.emplace_back(sides[i - 1].second, sides[i].second);
      }
    std::sort(pairs.begin(), pairs.end());
    for (const auto& [face, neighbor] : pairs) {
      while (begin.size() <= static_cast<std::size_t>(face))
        begin.push_back(static_cast<idx_t>(neighbors.size()));
      neighbors.push_back(neighbor);
    }
    while (begin.size() <= mesh.triangles.size())
      begin.push_back(static_cast<idx_t>(neighbors.size()));
  }
};

double seconds_of(const auto& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Parts of METIS, numbered without gaps, and how long it took.
std::pair<std::vector<Index>, double> metis_parts(const TriangleSoup& mesh) {
  DualGraph graph(mesh);
  auto faces = static_cast<idx_t>(mesh.triangles.size());
  idx_t constraints = 1;
  idx_t cut = 0;
  idx_t parts = faces / 497 + 1;  // 3 % of slack, which it uses up
  std::vector<idx_t> part(mesh.triangles.size());
  const double seconds = seconds_of([&] {
    if (METIS_PartGraphKway(&faces, &constraints, graph.begin.data(), graph.neighbors.data(),
                            nullptr, nullptr, nullptr, &parts, nullptr, nullptr, nullptr, &cut,
                            part.data()) != METIS_OK)
      throw std::runtime_error("METIS failed");
  });
  std::vector<Index> number(static_cast<std::size_t>(parts), no_index);
  std::vector<Index> result;
  Index next = 0;
  for (const idx_t p : part) {
    Index& n = number[static_cast<std::size_t>(p)];
    if (n == no_index) n = next++;
    result.push_back(n);
  }
  return {result, seconds};
}

void compare(const exec::Device& device, const TriangleSoup& mesh) {
  std::vector<double> ours;
  std::vector<double> theirs;
  surface::PatchStatistics statistics;
  std::vector<Index> parts;
  for (int i = 0; i < 3; ++i) {
    statistics = PatchedMesh(device, mesh).statistics();
    ours.push_back(statistics.seconds_patching);
    auto [found, seconds] = metis_parts(mesh);
    parts = std::move(found);
    theirs.push_back(seconds);
  }
  const auto metis = PatchedMesh(device, mesh, std::span<const Index>(parts)).statistics();
  std::cout << "| | patches | largest | ribbon ratio | bytes a face | patching ms |\n"
               "|---|---|---|---|---|---|\n";
  const auto row = [](const char* who, const surface::PatchStatistics& s, double seconds) {
    std::printf("| %s | %llu | %llu | %.3f | %.2f | %.1f |\n", who,
                static_cast<unsigned long long>(s.patches),
                static_cast<unsigned long long>(s.max_patch_faces), s.ribbon_ratio,
                s.bytes_per_face, 1e3 * seconds);
  };
  row("tessera", statistics, median(ours));
  row("METIS", metis, median(theirs));
  std::printf("\n%.1f times as fast, ribbons %.2f times as large\n\n",
              median(theirs) / median(ours), statistics.ribbon_ratio / metis.ribbon_ratio);
}

void grow(const exec::Device& device, std::uint64_t largest) {
  std::cout << "| faces | patching ms | all ms | all, ns a face | bytes a face |\n"
               "|---|---|---|---|---|\n";
  for (std::uint64_t faces = 100'000; faces <= largest;
       faces = faces % 3 == 0 ? faces / 3 * 10 : faces * 3) {
    surface::GenerateOptions options;
    options.faces = faces;
    const TriangleSoup mesh = surface::generate(device, surface::Shape::noisy_sphere, options);
    PatchedMesh(device, mesh);  // warm
    const auto s = PatchedMesh(device, mesh).statistics();
    std::printf("| %zu | %.1f | %.1f | %.0f | %.2f |\n", mesh.triangles.size(),
                1e3 * s.seconds_patching, 1e3 * s.seconds_total,
                1e9 * s.seconds_total / static_cast<double>(mesh.triangles.size()),
                s.bytes_per_face);
  }
}

int run(int argc, char** argv) {
  const MeshArguments arguments(argc, argv);
  const exec::Device& device = arguments.device;
  std::cout << "On " << device.name() << "\n\n";
  if (device.backend() == exec::Backend::cpu) compare(device, arguments.load());
  grow(device, arguments.largest);
  return 0;
}

}  // namespace tessera::bench
