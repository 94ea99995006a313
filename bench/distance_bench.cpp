// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Closest points of a surface, beside CGAL's AABB tree (one thread, CPU):
//   tessera_distance_bench [--device cuda] [--threads N] [--mesh FILE] [--levels N]
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "distance_peer.h"
#include "mesh_bench.h"
#include "ratio_table.h"
#include "run.h"
#include "tessera/core/box.h"
#include "tessera/core/random.h"
#include "tessera/surface/bvh.h"

namespace tessera::bench {
namespace {

using exec::Device;

/// Points of the surface, each moved by at most so much of the size of the mesh, in the order of
/// the faces: what a comparison of two like meshes asks.
Array<Vec3d> near_surface(const TriangleSoup& mesh, double offset, std::uint64_t count) {
  const Random random(1);
  Box box;
  for (const Vec3d& p : mesh.positions) box.add(p);
  const double size = length(box.max - box.min);
  Array<Vec3d> points(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const Triangle& t = mesh.triangles[i * mesh.triangles.size() / count];
    const auto number = [&](std::uint64_t k) { return random.uniform(5 * i + k); };
    const double u = number(0);
    const double v = number(1) * (1 - u);
    points[i] = mesh.positions[t[0]] * (1 - u - v) + mesh.positions[t[1]] * u +
                mesh.positions[t[2]] * v +
                Vec3d{number(2) - 0.5, number(3) - 0.5, number(4) - 0.5} * (2 * offset * size);
  }
  return points;
}

}  // namespace

int run(int argc, char** argv) {
  const MeshArguments arguments(argc, argv);
  const Device& device = arguments.device;
  const TriangleSoup soup = arguments.load();
  std::cout << soup.triangles.size() << " faces on " << device.name() << "\n\n";

  const std::unique_ptr<DistancePeer> peer = cgal_distance_peer(soup);
  const bool with_peer = device.backend() == exec::Backend::cpu;
  if (with_peer) {
    peer->build();
    add_case(
        "build/CGAL", Device::cpu(1), [&] { peer->build(); }, 1);
  }
  const surface::Bvh tree(device, soup);
  add_case(
      "build/tessera", device, [&] { const surface::Bvh again(device, soup); }, 1);
  const std::pair<std::string, Array<Vec3d>> sets[] = {
      {"1 million points within 0.1 % of the surface", near_surface(soup, 0.001, 1'000'000)},
      {"100 thousand points within 3 % of the surface", near_surface(soup, 0.03, 100'000)}};
  for (const auto& [name, points] : sets) {
    const Array<Vec3d>& queries = points;
    if (with_peer)
      add_case(
          name + "/CGAL", Device::cpu(1),
          [&] {
            for (const Vec3d& p : queries) benchmark::DoNotOptimize(peer->closest(p));
          },
          1);
    add_case(
        name + "/tessera", device, [&] { surface::closest_points(device, tree, queries); }, 1);
  }

  benchmark::Initialize(&argc, argv);
  RatioTable table({"CGAL", "tessera"});
  benchmark::RunSpecifiedBenchmarks(&table);
  device.synchronize();
  return 0;
}

}  // namespace tessera::bench
