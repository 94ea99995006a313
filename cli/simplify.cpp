// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/simplify.h"

#include <cmath>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.h"

namespace tessera::cli {

void add_simplify(CLI::App& program, const SharedFlags& flags) {
  struct Options {
    std::string input;
    std::string output;
    std::uint64_t faces = 0;
    double ratio = 0.1;
    int fitting_steps = 0;
    io::WriteOptions write;
  };
  CLI::App* command =
      program.add_subcommand("simplify", "Fewer faces of the same shape, by quadric errors");
  const auto options = std::make_shared<Options>();
  command->add_option("input", options->input, "mesh to read")->required();
  add_output(*command, options->output, options->write);
  CLI::Option* faces = command->add_option("--faces", options->faces, "how many are to be left")
                           ->check(whole_number(0, no_index));
  command->add_option("--ratio", options->ratio, "what share of them is to be left")
      ->check(number_between(0, 1))
      ->capture_default_str()
      ->excludes(faces);
  command
      ->add_option(
          "--fit", options->fitting_steps,
          "steps that move vertices to where the faces are nearest to the input; 3 do most")
      ->check(whole_number(0, 1000))
      ->capture_default_str();
  command->footer(
      "Borders and the topology are kept; where a mesh is not a manifold, it stays as it is.\n"
      "Examples: tessera simplify scan.stl small.ply --faces 100000\n"
      "          tessera simplify scan.stl close.ply --ratio 0.3 --fit 3");
  command->callback([=, &flags] {
    Run run(flags);
    io::ReadResult file = run.read_faces(options->input);
    run.drop_normals(file.mesh, "vertices are replaced");
    surface::SimplifyOptions simplify;
    simplify.faces = faces->count() > 0
                         ? options->faces
                         : static_cast<std::uint64_t>(std::ceil(
                               options->ratio * static_cast<double>(file.mesh.triangles.size())));
    simplify.fitting_steps = options->fitting_steps;
    simplify.progress = run.progress();
    const surface::SimplifyResult result =
        run.stage("simplify", [&] { return surface::simplify(run.device(), file.mesh, simplify); });
    if (result.mesh.triangles.size() > simplify.faces + simplify.faces / 100 + 1 &&
        simplify.faces < file.mesh.triangles.size())
      run.note(fmt::format("{} faces are left, not {}: the topology allows no fewer",
                           result.mesh.triangles.size(), simplify.faces));
    run.report_count("collapses", "edges collapsed", result.collapses);
    if (options->fitting_steps > 0) {
      run.report("distance_before_fit", "distance of the faces from the input before fitting",
                 fmt::format("{:.4g}", result.fit.before), result.fit.before);
      run.report("distance_after_fit", "distance of the faces from the input after fitting",
                 fmt::format("{:.4g}", result.fit.after), result.fit.after);
    }
    run.write(options->output, result.mesh, options->write);
    run.finish();
  });
}

}  // namespace tessera::cli
