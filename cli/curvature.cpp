// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/curvature.h"

#include <algorithm>
#include <memory>
#include <numbers>
#include <numeric>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.h"
#include "patched_input.h"

namespace tessera::cli {
namespace {

template <class T>
double sum_of(const Array<T>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Smallest, mean and largest value, each a line of the report.
void report_range(Run& run, const std::string& key, const std::string& label,
                  const Array<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const std::pair<const char*, double> numbers[] = {
      {"min", *least},
      {"mean", sum_of(values) / static_cast<double>(values.size())},
      {"max", *most}};
  for (const auto& [name, value] : numbers)
    run.report(key + "_" + name, label + ", " + name, fmt::format("{:.6g}", value), value);
}

void add_curvature_attributes(Run& run, const SharedFlags& flags, TriangleSoup& soup) {
  const PatchedInput input(run, flags, soup, "curvature");
  const surface::PatchedMesh& mesh = input.mesh;
  surface::CurvatureOptions options;
  options.progress = run.progress();
  Array<double> mean;
  Array<double> gaussian;
  double total = 0;
  Index boundary_vertices = 0;
  run.stage("curvature", [&] {
    const surface::Curvature result = surface::curvature(mesh, input.positions, options);
    mean = scaled(surface::attribute_to_host(mesh, result.mean), input.units.curvature_factor());
    gaussian = scaled(surface::attribute_to_host(mesh, result.gaussian),
                      input.units.gaussian_curvature_factor());
    total = sum_of(surface::attribute_to_host(mesh, result.angle_defect));
    boundary_vertices = result.boundary_vertices;
  });
  report_range(run, "mean_curvature", "mean curvature", mean);
  report_range(run, "gaussian_curvature", "Gaussian curvature", gaussian);
  const double euler = static_cast<double>(mesh.vertices_in_patches()) -
                       static_cast<double>(mesh.edges()) + static_cast<double>(mesh.faces());
  const double expected = 2 * std::numbers::pi * euler;
  run.report("total_gaussian_curvature", "total Gaussian curvature", fmt::format("{:.6g}", total),
             total);
  run.report("two_pi_euler_characteristic", "2 pi * Euler characteristic",
             fmt::format("{:.6g}", expected), expected);
  run.report_count("boundary_vertices", "boundary vertices", boundary_vertices);
  set_attribute(soup.vertex_attributes, "mean_curvature", mean);
  set_attribute(soup.vertex_attributes, "gaussian_curvature", gaussian);
}

}  // namespace

void add_curvature(CLI::App& program, const SharedFlags& flags) {
  struct Options {
    std::string input;
    std::string output;
    io::WriteOptions write;
  };
  CLI::App* command =
      program.add_subcommand("curvature", "Mean and Gaussian curvature at every vertex");
  const auto options = std::make_shared<Options>();
  command->add_option("input", options->input, "mesh to read")->required();
  add_output(*command, options->output, options->write);
  command->footer(
      "Writes the mesh with the vertex attributes mean_curvature and gaussian_curvature; PLY, VTP\n"
      "and VTU hold them. Mean curvature is positive where the surface is convex. On a manifold\n"
      "mesh the total Gaussian curvature is 2 pi times the Euler characteristic.\n"
      "Example: tessera curvature scan.obj -o bent.ply");
  command->callback([=, &flags] {
    Run run(flags);
    io::ReadResult file = run.read(options->input);
    add_curvature_attributes(run, flags, file.mesh);
    run.write(options->output, file.mesh, options->write);
    run.finish();
  });
}

}  // namespace tessera::cli
