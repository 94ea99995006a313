// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.h"
#include "patched_input.h"
#include "tessera/surface/patched_mesh.h"

namespace tessera::cli {

void add_patch(CLI::App& program, const SharedFlags& flags) {
  struct Options {
    std::string input;
    std::string output;
    surface::PatchOptions patch;
    io::WriteOptions write;
  };
  CLI::App* command = program.add_subcommand("patch",
                                             "Cut a mesh into patches, as normals, smooth, "
                                             "geodesic and curvature do, and say how that went");
  const auto options = std::make_shared<Options>();
  command->add_option("input", options->input, "mesh to read")->required();
  add_output(*command, options->output, options->write, Need::optional);
  command
      ->add_option("--patch-faces", options->patch.patch_faces,
                   "the most faces in a patch, 16 to 8192")
      ->check(whole_number(16, 8192))
      ->capture_default_str();
  command->footer(
      "With an output file the faces have an attribute \"patch\" (PLY, VTU and VTP keep it).\n"
      "Example: tessera patch bunny.obj patches.ply --patch-faces 512 --json");
  command->callback([=, &flags] {
    Run run(flags);
    io::ReadResult file = run.read(options->input);
    options->patch.seed = flags.seed;
    options->patch.progress = run.progress();
    const surface::PatchedMesh mesh = run.stage(
        "patch", [&] { return surface::PatchedMesh(run.device(), file.mesh, options->patch); });
    const surface::PatchStatistics& s = mesh.statistics();
    run.report_count("faces", "faces", mesh.faces());
    run.report_count("patches", "patches", s.patches);
    run.report_count("max_patch_faces", "largest patch", s.max_patch_faces);
    run.report("ribbon_ratio", "ribbon ratio", fmt::format("{:.4f}", s.ribbon_ratio),
               s.ribbon_ratio);
    run.report("bytes_per_face", "bytes a face", fmt::format("{:.2f}", s.bytes_per_face),
               s.bytes_per_face);
    run.report("seconds_patching", "patching", fmt::format("{:.4f} s", s.seconds_patching),
               s.seconds_patching);
    run.report("seconds_total", "whole time", fmt::format("{:.4f} s", s.seconds_total),
               s.seconds_total);
    if (!options->output.empty()) {
      set_attribute(file.mesh.face_attributes, {"patch", 1, mesh.patch_of_input_faces()});
      run.write(options->output, file.mesh, options->write);
    }
    run.finish();
  });
}

}  // namespace tessera::cli
