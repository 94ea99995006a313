// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// A lattice by marching cubes, as most programs mesh them: distances in a grid of voxels, and
// OpenVDB's mesh of where they are zero; beside ours, at errors alike.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <mutex>
#include <span>
#include <vector>

#include <openvdb/openvdb.h>
#include <openvdb/tools/VolumeToMesh.h>

#include "tessera/core/facet.h"
#include "tessera/core/random.h"
#include "tessera/exec/device.h"
#include "tessera/lattice/generate.h"
#include "tessera/lattice/graph_blocks.h"
#include "tessera/lattice/stream.h"

namespace tessera::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Struts of one radius.
double distance_to_strut(const Vec3d& a, const Vec3d& b, double radius, const Vec3d& p) {
  const Vec3d along = b - a;
  const double t = std::clamp(dot(p - a, along) / squared_length(along), 0.0, 1.0);
  return length(p - a - along * t) - radius;
}

/// Of the middles of some facets, in units of the radius.
struct Errors {
  double mean = 0;
  double largest = 0;
};

Errors errors_of(const LatticeGraph& graph, const std::vector<Facet>& facets) {
  const double radius = graph.radii[0][0];
  const Random random(1);
  Errors errors;
  constexpr int samples = 20000;
  for (std::uint64_t i = 0; i < samples; ++i) {
    const Facet& f = facets[random.below(i, static_cast<std::uint32_t>(facets.size()))];
    const Vec3d p = cast<double>(f[0] + f[1] + f[2]) * (1.0 / 3);
    double nearest = std::numeric_limits<double>::infinity();
    for (const StrutNodes& s : graph.struts)
      nearest =
          std::min(nearest, distance_to_strut(graph.nodes[s[0]], graph.nodes[s[1]], radius, p));
    errors.mean += std::abs(nearest) / radius / samples;
    errors.largest = std::max(errors.largest, std::abs(nearest) / radius);
  }
  return errors;
}

void print(const char* name, double voxel, double seconds, std::size_t triangles,
           const LatticeGraph& graph, const Errors& errors) {
  std::printf("| %s | %s | %.3f | %.1f | %.2f %% | %.2f %% |\n", name,
              voxel > 0 ? std::to_string(voxel).substr(0, 5).c_str() : "", seconds,
              static_cast<double>(triangles) / static_cast<double>(graph.struts.size()),
              100 * errors.mean, 100 * errors.largest);
  std::fflush(stdout);
}

/// `voxel` in units of the radius.
void march(const LatticeGraph& graph, double voxel) {
  const double radius = graph.radii[0][0];
  const double size = voxel * radius;
  const auto start = Clock::now();
  const double band = 3 * size;
  const auto grid = openvdb::FloatGrid::create(static_cast<float>(band));
  grid->setTransform(openvdb::math::Transform::createLinearTransform(size));
  grid->setGridClass(openvdb::GRID_LEVEL_SET);
  auto accessor = grid->getAccessor();
  for (const StrutNodes& s : graph.struts) {
    const Vec3d a = graph.nodes[s[0]];
    const Vec3d b = graph.nodes[s[1]];
    openvdb::Coord from;
    openvdb::Coord to;
    for (int i = 0; i < 3; ++i) {
      from[i] = static_cast<int>(std::floor((std::min(a[i], b[i]) - radius - band) / size));
      to[i] = static_cast<int>(std::ceil((std::max(a[i], b[i]) + radius + band) / size));
    }
    for (int x = from.x(); x <= to.x(); ++x)
      for (int y = from.y(); y <= to.y(); ++y)
        for (int z = from.z(); z <= to.z(); ++z) {
          const double d = distance_to_strut(a, b, radius, {x * size, y * size, z * size});
          const openvdb::Coord at(x, y, z);
          if (d < band && d < accessor.getValue(at))
            accessor.setValue(at, static_cast<float>(std::max(d, -band)));
        }
  }
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  std::vector<openvdb::Vec4I> quads;
  openvdb::tools::volumeToMesh(*grid, points, triangles, quads, 0.0, 0.0);
  const double time = seconds_since(start);
  std::vector<Facet> facets;
  const auto at = [&points](openvdb::Index32 i) {
    return Vec3f{points[i].x(), points[i].y(), points[i].z()};
  };
  for (const auto& t : triangles) facets.push_back({at(t[0]), at(t[1]), at(t[2])});
  for (const auto& q : quads) {
    facets.push_back({at(q[0]), at(q[1]), at(q[2])});
    facets.push_back({at(q[0]), at(q[2]), at(q[3])});
  }
  print("marching cubes", voxel, time, facets.size(), graph, errors_of(graph, facets));
}

}  // namespace

void compare_with_marching_cubes(const exec::Device& device) {
  openvdb::initialize();
  const LatticeGraph graph = lattice::generate({lattice::CellType::octet, {4, 4, 4}, 1, 0.04});
  std::printf(
      "\n| octet, %zu struts | voxel / radius | s | triangles a strut | mean error | largest "
      "error |\n|---|---|---|---|---|---|\n",
      graph.struts.size());
  for (const double error : {0.02, 0.005}) {
    const lattice::GraphBlocks blocks(graph, static_cast<Index>(graph.struts.size()));
    std::vector<Facet> facets;
    std::mutex mutex;
    const auto start = Clock::now();
    lattice::mesh_stream(device, blocks, {error}, {},
                         [&](std::size_t, std::uint64_t, std::span<const Facet> part) {
                           const std::lock_guard lock(mutex);
                           facets.insert(facets.end(), part.begin(), part.end());
                         });
    const double time = seconds_since(start);
    print(error == 0.02 ? "Tessera at 2 %" : "Tessera at 0.5 %", 0, time, facets.size(), graph,
          errors_of(graph, facets));
  }
  for (const double voxel : {0.5, 0.25, 0.125}) march(graph, voxel);
}

}  // namespace tessera::bench
