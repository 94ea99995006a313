// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.h"
#include "tessera/surface/analysis.h"
#include "tessera/surface/delaunay.h"
#include "tessera/surface/isotropic_remesh.h"

namespace tessera::cli {

void add_remesh(CLI::App& program, const SharedFlags& flags) {
  struct Options {
    std::string input;
    std::string output;
    surface::IsotropicRemeshOptions remesh;
    io::WriteOptions write;
  };
  CLI::App* command = program.add_subcommand(
      "remesh", "Make the triangles of a mesh nearly equilateral and of one size");
  const auto options = std::make_shared<Options>();
  command->add_option("input", options->input, "mesh to read")->required();
  add_output(*command, options->output, options->write);
  command
      ->add_option("--length", options->remesh.length,
                   "that edges are to have; without it the mean of the input's")
      ->check(positive_number());
  command->add_option("--iterations", options->remesh.iterations, "more make better triangles")
      ->check(whole_number(0, 1000))
      ->capture_default_str();
  command
      ->add_option("--ridge-angle", options->remesh.ridge_angle,
                   "edges whose faces turn by more degrees stay edges")
      ->check(number_between(0, 180))
      ->capture_default_str();
  command
      ->add_option("--smoothing-steps", options->remesh.smoothing_steps,
                   "in each iteration; fewer stay closer to the input")
      ->check(whole_number(0, 100))
      ->capture_default_str();
  command
      ->add_option("--fidelity", options->remesh.fidelity,
                   "0: the best triangles; more: closer to the input")
      ->check(number_between(0, 1e9))
      ->capture_default_str();
  command->footer(
      "Borders, ridges and the topology are kept; where a mesh is not a manifold, it stays as it "
      "is.\nExample: tessera remesh scan.stl even.ply --length 0.5 --iterations 5");
  command->callback([=, &flags] {
    Run run(flags);
    io::ReadResult file = run.read_faces(options->input);
    run.drop_normals(file.mesh, "vertices are replaced");
    options->remesh.progress = run.progress();
    const surface::IsotropicRemeshResult result = run.stage("remesh", [&] {
      const exec::Device& device = run.device();
      // Measured, with the tree of the input and everything twice while it grows.
      constexpr double bytes_a_face = 500;
      constexpr double of_equilateral = 0.433;  // its area, of the square of its side
      const double length = options->remesh.length;
      if (length > 0)
        Run::require_memory(
            device, surface::analyze(device, file.mesh).area / (of_equilateral * length * length),
            "faces with such edges", bytes_a_face);
      return surface::isotropic_remesh(device, file.mesh, options->remesh);
    });
    const surface::IsotropicRemeshReport& done = result.report;
    run.report("edge_length", "wanted edge length", fmt::format("{:.6g}", done.length),
               done.length);
    run.report_count("splits", "edges split", done.splits);
    run.report_count("collapses", "edges collapsed", done.collapses);
    run.report_count("flips", "edges flipped", done.flips);
    run.write(options->output, result.mesh, options->write);
    run.finish();
  });
}

void add_delaunay(CLI::App& program, const SharedFlags& flags) {
  struct Options {
    std::string input;
    std::string output;
    surface::DelaunayOptions delaunay;
    io::WriteOptions write;
  };
  CLI::App* command = program.add_subcommand(
      "delaunay", "Flip edges until the angles opposite to each sum up to at most 180 degrees");
  const auto options = std::make_shared<Options>();
  command->add_option("input", options->input, "mesh to read")->required();
  add_output(*command, options->output, options->write);
  command
      ->add_option("--ridge-angle", options->delaunay.ridge_angle,
                   "edges whose faces turn by more degrees stay edges")
      ->check(number_between(0, 180))
      ->capture_default_str();
  command->footer("Vertices stay where they are.\nExample: tessera delaunay scan.stl better.ply");
  command->callback([=, &flags] {
    Run run(flags);
    io::ReadResult file = run.read_faces(options->input);
    run.drop_normals(file.mesh, "faces are replaced");
    options->delaunay.progress = run.progress();
    TriangleSoup mesh;
    const surface::DelaunayReport report = run.stage("delaunay", [&] {
      surface::DynamicMesh dynamic(run.device(), file.mesh);
      const surface::DelaunayReport done = surface::make_delaunay(dynamic, options->delaunay);
      mesh = dynamic.to_soup();
      return done;
    });
    run.report_count("flips", "edges flipped", report.flips);
    run.report_count("violating_edges", "edges that cannot be flipped", report.violating);
    run.write(options->output, mesh, options->write);
    run.finish();
  });
}

}  // namespace tessera::cli
