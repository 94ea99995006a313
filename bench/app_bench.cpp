// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Applications on patched meshes, beside OpenMesh and CGAL (one thread, CPU) where they have the
// same, and beside a plain kernel over indexed triangles:
//   tessera_app_bench [--device cuda] [--threads N] [--mesh FILE] [--levels N]
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "mesh_bench.h"
#include "query_peer.h"
#include "ratio_table.h"
#include "run.h"
#include "tessera/exec/exec.h"
#include "tessera/surface/bilateral.h"
#include "tessera/surface/curvature.h"
#include "tessera/surface/geodesic.h"
#include "tessera/surface/mean_curvature_flow.h"
#include "tessera/surface/mesh_attribute.h"
#include "tessera/surface/normals.h"
#include "tessera/surface/smooth.h"

namespace tessera::bench {

using exec::Buffer;
using exec::Device;
using exec::View;

/// Area-weighted normals the plain way: a thread for each face adds to its vertices in memory.
struct AddFaceNormal {
  View<const Vec3f> positions;
  View<const Triangle> triangles;
  View<float> sums;
  TESSERA_KERNEL void operator()(Index f) const {
    const Triangle t = triangles[f];
    const Vec3f p = positions[t[0]];
    const Vec3f normal = cross(positions[t[1]] - p, positions[t[2]] - p);
    for (const Index v : t.v)
      for (Index k = 0; k < 3; ++k)
        exec::atomic_add(sums[3 * std::size_t{v} + k], normal[static_cast<int>(k)]);
  }
};

struct Normalize {
  View<float> sums;
  TESSERA_KERNEL void operator()(Index v) const {
    const Vec3f sum{sums[3 * v], sums[3 * v + 1], sums[3 * v + 2]};
    const float norm = length(sum);
    for (Index k = 0; k < 3; ++k)
      sums[3 * v + k] = norm > 0 ? sum[static_cast<int>(k)] / norm : 0.0F;
  }
};

int run(int argc, char** argv) {
  const MeshArguments arguments(argc, argv);
  const Device& device = arguments.device;
  const TriangleSoup soup = arguments.load();

  const surface::PatchedMesh mesh(device, soup);
  std::cout << mesh.faces() << " faces on " << device.name() << "\n\n";
  const auto positions = surface::positions_of(mesh, soup);
  auto moved = surface::positions_of(mesh, soup);
  const auto restart = [&] {
    exec::copy_on_device(device, moved.view().values(), positions.view().values());
  };
  Array<Vec3f> plain(soup.positions.size());
  for (std::size_t v = 0; v < plain.size(); ++v) plain[v] = cast<float>(soup.positions[v]);
  const Buffer<Vec3f> plain_positions = exec::upload(device, plain);
  const Buffer<Triangle> triangles = exec::upload(device, soup.triangles);
  Buffer<float> sums(device, 3 * soup.positions.size());

  std::vector<std::unique_ptr<QueryPeer>> peers;
  if (device.backend() == exec::Backend::cpu) {
    peers.push_back(openmesh_peer(soup));
    peers.push_back(cgal_peer(soup));
    add_case("vertex normals/OpenMesh", Device::cpu(1), [&] { peers[0]->vertex_normals(); });
    add_case("vertex normals/CGAL", Device::cpu(1), [&] { peers[1]->vertex_normals(); });
  }
  add_case("vertex normals/indexed triangles", device, [&] {
    exec::fill(device, sums.view(), 0);
    exec::for_each(device, mesh.faces(),
                   AddFaceNormal{plain_positions.view(), triangles.view(), sums.view()});
    exec::for_each(device, mesh.vertices(), Normalize{sums.view()});
  });
  add_case("vertex normals/tessera", device, [&] { surface::vertex_normals(mesh, positions); });
  add_case("vertex normals, by angle/tessera", device,
           [&] { surface::vertex_normals(mesh, positions, surface::NormalWeight::angle); });
  // Weights are computed once, so the difference of two runs is that of iterations alone.
  const auto flow = [&](int iterations) {
    surface::MeanCurvatureFlowOptions options;
    options.time_step = 1;
    options.tolerance = 1e-30;
    options.max_iterations = iterations;
    restart();
    surface::mean_curvature_flow(mesh, moved, options);
  };
  add_case(
      "mean-curvature flow, weights and 10 iterations/tessera", device, [&] { flow(10); }, 1);
  add_case(
      "mean-curvature flow, weights and 110 iterations/tessera", device, [&] { flow(110); }, 1);
  const auto laplacian = [&](int iterations) {
    surface::LaplacianOptions options;
    options.iterations = iterations;
    restart();
    surface::laplacian_smooth(mesh, moved, options);
  };
  add_case(
      "Laplacian smoothing, 10 passes/tessera", device, [&] { laplacian(10); }, 1);
  add_case(
      "Laplacian smoothing, 110 passes/tessera", device, [&] { laplacian(110); }, 1);

  const std::vector<Index> source{0};
  add_case(
      "geodesic distance, levels included/tessera", device,
      [&] { surface::geodesic_distance(mesh, positions, source); }, 1);
  add_case(
      "bilateral denoising, one iteration/tessera", device,
      [&] {
        surface::BilateralOptions options;
        options.iterations = 1;
        restart();
        surface::bilateral_denoise(mesh, moved, options);
      },
      1);
  add_case("curvature/tessera", device, [&] { surface::curvature(mesh, positions); });

  benchmark::Initialize(&argc, argv);
  RatioTable table({"OpenMesh", "CGAL", "indexed triangles", "tessera"});
  benchmark::RunSpecifiedBenchmarks(&table);
  device.synchronize();
  return 0;
}

}  // namespace tessera::bench
