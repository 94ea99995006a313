// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "metric_flags.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "tessera/io/ridges.h"
#include "tessera/io/sol.h"
#include "tessera/surface/face_box.h"

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

/// What is given at the vertices of a mesh, by an attribute of it or in a `.sol` file.
struct Given {
  const char* what;             ///< "metric"
  const char* numbers;          ///< how many at a vertex, in words
  std::vector<int> components;  ///< the same

  bool can_be(const Attribute& attribute) const {
    return std::find(components.begin(), components.end(), attribute.components) !=
           components.end();
  }
};
const Given& given_metric() {
  static const Given given{"metric", "1 or 6 numbers", {1, 6}};
  return given;
}
const Given& given_field() {
  static const Given given{"field", "1 number", {1}};
  return given;
}

/// The names of what it can be, for people who mistyped one.
std::string names_of(const Given& given, const Attributes& attributes) {
  std::string names;
  for (const Attribute& a : attributes)
    if (given.can_be(a)) names += (names.empty() ? "" : ", ") + a.name;
  return names.empty() ? "there is none" : "there are: " + names;
}

/// The only field of a file, which is called like the file from then on.
Attribute read_given(Run& run, const Given& given, const std::string& path,
                     const TriangleSoup& mesh) {
  io::ReadOptions options;
  options.progress = run.progress();
  Attributes fields =
      run.file_stage("read", [&] { return io::read_sol(path, mesh.positions.size(), options); });
  if (fields.size() != 1 || !given.can_be(fields[0]))
    throw InputError(fmt::format("{}: it has {}; a {} is one of {}", path,
                                 fields.size() == 1
                                     ? fmt::format("{} numbers a vertex", fields[0].components)
                                     : fmt::format("{} fields", fields.size()),
                                 given.what, given.numbers));
  fields[0].name = path;
  return std::move(fields[0]);
}

/// By the name of a file or an attribute.
Attribute attribute_of(Run& run, const Given& given, const std::string& name,
                       const TriangleSoup& mesh) {
  if (io::is_sol(name)) return read_given(run, given, name, mesh);
  return run.stage("metric", [&] {
    if (const Attribute* found = find(mesh.vertex_attributes, name)) return *found;
    throw InputError(fmt::format("no vertex attribute is called '{}'; {}", name,
                                 names_of(given, mesh.vertex_attributes)));
  });
}

VertexPair in_order(Index a, Index b) {
  return a < b ? VertexPair{a, b} : VertexPair{b, a};
}
bool is_before(const VertexPair& a, const VertexPair& b) {
  return a[0] != b[0] ? a[0] < b[0] : a[1] < b[1];
}

/// Throws InputError, naming the file of the ridges, if one is no edge of a face.
void check_are_edges(const std::string& path, const TriangleSoup& mesh,
                     const Array<VertexPair>& ridges) {
  std::vector<VertexPair> wanted;
  for (const VertexPair& ridge : ridges) wanted.push_back(in_order(ridge[0], ridge[1]));
  std::sort(wanted.begin(), wanted.end(), is_before);
  std::vector<bool> are_found(wanted.size());
  for (const Triangle& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) {
      const auto [first, last] =
          std::equal_range(wanted.begin(), wanted.end(), in_order(t[k], t[(k + 1) % 3]), is_before);
      std::fill(are_found.begin() + (first - wanted.begin()),
                are_found.begin() + (last - wanted.begin()), true);
    }
  const auto missing = std::find(are_found.begin(), are_found.end(), false);
  if (missing == are_found.end()) return;
  const VertexPair& ridge = wanted[static_cast<std::size_t>(missing - are_found.begin())];
  throw InputError(fmt::format("{}: vertices {} and {} have no edge of the mesh between them", path,
                               ridge[0] + 1, ridge[1] + 1));
}

}  // namespace

CLI::Option* add_length(CLI::App& command, const std::string& name, std::string& text,
                        const std::string& description) {
  return command.add_option(name, text, description)
      ->check(positive_measure())
      ->type_name("LENGTH");
}

double length_of(Run& run, const std::string& text, const TriangleSoup& mesh) {
  if (text.empty()) return 0;
  const Measure measure = Measure::of(text);
  if (!measure.is_percent) return measure.number;
  const double diagonal = surface::diagonal_of_faces(run.device(), mesh);
  if (!(diagonal > 0))
    throw InputError(fmt::format("all faces are in one place: {} of its size is nothing", text));
  return measure.in(diagonal);
}

void add_metric_flags(CLI::App& command, MetricFlags& flags) {
  command.add_option("--size", flags.size, "edges of this length, everywhere or at most")
      ->check(positive_number());
  command
      .add_option("--points", flags.points,
                  "about how many points to end up with; lengths are scaled to fit")
      ->check(whole_number(1));
  add_length(command, "--error", flags.error,
             "how far edges may leave the surface: a length, or with % a part of the diagonal of\n"
             "the box around the mesh; edges are short where the surface bends");
  command
      .add_option("--field", flags.fields,
                  "a number at each vertex: a vertex attribute's name or a .sol file; edges are "
                  "short\nwhere it bends; may be given several times")
      ->type_name("NAME|FILE.sol")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option(
          "--field-error", flags.field_error,
          "how far what is linear on an edge may be from a field: in its unit, or with % a\n"
          "part of its range")
      ->check(positive_measure())
      ->type_name("ERROR")
      ->capture_default_str();
  command
      .add_option("--metric", flags.metrics,
                  "a metric of 1 or 6 numbers at each vertex: a .sol file or the name of a vertex\n"
                  "attribute; may be given several times")
      ->type_name("FILE.sol|NAME")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option("--hmin", flags.hmin,
                  "no shorter edges are asked for; single ones have half of that")
      ->check(positive_number());
  command
      .add_option("--hmax", flags.hmax, "no longer edges are asked for; single ones have half more")
      ->check(positive_number());
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
  command
      .add_option("--ridges", flags.ridges,
                  "edges that are ridges whatever their angle: two vertex numbers, from 1, a line")
      ->type_name("FILE");
}

void check_metric_flags(const CLI::App& command, const MetricFlags& flags) {
  const auto refuse = [](const char* flag, const std::string& why) {
    throw CLI::ValidationError(flag, why);
  };
  if (!flags.ask())
    refuse("metric", fmt::format("say how long edges are to be: {}", metric_flags_that_ask));
  if (flags.size > 0 && flags.points > 0)
    refuse("--points", "contradicts --size; give one of them");
  if (flags.anisotropic && flags.error.empty() && flags.fields.empty())
    refuse("--anisotropic",
           "needs --error or --field: directions come from the way a surface or a field bends");
  refuse_unused(command, "--field-error", flags.fields.empty() ? Used::no : Used::yes,
                "needs --field: it is the error of fields");
  if (flags.hmax > 0 && flags.hmin > flags.hmax)
    refuse("--hmin", "is above --hmax; give a smaller one");
  if (flags.gradation > 0 && flags.gradation < 1)
    refuse("--gradation", "must be 1 or more, or 0 for no limit");
}

void take_ridges(Run& run, const MetricFlags& flags, TriangleSoup& mesh) {
  if (flags.ridges.empty()) return;
  io::ReadOptions options;
  options.progress = run.progress();
  const Array<VertexPair> ridges = run.file_stage(
      "read", [&] { return io::read_ridges(flags.ridges, mesh.positions.size(), options); });
  check_are_edges(flags.ridges, mesh, ridges);
  const std::size_t before = mesh.ridges.size();
  mesh.ridges.resize(before + ridges.size());
  std::copy(ridges.begin(), ridges.end(),
            mesh.ridges.begin() + static_cast<std::ptrdiff_t>(before));
  run.report_count("given_ridges", "edges given as ridges", ridges.size());
}

remesh::MetricResult make_metric(Run& run, const MetricFlags& flags, const TriangleSoup& mesh) {
  remesh::MetricRecipe recipe;
  recipe.size = flags.size;
  recipe.points = static_cast<double>(flags.points);
  recipe.smallest = flags.hmin;
  recipe.largest = flags.hmax;
  recipe.stretch = flags.anisotropic ? remesh::Stretch::along : remesh::Stretch::none;
  recipe.gradation = flags.gradation;
  recipe.ridge_angle = flags.ridge_angle;
  recipe.progress = run.progress();
  const Measure field_error = Measure::of(flags.field_error);
  for (const std::string& name : flags.fields) {
    remesh::FieldWish wish{attribute_of(run, given_field(), name, mesh)};
    (field_error.is_percent ? wish.error_of_range : wish.error) = field_error.in(1);
    recipe.fields.push_back(std::move(wish));
  }
  for (const std::string& name : flags.metrics)
    recipe.metrics.push_back(attribute_of(run, given_metric(), name, mesh));
  return run.stage("metric", [&] {
    recipe.error = length_of(run, flags.error, mesh);
    return remesh::make_metric(run.device(), mesh, recipe);
  });
}

void report_metric(Run& run, const remesh::MetricReport& report) {
  run.report_count("expected_points", "points expected",
                   static_cast<std::uint64_t>(std::llround(std::min(report.points, 9e15))));
  run.report("smallest_size", "smallest size", fmt::format("{:.6g}", report.smallest),
             report.smallest);
  run.report("largest_size", "largest size", fmt::format("{:.6g}", report.largest), report.largest);
  run.report("largest_aspect", "largest aspect", fmt::format("{:.3g}", report.aspect),
             report.aspect);
  run.report_count("shortened_by_gradation", "shortened by gradation", report.gradation.shortened);
}

}  // namespace tessera::cli
