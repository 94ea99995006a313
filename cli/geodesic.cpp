// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/geodesic.h"

#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.h"
#include "patched_input.h"

namespace tessera::cli {
void add_geodesic(CLI::App& program, const SharedFlags& flags) {
  struct Options {
    std::string input;
    std::string output;
    std::vector<Index> sources{0};
    surface::GeodesicOptions geodesic;
    io::WriteOptions write;
  };
  CLI::App* command =
      program.add_subcommand("geodesic", "Distance along the surface from some vertices");
  const auto options = std::make_shared<Options>();
  command->add_option("input", options->input, "mesh to read")->required();
  add_output(*command, options->output, options->write);
  command
      ->add_option("--source", options->sources,
                   "vertices to measure from, by number, from 0; several: 3,14,15")
      ->delimiter(',')
      ->check(whole_number(0, no_index))
      ->allow_extra_args(false)
      ->capture_default_str()
      ->type_name("V[,V...]");
  command
      ->add_option("--tolerance", options->geodesic.tolerance,
                   "relative change of distances that no longer counts")
      ->check(number_not_negative())
      ->capture_default_str();
  command->footer(
      "The distances are in the vertex attribute 'distance' of the output, infinite where no path\n"
      "leads to a source; PLY, VTP and VTU files can hold it.\n"
      "Example: tessera geodesic scan.obj distances.ply --source 1234");
  command->callback([=, &flags] {
    Run run(flags);
    io::ReadResult file = run.read(options->input);
    const PatchedInput input(run, flags, file.mesh, "distances along its surface");
    options->geodesic.progress = run.progress();
    const surface::GeodesicResult result = run.stage("geodesic", [&] {
      auto found = surface::geodesic_distance(input.mesh, input.positions, options->sources,
                                              options->geodesic);
      input.mesh.stream().synchronize();
      return found;
    });
    const double to_model = input.units.length_factor();
    set_attribute(file.mesh.vertex_attributes, result.distance.name(),
                  scaled(surface::attribute_to_host(input.mesh, result.distance), to_model));
    const double farthest = static_cast<double>(result.max_distance) * to_model;
    run.report_count("reached", "vertices reached", result.reached);
    run.report_count("levels", "levels", result.levels);
    run.report_count("iterations", "iterations", result.iterations);
    run.report("max_distance", "largest distance", fmt::format("{:.6g}", farthest), farthest);
    run.report("farthest_vertex", "farthest vertex", std::to_string(result.farthest_vertex),
               result.farthest_vertex);
    run.write(options->output, file.mesh, options->write);
    run.finish();
  });
}

}  // namespace tessera::cli
