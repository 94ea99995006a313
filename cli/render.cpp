// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/view/render.h"

#include <charconv>
#include <map>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.h"
#include "tessera/core/error.h"
#include "tessera/io/png.h"
#include "tessera/view/fields.h"
#include "view_flags.h"
#include "volume_input.h"

namespace tessera::cli {
namespace {

struct Options {
  std::string input;
  std::string output;
  std::string size = "1600x1200";
  std::string from;
  std::string background = "white";
  bool no_bar = false;
  ViewFlags view;
  view::RenderOptions render;
};

/// "1600x1200".
void set_size(const std::string& text, view::RenderOptions& render) {
  const char* end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, render.width);
  const auto height = width.ptr < end && *width.ptr == 'x'
                          ? std::from_chars(width.ptr + 1, end, render.height)
                          : std::from_chars_result{width.ptr, std::errc::invalid_argument};
  if (width.ec != std::errc{} || height.ec != std::errc{} || height.ptr != end)
    throw CLI::ValidationError("--size", fmt::format("'{}' is not like 1600x1200", text));
}

struct Direction {
  double azimuth;
  double elevation;
};

const std::map<std::string, Direction>& directions() {
  static const std::map<std::string, Direction> all{{"front", {0, 0}},  {"back", {180, 0}},
                                                    {"right", {90, 0}}, {"left", {-90, 0}},
                                                    {"top", {0, 90}},   {"bottom", {0, -90}}};
  return all;
}

Rgba background_of(const std::string& name) {
  if (name == "transparent") return {{255, 255, 255, 0}};
  if (name == "black") return {{18, 20, 24, 255}};
  return {{255, 255, 255, 255}};
}

void check_picture(const std::string& path) {
  if (!has_ending(path, ".png"))
    throw InputError(path + ": cannot be written: pictures are PNG files, ending in .png");
  check_folder(path);
}

/// Says so where colours do not reach all values.
void note_outliers(Run& run, const Field& field) {
  const FieldRange all = range_of(field);
  const FieldRange shown = shown_range(field);
  if (shown.min > all.min || shown.max < all.max)
    run.note(
        fmt::format("colours cover {:.4g} to {:.4g}, values reach {:.4g} to {:.4g}; --range "
                    "changes that",
                    shown.min, shown.max, all.min, all.max));
}

void render(Run& run, Options& options, const SharedFlags& flags) {
  check_picture(options.output);
  const TriangleSoup mesh = read_for_view(run, options.input);
  view::RenderOptions& render = options.render;
  std::optional<Field> field;
  if (!options.view.color.empty())
    field = run.stage("color", [&] {
      return view::make_field(run.device(), mesh, options.view.color, flags.seed);
    });
  if (field) render.field = &*field;
  if (field && !options.view.range) note_outliers(run, *field);
  render.range = options.view.range;
  render.color_map = options.view.color_map;
  render.shading = options.view.shading;
  render.edges = options.view.edges;
  render.color_bar = !options.no_bar;
  render.background = background_of(options.background);
  render.progress = run.progress();
  const Image image = run.stage("render", [&] { return view::render(run.device(), mesh, render); });
  run.file_stage("write", [&] { io::write_png(options.output, image); });
  run.report("output", "written", options.output, options.output);
  run.report("size", "size", fmt::format("{} x {}", image.width, image.height),
             std::vector<int>{image.width, image.height});
  run.report_count("faces", "faces", mesh.triangles.size());
}

}  // namespace

void add_render(CLI::App& program, const SharedFlags& flags) {
  CLI::App* command = program.add_subcommand("render", "A picture of a mesh, without a display");
  const auto options = std::make_shared<Options>();
  view::Camera& camera = options->render.camera;
  command->add_option("input", options->input, "mesh to read")->required();
  command->add_option("output,-o,--output", options->output, "picture to write (.png)")->required();
  add_view_flags(*command, options->view);
  command->add_option("--size", options->size, "width x height in pixels")
      ->type_name("WxH")
      ->capture_default_str();
  command->add_option("--antialias", options->render.antialias, "samples a pixel along each axis")
      ->check(whole_number(1, 8))
      ->capture_default_str();
  CLI::Option* from =
      command
          ->add_option("--from", options->from,
                       "look from the front, back, left, right, top or bottom")
          ->check(CLI::IsMember({"front", "back", "left", "right", "top", "bottom"}))
          ->type_name("SIDE");
  command->add_option("--azimuth", camera.azimuth, "degrees around the up axis, from the front")
      ->excludes(from)
      ->capture_default_str();
  command->add_option("--elevation", camera.elevation, "degrees above the horizon")
      ->excludes(from)
      ->capture_default_str();
  const std::map<std::string, view::UpAxis> axes{{"y", view::UpAxis::y}, {"z", view::UpAxis::z}};
  command->add_option("--up", camera.up, "the axis that points up: y (default) or z")
      ->transform(one_of(axes))
      ->type_name("AXIS");
  command->add_option("--zoom", camera.zoom, "1: the mesh fills the picture")
      ->check(positive_number())
      ->capture_default_str();
  command
      ->add_option("--field-of-view", camera.field_of_view,
                   "vertical, in degrees; 0: parallel projection")
      ->check(number_between(0, 150))
      ->capture_default_str();
  command->add_option("--background", options->background, "white, black or transparent")
      ->check(CLI::IsMember({"white", "black", "transparent"}))
      ->type_name("COLOR")
      ->capture_default_str();
  command->add_flag("--no-bar", options->no_bar, "no colour bar");
  CLI::Option* boundary = command->add_flag_callback(
      "--boundary", [options] { options->render.special_edges = true; },
      "draw boundary and non-manifold edges in colours (default: up to two million faces)");
  command
      ->add_flag_callback(
          "--no-boundary", [options] { options->render.special_edges = false; }, "do not")
      ->excludes(boundary);
  command->footer(
      "Boundary edges are orange, edges of more than two faces magenta.\n"
      "Examples: tessera render bunny.obj bunny.png --color patch\n"
      "          tessera render part.ply part.png --color mean_curvature --range -5:5 "
      "--color-map coolwarm");
  command->callback([=, &flags] {
    const Used colors = options->view.color.empty() ? Used::no : Used::yes;
    refuse_unused(*command, "--color-map", colors, "is for --color");
    refuse_unused(*command, "--no-bar", colors, "is for --color");
    set_size(options->size, options->render);
    if (const auto found = directions().find(options->from); found != directions().end()) {
      options->render.camera.azimuth = found->second.azimuth;
      options->render.camera.elevation = found->second.elevation;
    }
    Run run(flags);
    render(run, *options, flags);
    run.finish();
  });
}

}  // namespace tessera::cli
