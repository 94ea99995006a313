// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "metric_flags.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "tessera/core/box.h"
#include "tessera/io/sol.h"

namespace tessera::cli {
namespace {

/// A number, or one with "%" behind it.
struct Measure {
  double number = 0;
  bool is_percent = false;

  static Measure of(const std::string& text) {
    const bool is_percent = !text.empty() && text.back() == '%';
    return {std::stod(text), is_percent};
  }
  double in(double whole) const { return is_percent ? number / 100 * whole : number; }
};

CLI::Validator positive_measure() {
  return {[](std::string& input) {
            std::string number = input;
            if (!number.empty() && number.back() == '%') number.pop_back();
            return positive_number()(number);
          },
          ""};
}

double diagonal_of(const TriangleSoup& mesh) {
  Box box;
  for (const Vec3d& p : mesh.positions) box.add(p);
  return mesh.positions.empty() ? 0 : length(box.max - box.min);
}

/// The names of what can be a metric, for people who mistyped one.
std::string names_of(const Attributes& attributes) {
  std::string names;
  for (const Attribute& a : attributes)
    if (a.components == 1 || a.components == 6) names += (names.empty() ? "" : ", ") + a.name;
  return names.empty() ? "there is none" : "there are: " + names;
}

const Attribute& attribute_of(const TriangleSoup& mesh, const std::string& name) {
  if (const Attribute* found = find(mesh.vertex_attributes, name)) return *found;
  throw InputError(fmt::format("no vertex attribute is called '{}'; {}", name,
                               names_of(mesh.vertex_attributes)));
}

/// The only field of a file, which is called like the file from then on.
Attribute read_metric(Run& run, const std::string& path, const TriangleSoup& mesh) {
  io::ReadOptions options;
  options.progress = run.progress();
  Attributes fields =
      run.file_stage("read", [&] { return io::read_sol(path, mesh.positions.size(), options); });
  if (fields.size() != 1)
    throw InputError(fmt::format("{}: it has {} fields; a metric is one of 1 or 6 numbers", path,
                                 fields.size()));
  fields[0].name = path;
  return std::move(fields[0]);
}

}  // namespace

void add_metric_flags(CLI::App& command, MetricFlags& flags) {
  command.add_option("--size", flags.size, "edges of this length, everywhere or at most")
      ->check(positive_number());
  command
      .add_option("--points", flags.points,
                  "about how many points to end up with; lengths are scaled to fit")
      ->check(whole_number(1));
  command
      .add_option("--error", flags.error,
                  "how far edges may leave the surface: a length, or with % a part of the diagonal "
                  "of\nthe box around the mesh; edges are short where the surface bends")
      ->check(positive_measure())
      ->type_name("LENGTH");
  command
      .add_option("--metric", flags.metrics,
                  "a metric of 1 or 6 numbers at each vertex: a .sol file or the name of a vertex\n"
                  "attribute; may be given several times")
      ->type_name("FILE.sol|NAME")
      ->expected(1)
      ->take_all();
  command.add_option("--hmin", flags.hmin, "no edges shorter than this")->check(positive_number());
  command.add_option("--hmax", flags.hmax, "no edges longer than this")->check(positive_number());
  command.add_flag("--anisotropic", flags.anisotropic,
                   "stretched triangles: longer edges in directions in which less bends");
  command
      .add_option("--gradation", flags.gradation,
                  "how fast edges may grow, from one to the next; 0 or 1: without limit")
      ->check(number_between(0, 1e9))
      ->capture_default_str();
  command
      .add_option("--ridge-angle", flags.ridge_angle,
                  "edges whose faces turn by more degrees are ridges, no curvature")
      ->check(number_between(0, 180))
      ->capture_default_str();
}

void check_metric_flags(const MetricFlags& flags) {
  const auto refuse = [](const char* flag, const char* why) {
    throw CLI::ValidationError(flag, why);
  };
  if (flags.size == 0 && flags.points == 0 && flags.error.empty() && flags.metrics.empty())
    refuse("metric", "say how long edges are to be: --size, --points, --error or --metric");
  if (flags.size > 0 && flags.points > 0)
    refuse("--points", "contradicts --size; give one of them");
  if (flags.anisotropic && flags.error.empty())
    refuse("--anisotropic", "needs --error: directions come from the way a surface bends");
  if (flags.hmax > 0 && flags.hmin > flags.hmax)
    refuse("--hmin", "is above --hmax; give a smaller one");
  if (flags.gradation > 0 && flags.gradation < 1)
    refuse("--gradation", "must be 1 or more, or 0 for no limit");
}

remesh::MetricResult make_metric(Run& run, const MetricFlags& flags, const TriangleSoup& mesh) {
  check_metric_flags(flags);
  remesh::MetricRecipe recipe;
  recipe.size = flags.size;
  recipe.points = static_cast<double>(flags.points);
  recipe.smallest = flags.hmin;
  recipe.largest = flags.hmax;
  recipe.stretch = flags.anisotropic ? remesh::Stretch::along : remesh::Stretch::none;
  recipe.gradation = flags.gradation;
  recipe.ridge_angle = flags.ridge_angle;
  recipe.progress = run.progress();
  for (const std::string& name : flags.metrics)
    if (io::is_sol(name)) recipe.metrics.push_back(read_metric(run, name, mesh));
  return run.stage("metric", [&] {
    for (const std::string& name : flags.metrics)
      if (!io::is_sol(name)) recipe.metrics.push_back(attribute_of(mesh, name));
    if (!flags.error.empty()) recipe.error = Measure::of(flags.error).in(diagonal_of(mesh));
    return remesh::make_metric(run.device(), mesh, recipe);
  });
}

void report_metric(Run& run, const remesh::MetricReport& report) {
  run.report_count("expected_points", "points expected",
                   static_cast<std::uint64_t>(std::llround(report.points)));
  run.report("smallest_size", "smallest size", fmt::format("{:.6g}", report.smallest),
             report.smallest);
  run.report("largest_size", "largest size", fmt::format("{:.6g}", report.largest), report.largest);
  run.report("largest_aspect", "largest aspect", fmt::format("{:.3g}", report.aspect),
             report.aspect);
  run.report_count("shortened_by_gradation", "shortened by gradation", report.gradation.shortened);
}

}  // namespace tessera::cli
