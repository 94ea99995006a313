// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/smooth.h"

#include <map>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.h"
#include "patched_input.h"
#include "tessera/surface/bilateral.h"
#include "tessera/surface/mean_curvature_flow.h"

namespace tessera::cli {
namespace {

enum class Method { laplacian, taubin, mcf, bilateral };

struct Options {
  std::string input;
  std::string output;
  Method method = Method::taubin;
  int iterations = 0;  ///< 0: as the method does by itself
  surface::Boundary boundary = surface::Boundary::fixed;
  surface::LaplacianOptions laplacian;
  surface::MeanCurvatureFlowOptions flow;
  io::WriteOptions write;
};

void smooth(Run& run, Options& options, PatchedInput& input) {
  if (options.method == Method::laplacian) {
    options.laplacian.boundary = options.boundary;
    if (options.iterations > 0) options.laplacian.iterations = options.iterations;
    options.laplacian.progress = run.progress();
    surface::laplacian_smooth(input.mesh, input.positions, options.laplacian);
  }
  if (options.method == Method::taubin) {
    surface::TaubinOptions taubin;
    taubin.boundary = options.boundary;
    if (options.iterations > 0) taubin.iterations = options.iterations;
    taubin.progress = run.progress();
    surface::taubin_smooth(input.mesh, input.positions, taubin);
  }
  if (options.method == Method::mcf) {
    options.flow.boundary = options.boundary;
    if (options.iterations > 0) options.flow.steps = options.iterations;
    options.flow.progress = run.progress();
    options.flow.time_step = input.units.area_for_kernels(options.flow.time_step);
    const surface::MeanCurvatureFlowResult result =
        surface::mean_curvature_flow(input.mesh, input.positions, options.flow);
    const double time_step = input.units.area_in_model(result.time_step);
    run.report("time_step", "time step", fmt::format("{:.4g}", time_step), time_step);
    run.report_count("solver_iterations", "solver iterations",
                     static_cast<std::uint64_t>(result.iterations));
    run.report("residual", "residual", fmt::format("{:.2e}", result.residual), result.residual);
    if (result.stop == surface::SolverStop::max_iterations)
      run.note(
          fmt::format("the solver stopped after {} iterations, before it reached its tolerance: "
                      "take more --max-iterations, a larger --tolerance or a smaller --time-step",
                      options.flow.max_iterations));
    if (result.stop == surface::SolverStop::breakdown)
      run.note(
          "the solver stopped before it reached its tolerance, at the limit of float: take a "
          "larger --tolerance or a smaller --time-step");
  }
  if (options.method == Method::bilateral) {
    surface::BilateralOptions bilateral;
    if (options.iterations > 0) bilateral.iterations = options.iterations;
    bilateral.progress = run.progress();
    const surface::BilateralResult result =
        surface::bilateral_denoise(input.mesh, input.positions, bilateral);
    run.report_count("wide_walks", "wide walks", result.wide_walks);
  }
}

void refuse_what_the_method_does_not_use(const CLI::App& command, Method method) {
  const auto refuse = [&](const char* flag, bool used, const char* methods) {
    cli::refuse_unused(command, flag, used ? Used::yes : Used::no,
                       fmt::format("is for --method {} only", methods));
  };
  refuse("--step", method == Method::laplacian, "laplacian");
  refuse("--time-step", method == Method::mcf, "mcf");
  refuse("--tolerance", method == Method::mcf, "mcf");
  refuse("--max-iterations", method == Method::mcf, "mcf");
  refuse("--boundary", method != Method::bilateral, "laplacian, taubin or mcf");
}

}  // namespace

void add_smooth(CLI::App& program, const SharedFlags& flags) {
  const std::map<std::string, Method> methods{{"laplacian", Method::laplacian},
                                              {"taubin", Method::taubin},
                                              {"mcf", Method::mcf},
                                              {"bilateral", Method::bilateral}};
  const std::map<std::string, surface::Boundary> boundaries{{"fixed", surface::Boundary::fixed},
                                                            {"free", surface::Boundary::free}};
  CLI::App* command = program.add_subcommand("smooth", "Remove noise from the positions");
  const auto options = std::make_shared<Options>();
  command->add_option("input", options->input, "mesh to read")->required();
  add_output(*command, options->output, options->write);
  command
      ->add_option("--method", options->method,
                   "taubin (keeps the size; default), laplacian (fast, shrinks), mcf (implicit\n"
                   "mean-curvature flow) or bilateral (spares edges)")
      ->transform(one_of(methods))
      ->type_name("METHOD");
  command
      ->add_option("--iterations", options->iterations,
                   "how often (default: 10; mcf: 1; bilateral: 5)")
      ->check(whole_number(1, 1000000));
  command
      ->add_option("--step", options->laplacian.step,
                   "laplacian: how far towards the mean of the neighbours")
      ->check(number_between(0, 1))
      ->capture_default_str();
  command
      ->add_option("--time-step", options->flow.time_step,
                   "mcf: details narrower than its root go (default: 4 x mean edge length squared)")
      ->check(positive_number());
  command->add_option("--tolerance", options->flow.tolerance, "mcf: of the solver")
      ->check(positive_number())
      ->capture_default_str();
  command
      ->add_option("--max-iterations", options->flow.max_iterations,
                   "mcf: the most that the solver takes in each step")
      ->check(whole_number(1, 1000000))
      ->capture_default_str();
  command
      ->add_option("--boundary", options->boundary,
                   "fixed (default) or free: do its vertices move, which shrinks open meshes; not\n"
                   "for bilateral")
      ->transform(one_of(boundaries))
      ->type_name("HOW");
  command->footer("Example: tessera smooth scan.ply clean.ply --method mcf --time-step 0.01");
  command->callback([=, &flags] {
    refuse_what_the_method_does_not_use(*command, options->method);
    Run run(flags);
    io::ReadResult file = run.read(options->input);
    PatchedInput input(run, flags, file.mesh, "surface to smooth");
    run.stage("smooth", [&] { smooth(run, *options, input); });
    input.store_positions(file.mesh);
    run.drop_normals(file.mesh, "they do not fit the new positions");
    run.write(options->output, file.mesh, options->write);
    run.finish();
  });
}

}  // namespace tessera::cli
