// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <memory>

#include <CLI/CLI.hpp>

#include "commands.h"

namespace tessera::cli {

void add_convert(CLI::App& program, const SharedFlags& flags) {
  struct Options {
    std::string input;
    std::string output;
    io::WriteOptions write;
  };
  CLI::App* command =
      program.add_subcommand("convert", "Read a mesh and write it in another format");
  const auto options = std::make_shared<Options>();
  command->add_option("input", options->input, "mesh to read")->required();
  add_output(*command, options->output, options->write);
  command->footer(
      "The formats are known by their file names' endings. Polygons become triangles; attributes\n"
      "go along where the new format has room for them, and a note says where it has not.");
  command->callback([=, &flags] {
    Run run(flags);
    const io::ReadResult file = run.read(options->input);
    run.report("input", "read", options->input, options->input);
    if (file.polygons > 0) run.report_count("polygons", "polygons triangulated", file.polygons);
    run.write(options->output, file.mesh, options->write);
    run.finish();
  });
}

}  // namespace tessera::cli
