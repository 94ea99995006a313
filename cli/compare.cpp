// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/compare.h"

#include <memory>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "page_output.h"
#include "patched_input.h"
#include "tessera/core/error.h"
#include "tessera/view/scene.h"

namespace tessera::cli {
namespace {

struct Options {
  std::string a;
  std::string b;
  std::string output;
  surface::CompareOptions compare;
};

std::string percent(double part, double whole) {
  return whole != 0 ? fmt::format("{:.4g} %", 100 * part / whole) : "not defined";
}

/// A line of three columns.
void report_row(Run& run, const std::string& key, const std::string& label, double a_to_b,
                double b_to_a, double both) {
  run.report(key, label, fmt::format("{:>12.6g}  {:>12.6g}  {:>12.6g}", a_to_b, b_to_a, both),
             nlohmann::ordered_json{{"a_to_b", a_to_b}, {"b_to_a", b_to_a}, {"both", both}});
}

void report_farthest(Run& run, const std::string& key, const std::string& label,
                     const surface::FarthestPoint& far) {
  const auto text = [](const Vec3d& p) {
    return fmt::format("({:.6g}, {:.6g}, {:.6g})", p[0], p[1], p[2]);
  };
  const auto json = [](const Vec3d& p) { return nlohmann::ordered_json{p[0], p[1], p[2]}; };
  run.report(key, label,
             fmt::format("{} on face {}, nearest {} on face {}", text(far.point), far.face,
                         text(far.nearest), far.other_face),
             nlohmann::ordered_json{{"point", json(far.point)},
                                    {"face", far.face},
                                    {"nearest", json(far.nearest)},
                                    {"other_face", far.other_face},
                                    {"distance", far.distance}});
}

/// What both have, and how it changes from A to B.
void report_change(Run& run, const std::string& key, double a, double b) {
  run.report(key, key, fmt::format("{:.6g} and {:.6g}, {} change", a, b, percent(b - a, a)),
             nlohmann::ordered_json{{"a", a}, {"b", b}, {"change", b - a}});
}

void report_comparison(Run& run, const surface::Comparison& result) {
  const surface::SurfaceDistance& ab = result.a_to_b;
  const surface::SurfaceDistance& ba = result.b_to_a;
  run.report("samples", "samples", grouped(ab.samples) + " and " + grouped(ba.samples),
             nlohmann::ordered_json{{"a", ab.samples}, {"b", ba.samples}});
  run.report("columns", "", fmt::format("{:>12}  {:>12}  {:>12}", "A to B", "B to A", "both"),
             nlohmann::ordered_json{"a_to_b", "b_to_a", "both"});
  report_row(run, "mean_distance", "mean distance", ab.mean, ba.mean, result.mean);
  report_row(run, "rms_distance", "RMS distance", ab.rms, ba.rms, result.rms);
  report_row(run, "max_distance", "max distance", ab.max, ba.max, result.max);
  report_row(run, "max_vertex_distance", "max distance of a vertex", ab.vertex_max, ba.vertex_max,
             ab.vertex_max < ba.vertex_max ? ba.vertex_max : ab.vertex_max);
  if (result.normals.samples > 0) {
    report_row(run, "mean_normal_deviation", "mean normal deviation (degrees)", ab.normals.mean,
               ba.normals.mean, result.normals.mean);
    report_row(run, "rms_normal_deviation", "RMS normal deviation (degrees)", ab.normals.rms,
               ba.normals.rms, result.normals.rms);
    report_row(run, "max_normal_deviation", "max normal deviation (degrees)", ab.normals.max,
               ba.normals.max, result.normals.max);
  }
  report_farthest(run, "farthest_a", "farthest of A", ab.farthest);
  report_farthest(run, "farthest_b", "farthest of B", ba.farthest);
  run.report("diagonal", "diagonal of the bounding box",
             fmt::format("{:.6g}, max distance {} of it", result.diagonal,
                         percent(result.max, result.diagonal)),
             result.diagonal);
  report_change(run, "area", result.a.area, result.b.area);
  if (result.volume_change) {
    report_change(run, "volume", *result.a.volume, *result.b.volume);
  } else {
    run.report("volume", "volume", "not defined (open or inconsistently oriented)", nullptr);
  }
}

/// How many faces of each have which quality, in shares.
void report_qualities(Run& run, const Histogram& a, const Histogram& b) {
  const auto share = [](const Histogram& h, std::size_t bin) {
    std::uint64_t all = 0;
    for (const std::uint64_t count : h.counts) all += count;
    return 100 * static_cast<double>(h.counts[bin]) / static_cast<double>(all);
  };
  run.report("quality", "quality", fmt::format("{:>12}  {:>12}", "A", "B"),
             nlohmann::ordered_json{{"a", a.counts}, {"b", b.counts}});
  for (std::size_t bin = 0; bin < a.counts.size(); ++bin) {
    const auto bins = static_cast<double>(a.counts.size());
    const double from = static_cast<double>(bin) / bins;
    run.report_text(fmt::format("  {:.1f} to {:.1f}", from, from + 1 / bins),
                    fmt::format("{:>10.2f} %  {:>10.2f} %", share(a, bin), share(b, bin)));
  }
}

/// Both meshes, coloured by their distance from each other, with what was found beside them.
void write_report(Run& run, const Options& options, const TriangleSoup& a, const TriangleSoup& b) {
  const std::vector<std::string> names = layer_names({options.a, options.b});
  Scene scene = view::empty_scene(names[0] + " and " + names[1]);
  scene.color = "distance";
  view::LayerOptions how;
  how.progress = run.progress();
  run.stage("prepare", [&] {
    scene.layers.push_back(view::make_layer(run.device(), a, names[0], how));
    scene.layers.push_back(view::make_layer(run.device(), b, names[1], how));
  });
  for (SceneLayer& layer : scene.layers) layer.info = run.lines();
  write_page(run, options.output, scene);
}

io::ReadResult read_surface(Run& run, const std::string& path) {
  io::ReadResult file = run.read(path);
  if (file.mesh.triangles.empty())
    throw InputError(path + ": a mesh without faces cannot be compared");
  return file;
}

void compare(Run& run, const SharedFlags& flags, Options& options) {
  const bool writes = !options.output.empty();
  const bool reports = is_page(options.output);
  if (reports)
    check_page(options.output);
  else if (writes)
    check_output(options.output);
  io::ReadResult a = read_surface(run, options.a);
  io::ReadResult b = read_surface(run, options.b);
  options.compare.seed = flags.seed;
  options.compare.vertex_distances = writes;
  options.compare.histogram_bins = 10;
  options.compare.progress = run.progress();
  // An error of this stage says which of the two meshes it is about.
  surface::Comparison result = run.file_stage(
      "compare", [&] { return surface::compare(run.device(), a.mesh, b.mesh, options.compare); });
  run.report("a", "A", options.a, options.a);
  run.report("b", "B", options.b, options.b);
  report_comparison(run, result);
  report_qualities(run, result.a_shape->quality, result.b_shape->quality);
  if (!writes) return;
  set_attribute(a.mesh.vertex_attributes,
                {"distance", 1, std::move(result.a_to_b.vertex_distances)});
  set_attribute(b.mesh.vertex_attributes,
                {"distance", 1, std::move(result.b_to_a.vertex_distances)});
  if (reports)
    write_report(run, options, a.mesh, b.mesh);
  else
    run.write(options.output, a.mesh, {});
}

}  // namespace

void add_compare(CLI::App& program, const SharedFlags& flags) {
  CLI::App* command = program.add_subcommand(
      "compare", "How far two surfaces are from each other, and how their normals differ");
  const auto options = std::make_shared<Options>();
  command->add_option("a", options->a, "the one mesh")->required();
  command->add_option("b", options->b, "the other mesh")->required();
  command
      ->add_option("--samples", options->compare.samples,
                   "points on each surface to measure from; 0: its vertices only")
      ->check(whole_number(0, std::uint64_t{1} << 32))
      ->capture_default_str();
  command
      ->add_option(
          "-o,--output", options->output,
          "A with the distance of its vertices (.ply, .vtp or .vtu), or a page that shows\n"
          "both (.html)")
      ->type_name("FILE");
  command->footer(
      "Distances are those of points spread evenly over one surface, and of its vertices, to the\n"
      "nearest point of the other; the larger of both maxima is the Hausdorff distance.\n"
      "Example: tessera compare scan.ply simplified.ply -o difference.html");
  command->callback([=, &flags] {
    Run run(flags);
    compare(run, flags, *options);
    run.finish();
  });
}

}  // namespace tessera::cli
