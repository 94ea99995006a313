// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Strong scaling as in figures 11 and 12 of Rakotoarivelo and Ledoux, four rounds each: a shock on
// a closed surface of a million points, and a part with ridges in place of their engine.
#include "remesh_scaling.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "tessera/core/stopwatch.h"
#include "tessera/io/triangles.h"
#include "tessera/remesh/adapt.h"
#include "tessera/remesh/metric_recipe.h"
#include "tessera/surface/generate.h"
#include "tessera/surface/subdivide.h"

namespace tessera::bench {
namespace {

struct Job {
  const char* name;
  TriangleSoup mesh;
  remesh::MetricRecipe recipe;
  remesh::AdaptOptions options;
};

/// A torus, and a wave front that passes through it.
Job shock(const exec::Device& device) {
  Job job;
  job.name = "shock";
  surface::GenerateOptions size;
  size.faces = 2'029'772;
  job.mesh = surface::generate(device, surface::Shape::torus, size);
  Array<double> front(job.mesh.positions.size());
  std::transform(
      job.mesh.positions.begin(), job.mesh.positions.end(), front.begin(), [](const Vec3d& p) {
        return std::tanh(30 * (p[0] + 0.2 * std::sin(4 * p[1]))) + 0.1 * std::sin(5 * p[2]);
      });
  job.recipe.fields = {{{"front", 1, std::move(front)}}};
  job.recipe.points = 250'000;
  job.recipe.stretch = remesh::Stretch::along;
  job.options.rounds = 4;
  return job;
}

/// As many points as the fandisk has when split four times, where it bends.
Job part(const exec::Device& device, const std::string& fandisk) {
  Job job;
  job.name = "part";
  surface::SubdivideOptions levels;
  levels.levels = 4;
  job.mesh = surface::subdivide(device, io::read_triangles(fandisk).mesh, levels);
  job.recipe.error = 1e-5;
  job.recipe.points = static_cast<double>(job.mesh.positions.size());
  job.recipe.ridge_angle = job.options.ridge_angle = 30;
  job.options.rounds = 4;
  return job;
}

struct Outcome {
  double metric = 0;
  double adapting = 0;
  remesh::AdaptSeconds seconds;
  double unit_edges = 0;
  std::size_t points = 0;
};

Outcome run(const exec::Device& device, const Job& job) {
  const exec::Stream stream(device);
  Outcome outcome;
  Stopwatch watch;
  const remesh::MetricResult metric = remesh::make_metric(stream, job.mesh, job.recipe);
  outcome.metric = watch.lap();
  const remesh::AdaptResult result = remesh::adapt(stream, job.mesh, metric.field, job.options);
  outcome.adapting = watch.lap();
  outcome.seconds = result.report.seconds;
  outcome.unit_edges = result.report.unit_edges;
  outcome.points = result.mesh.positions.size();
  return outcome;
}

/// The run of the median time.
Outcome median(const exec::Device& device, const Job& job, int runs) {
  std::vector<Outcome> all;
  for (int i = 0; i < runs; ++i) all.push_back(run(device, job));
  std::sort(all.begin(), all.end(),
            [](const Outcome& a, const Outcome& b) { return a.adapting < b.adapting; });
  return all[all.size() / 2];
}

}  // namespace

void print_remesh_scaling(const std::vector<exec::Device>& devices, const std::string& fandisk,
                          int runs, const std::string& only) {
  if (devices.empty()) return;
  std::printf(
      "| | | metric, s | adapting, s | speed-up | set-up | splits | collapses | flips | smoothing "
      "| rest | choosing, of splits, collapses, flips | points | unit edges |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  const exec::Device& maker = devices.back();
  for (const Job& job : {shock(maker), part(maker, fandisk)}) {
    if (std::string(job.name).find(only) == std::string::npos) continue;
    run(devices.back(), job);  // memory that the first has to get from the system
    double first = 0;
    for (const exec::Device& device : devices) {
      const Outcome o = median(device, job, runs);
      if (first == 0) first = o.adapting;
      const remesh::AdaptSeconds& s = o.seconds;
      const double operations = s.splitting + s.collapsing + s.flipping;
      std::printf(
          "| %s | %s | %.3f | %.3f | %.2f | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f | %.0f %% | "
          "%zu | %.1f %% |\n",
          job.name, device.name().c_str(), o.metric, o.adapting, first / o.adapting, s.set_up,
          s.splitting, s.collapsing, s.flipping, s.smoothing, s.rest, 100 * s.choosing / operations,
          o.points, 100 * o.unit_edges);
      std::fflush(stdout);
    }
  }
}

}  // namespace tessera::bench
