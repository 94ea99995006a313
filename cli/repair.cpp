// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/repair.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "commands.h"

namespace tessera::cli {

void add_repair(CLI::App& program, const SharedFlags& flags) {
  struct Options {
    std::string input;
    std::string output;
    surface::RepairOptions repair;
    io::WriteOptions write;
  };
  CLI::App* command = program.add_subcommand(
      "repair", "Remove what you name from a mesh, and report how much of it there was");
  const auto options = std::make_shared<Options>();
  command->add_option("input", options->input, "mesh to read")->required();
  add_output(*command, options->output, options->write);
  surface::RepairOptions& repair = options->repair;
  command->add_flag("--degenerate", repair.degenerate, "remove faces without area");
  command->add_flag("--duplicate", repair.duplicate,
                    "remove faces that have the vertices of an earlier one");
  command->add_flag("--split-non-manifold", repair.split_non_manifold,
                    "copy vertices until the mesh is manifold, opening it at non-manifold edges");
  command->add_flag("--orient", repair.orient,
                    "turn faces over until neighbours agree and closed parts face outwards");
  CLI::Option* fill_holes =
      command->add_flag("--fill-holes", repair.fill_holes, "close boundary loops with triangles");
  command
      ->add_option("--max-hole-edges", repair.max_hole_edges,
                   "leave holes of more edges open; 0: fill all")
      ->check(whole_number(0))
      ->needs(fill_holes)
      ->capture_default_str();
  command->add_flag("--unreferenced", repair.unreferenced, "remove vertices without faces");
  command->footer(
      "Steps are taken in the order above. Without any, the mesh is copied as it is.\n"
      "Example: tessera repair scan.ply clean.ply --degenerate --duplicate --orient --fill-holes");
  command->callback([=, &flags] {
    Run run(flags);
    io::ReadResult file = run.read(options->input);
    options->repair.progress = run.progress();
    const bool has_ridges = !file.mesh.ridges.empty();
    const auto result = run.stage(
        "repair", [&] { return surface::repair(run.device(), file.mesh, options->repair); });
    if (result.faces_flipped > 0)
      run.drop_normals(file.mesh, "they do not fit the faces that were turned over");
    if (has_ridges && file.mesh.ridges.empty()) run.note("ridges of the input were dropped");
    const surface::RepairOptions& asked = options->repair;
    if (asked.degenerate)
      run.report_count("degenerate_removed", "degenerate faces removed", result.degenerate_removed);
    if (asked.duplicate)
      run.report_count("duplicates_removed", "duplicate faces removed", result.duplicates_removed);
    if (asked.split_non_manifold)
      run.report_count("vertices_added", "vertices added by splitting", result.vertices_added);
    if (asked.orient) {
      run.report_count("faces_flipped", "faces turned over", result.faces_flipped);
      run.report_count("non_orientable_components", "non-orientable components left",
                       result.non_orientable_components);
    }
    if (asked.fill_holes) {
      run.report_count("holes_filled", "holes filled", result.holes_filled);
      run.report_count("holes_skipped", "holes left open", result.holes_skipped);
      run.report_count("faces_added", "faces added in holes", result.faces_added);
    }
    if (asked.unreferenced)
      run.report_count("unreferenced_removed", "unreferenced vertices removed",
                       result.unreferenced_removed);
    run.write(options->output, file.mesh, options->write);
    run.finish();
  });
}

}  // namespace tessera::cli
