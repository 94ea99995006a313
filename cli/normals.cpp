// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/normals.h"

#include <map>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>

#include "commands.h"
#include "patched_input.h"

namespace tessera::cli {

void add_normals(CLI::App& program, const SharedFlags& flags) {
  struct Options {
    std::string input;
    std::string output;
    surface::NormalWeight weight = surface::NormalWeight::area;
    io::WriteOptions write;
  };
  const std::map<std::string, surface::NormalWeight> weights{
      {"area", surface::NormalWeight::area},
      {"angle", surface::NormalWeight::angle},
      {"max", surface::NormalWeight::max}};
  CLI::App* command = program.add_subcommand("normals", "Compute a normal for every vertex");
  const auto options = std::make_shared<Options>();
  command->add_option("input", options->input, "mesh to read")->required();
  add_output(*command, options->output, options->write);
  command
      ->add_option("--weight", options->weight,
                   "what a face counts for: its area (default), its angle at the vertex, or max\n"
                   "(after N. Max: exact on spheres)")
      ->transform(one_of(weights))
      ->type_name("WEIGHT");
  command->footer("Example: tessera normals scan.obj shaded.ply --weight angle");
  command->callback([=, &flags] {
    Run run(flags);
    io::ReadResult file = run.read(options->input);
    const PatchedInput input(run, flags, file.mesh, "normals");
    Array<Vec3f> normals = run.stage("normals", [&] {
      return surface::attribute_to_host(
          input.mesh, surface::vertex_normals(input.mesh, input.positions, options->weight));
    });
    set_attribute(file.mesh.vertex_attributes, "normal", normals);
    run.write(options->output, file.mesh, options->write);
    run.finish();
  });
}

}  // namespace tessera::cli
