// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.h"
#include "metric_flags.h"
#include "tessera/remesh/adapt.h"
#include "tessera/surface/analysis.h"
#include "tessera/surface/compare.h"
#include "tessera/surface/delaunay.h"
#include "tessera/surface/isotropic_remesh.h"

namespace tessera::cli {

namespace {

struct RemeshOptions {
  std::string input;
  std::string output;
  surface::IsotropicRemeshOptions isotropic;
  MetricFlags metric;
  int rounds = remesh::AdaptOptions{}.rounds;
  std::string tolerance;
  io::WriteOptions write;
};

// Measured, with the tree of the input and everything twice while it grows.
constexpr double bytes_a_face = 500;

TriangleSoup remesh_isotropic(Run& run, const RemeshOptions& options, const TriangleSoup& mesh) {
  surface::IsotropicRemeshOptions isotropic = options.isotropic;
  isotropic.progress = run.progress();
  surface::IsotropicRemeshResult result = run.stage("remesh", [&] {
    const exec::Device& device = run.device();
    constexpr double of_equilateral = 0.433;  // its area, of the square of its side
    const double length = isotropic.length;
    if (length > 0)
      Run::require_memory(device,
                          surface::analyze(device, mesh).area / (of_equilateral * length * length),
                          "faces with such edges", bytes_a_face);
    return surface::isotropic_remesh(device, mesh, isotropic);
  });
  const surface::IsotropicRemeshReport& done = result.report;
  run.report("edge_length", "wanted edge length", fmt::format("{:.6g}", done.length), done.length);
  run.report_count("splits", "edges split", done.splits);
  run.report_count("collapses", "edges collapsed", done.collapses);
  run.report_count("flips", "edges flipped", done.flips);
  return std::move(result.mesh);
}

void report_distance(Run& run, const std::string& key, const std::string& label,
                     const surface::SurfaceDistance& distance) {
  run.report(key + "_mean", label + ", mean", fmt::format("{:.4g}", distance.mean), distance.mean);
  run.report(key + "_max", label + ", max", fmt::format("{:.4g}", distance.max), distance.max);
}

void report_rounds(Run& run, const std::vector<remesh::AdaptRound>& rounds) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const remesh::AdaptRound& round : rounds)
    all.push_back({{"mean_quality", round.mean_quality},
                   {"unit_edges_percent", 100 * round.unit_edges},
                   {"error", round.error}});
  run.report("rounds", "round", "quality  as long as wanted  error", all);
  for (std::size_t i = 0; i < rounds.size(); ++i)
    run.report_text(fmt::format("  {}", i + 1),
                    fmt::format("{:7.3f}  {:15.1f} %  {:.4g}", rounds[i].mean_quality,
                                100 * rounds[i].unit_edges, rounds[i].error));
}

/// The share of faces in each bin, but for those at the bottom that are empty.
void report_qualities(Run& run, const Histogram& qualities) {
  const std::vector<std::uint64_t>& counts = qualities.counts;
  run.report("quality_histogram", "quality", "share of faces", counts);
  const auto faces = static_cast<double>(std::accumulate(counts.begin(), counts.end(), 0ULL));
  const auto first = std::find_if(counts.begin(), counts.end(), [](auto n) { return n > 0; });
  for (auto bin = first; bin != counts.end(); ++bin) {
    const double width = qualities.max / static_cast<double>(counts.size());
    const double from = width * static_cast<double>(bin - counts.begin());
    run.report_text(fmt::format("  {:.1f} to {:.1f}", from, from + width),
                    fmt::format("{:.2f} %", 100 * static_cast<double>(*bin) / faces));
  }
}

/// What of a mesh stays as it is, or keeps it from being remeshed at all.
void check_shape(Run& run, const std::string& path, const TriangleSoup& mesh) {
  const surface::MeshInfo info =
      run.stage("check", [&] { return surface::analyze(run.device(), mesh); });
  if (!(info.mean_edge_length > 0) || !std::isfinite(info.mean_edge_length))
    throw InputError(path + ": its edges have no length, or one that is too large for a number");
  if (info.non_manifold_edges > 0)
    run.note(fmt::format(
        "{}: {} edges of more than two faces stay as they are; 'tessera repair' can split them",
        path, info.non_manifold_edges));
}

/// Where that is many more than wanted.
void note_points(Run& run, std::uint64_t wanted, std::size_t points) {
  constexpr double noticeable = 1.25;
  if (wanted > 0 && static_cast<double>(points) > noticeable * static_cast<double>(wanted))
    run.note(
        fmt::format("{} points, not {}: ridges, borders or sizes that change fast leave no fewer",
                    points, wanted));
}

TriangleSoup adapt_to_metric(Run& run, const RemeshOptions& options, const TriangleSoup& mesh) {
  const remesh::MetricResult metric = make_metric(run, options.metric, mesh);
  report_metric(run, metric.report);
  remesh::AdaptOptions adapt;
  adapt.rounds = options.rounds;
  adapt.tolerance = length_of(run, options.tolerance, mesh);
  adapt.ridge_angle = options.metric.ridge_angle;
  std::string stage = "adapting";
  adapt.progress = [&stage, bar = run.progress()](std::string_view, double fraction) {
    return bar(stage, fraction);
  };
  std::vector<remesh::AdaptRound> rounds;
  adapt.on_round = [&](const remesh::AdaptRound& round) {
    rounds.push_back(round);
    stage = fmt::format("round {} of {}, quality {:.3f}, error {:.3g}", rounds.size(), adapt.rounds,
                        round.mean_quality, round.error);
  };
  remesh::AdaptResult result = run.stage("remesh", [&] {
    Run::require_memory(run.device(),
                        2 * metric.report.points + static_cast<double>(mesh.triangles.size()),
                        "faces, the input's and those with such edges", bytes_a_face);
    return remesh::adapt(run.device(), mesh, metric.field, adapt);
  });
  const remesh::AdaptReport& done = result.report;
  report_rounds(run, rounds);
  run.report_count("points", "points", result.mesh.positions.size());
  note_points(run, options.metric.points, result.mesh.positions.size());
  run.report_count("splits", "edges split", done.splits);
  run.report_count("collapses", "edges collapsed", done.collapses);
  run.report_count("flips", "edges flipped", done.flips);
  if (adapt.tolerance > 0)
    run.report_count("beyond_tolerance", "edges farther from the input than the tolerance",
                     done.beyond_tolerance);
  run.report("unit_edges_percent", "edges as long as wanted",
             fmt::format("{:.1f} %", 100 * done.unit_edges), 100 * done.unit_edges);
  run.report("mean_quality", "mean quality", fmt::format("{:.3f}", done.mean_quality),
             done.mean_quality);
  run.report("least_quality", "least quality", fmt::format("{:.3f}", done.least_quality),
             done.least_quality);
  report_qualities(run, done.qualities);
  const std::pair<const char*, double> parts[] = {
      {"set_up", done.seconds.set_up},         {"splitting", done.seconds.splitting},
      {"collapsing", done.seconds.collapsing}, {"flipping", done.seconds.flipping},
      {"smoothing", done.seconds.smoothing},   {"rest", done.seconds.rest},
      {"choosing", done.seconds.choosing}};
  for (const auto& [name, seconds] : parts)
    run.report(std::string(name) + "_seconds", fmt::format("seconds, {}", name),
               fmt::format("{:.3f}", seconds), seconds);
  surface::CompareOptions compare;
  compare.samples = 200'000;
  compare.progress = run.progress();
  const surface::Comparison distance = run.stage(
      "compare", [&] { return surface::compare(run.device(), mesh, result.mesh, compare); });
  report_distance(run, "distance_from_input", "distance of the result from the input",
                  distance.b_to_a);
  report_distance(run, "distance_to_input", "distance of the input from the result",
                  distance.a_to_b);
  return std::move(result.mesh);
}

}  // namespace

void add_remesh(CLI::App& program, const SharedFlags& flags) {
  CLI::App* command = program.add_subcommand(
      "remesh", "Make triangles well shaped, of one size or of sizes that a metric asks for");
  const auto options = std::make_shared<RemeshOptions>();
  command->add_option("input", options->input, "mesh to read")->required();
  add_output(*command, options->output, options->write);
  command
      ->add_option("--length", options->isotropic.length,
                   "that edges are to have; without it the mean of the input's")
      ->check(positive_number());
  command->add_option("--iterations", options->isotropic.iterations, "more make better triangles")
      ->check(whole_number(0, 1000))
      ->capture_default_str();
  command
      ->add_option("--smoothing-steps", options->isotropic.smoothing_steps,
                   "in each iteration; fewer stay closer to the input")
      ->check(whole_number(0, 100))
      ->capture_default_str();
  command
      ->add_option("--fidelity", options->isotropic.fidelity,
                   "0: the best triangles; more: closer to the input")
      ->check(number_between(0, 1e9))
      ->capture_default_str();
  add_metric_flags(*command, options->metric);
  command
      ->add_option("--rounds", options->rounds, "with a metric: of splits, collapses, flips, moves")
      ->check(whole_number(0, 1000))
      ->capture_default_str();
  add_length(
      *command, "--tolerance", options->tolerance,
      "with a metric: edges that leave the input by more are split in the end: a length, or\n"
      "with % a part of the diagonal");
  command->footer(
      "Borders, ridges and the topology are kept; where a mesh is not a manifold, it stays as it "
      "is.\nWith --size, --points, --error, --field or --metric, edges are as long as that asks "
      "for, "
      "points\nlie on a smooth surface through the input's, and the report says how well it went; "
      "--iterations,\n--smoothing-steps and --fidelity are for --length, which is the faster way "
      "to one size;\n--ridge-angle is 60 for it if not given.\n"
      "Examples: tessera remesh scan.stl even.ply --length 0.5 --iterations 5\n"
      "          tessera remesh scan.stl few.ply --error 0.1% --anisotropic --points 20000");
  command->callback([=, &flags] {
    if (options->metric.ask()) {
      for (const char* other : {"--length", "--iterations", "--smoothing-steps", "--fidelity"})
        if (command->count(other) > 0)
          throw CLI::ValidationError(
              other, fmt::format("is not for remeshing with {}", metric_flags_that_ask));
      check_metric_flags(*command, options->metric);
    } else {
      for (const char* other : {"--hmin", "--hmax", "--anisotropic", "--gradation", "--field-error",
                                "--rounds", "--tolerance"})
        if (command->count(other) > 0)
          throw CLI::ValidationError(other, fmt::format("needs {}", metric_flags_that_ask));
      if (command->count("--ridge-angle") > 0)
        options->isotropic.ridge_angle = options->metric.ridge_angle;
    }
    Run run(flags);
    io::ReadResult file = run.read_faces(options->input);
    run.drop_normals(file.mesh, "vertices are replaced");
    take_ridges(run, options->metric, file.mesh);
    check_shape(run, options->input, file.mesh);
    const TriangleSoup mesh = options->metric.ask() ? adapt_to_metric(run, *options, file.mesh)
                                                    : remesh_isotropic(run, *options, file.mesh);
    run.write(options->output, mesh, options->write);
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
