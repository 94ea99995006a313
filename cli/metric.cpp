// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.h"
#include "metric_flags.h"
#include "patched_input.h"
#include "tessera/io/sol.h"

namespace tessera::cli {
namespace {

struct MetricOptions {
  std::string input;
  std::string output;
  MetricFlags metric;
  io::WriteOptions write;
};

/// The metric as it is, and as numbers to look at.
void add_metric_attributes(TriangleSoup& mesh, const remesh::MetricField& field) {
  const std::size_t vertices = field.metrics.size();
  Array<double> smallest(vertices);
  Array<double> largest(vertices);
  Array<double> aspect(vertices);
  for (std::size_t v = 0; v < vertices; ++v) {
    const auto [least, most] = std::minmax(
        {1 / std::sqrt(field.metrics[v].along), 1 / std::sqrt(field.metrics[v].across)});
    smallest[v] = least;
    largest[v] = most;
    aspect[v] = most / least;
  }
  set_attribute(mesh.vertex_attributes, remesh::to_attribute(field));
  set_attribute(mesh.vertex_attributes, "size_smallest", smallest);
  set_attribute(mesh.vertex_attributes, "size_largest", largest);
  set_attribute(mesh.vertex_attributes, "aspect", aspect);
}

void write_sol(Run& run, const MetricOptions& options, const remesh::MetricField& field) {
  io::WriteOptions write = options.write;
  write.progress = run.progress();
  const Attribute metric = remesh::to_attribute(field);
  const std::uint64_t bytes =
      run.file_stage("write", [&] { return io::write_sol(options.output, {metric}, write); });
  run.report("output", "written", options.output, options.output);
  run.report_count("vertices", "vertices", metric.size());
  run.report_count("components", "numbers at a vertex",
                   static_cast<std::uint64_t>(metric.components));
  run.report_count("bytes", "bytes", bytes);
}

void metric(Run& run, const MetricOptions& options) {
  io::ReadResult file = run.read(options.input);
  if (file.mesh.triangles.empty())
    throw InputError(options.input + ": a mesh without faces has no metric");
  take_ridges(run, options.metric, file.mesh);
  const remesh::MetricResult made = make_metric(run, options.metric, file.mesh);
  report_metric(run, made.report);
  if (io::is_sol(options.output)) {
    write_sol(run, options, made.field);
  } else {
    add_metric_attributes(file.mesh, made.field);
    run.write(options.output, file.mesh, options.write);
  }
}

}  // namespace

void add_metric(CLI::App& program, const SharedFlags& flags) {
  CLI::App* command = program.add_subcommand(
      "metric", "How long edges should be at every vertex, to look at or for other programs");
  const auto options = std::make_shared<MetricOptions>();
  command->add_option("input", options->input, "mesh to read")->required();
  add_output(*command, options->output, options->write, Need::required, Also::sol);
  add_metric_flags(*command, options->metric);
  command->footer(
      "The metric that 'tessera remesh' has by the same flags. A .sol file gets the metric alone, "
      "one\nnumber a vertex or six, as MMG and 'tessera remesh --metric' read it; a mesh gets the "
      "vertex\nattributes metric, size_smallest, size_largest and aspect.\n"
      "Examples: tessera metric scan.stl scan.sol --error 0.1% --anisotropic\n"
      "          tessera metric flow.ply sizes.ply --field pressure --points 20000");
  command->callback([=, &flags] {
    check_metric_flags(*command, options->metric);
    Run run(flags);
    metric(run, *options);
    run.finish();
  });
}

}  // namespace tessera::cli
