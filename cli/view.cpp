// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.h"
#include "info.h"
#include "page_output.h"
#include "serve.h"
#include "tessera/io/page.h"
#include "tessera/surface/analysis.h"
#include "tessera/view/fields.h"
#include "tessera/view/scene.h"
#include "view_flags.h"
#include "viewer_page.h"
#include "volume_input.h"

namespace tessera::cli {
namespace {

struct Options {
  std::vector<std::string> inputs;
  std::string output;
  bool serve = false;
  int port = 0;
  ViewFlags view;
  view::LayerOptions layer;
};

/// Each figure of 'tessera info' as a row.
std::vector<std::pair<std::string, std::string>> figures(const SharedFlags& flags,
                                                         const surface::MeshInfo& info) {
  Run rows(flags);
  report_info(rows, info);
  return rows.lines();
}

SceneLayer read_layer(Run& run, const SharedFlags& flags, const std::string& path,
                      const std::string& name, const view::LayerOptions& options) {
  const TriangleSoup mesh = read_for_view(run, path);
  surface::AnalyzeOptions analyze;
  analyze.progress = run.progress();
  const auto info =
      run.stage("analyze", [&] { return surface::analyze(run.device(), mesh, analyze); });
  SceneLayer layer =
      run.stage("prepare", [&] { return view::make_layer(run.device(), mesh, name, options); });
  layer.info = figures(flags, info);
  if (layer.triangles.empty()) run.note(path + ": there are no faces to show");
  if (layer.simplified_from)
    run.note(fmt::format("{}: {} faces are shown as {}; --max-faces changes that", path,
                         grouped(layer.simplified_from->faces), grouped(layer.triangles.size())));
  return layer;
}

void check_color(const Scene& scene) {
  if (scene.color.empty()) return;
  std::vector<std::string> known;
  for (const SceneLayer& layer : scene.layers)
    for (const Field& field : layer.fields) {
      if (field.name == scene.color) return;
      known.push_back(field.name);
    }
  throw view::no_such_field(scene.color, known);
}

void view(Run& run, Options& options, const SharedFlags& flags) {
  require_viewer_page();
  if (options.output.empty())
    options.output = std::filesystem::path(options.inputs[0]).stem().string() + ".html";
  if (!options.serve) check_page(options.output);
  options.layer.seed = flags.seed;
  options.layer.progress = run.progress();

  const std::vector<std::string> names = layer_names(options.inputs);
  Scene scene = view::empty_scene(names[0]);
  scene.color = options.view.color;
  scene.range = options.view.range;
  scene.color_map = options.view.color_map;
  scene.smooth = options.view.shading == view::Shading::smooth;
  scene.edges = options.view.edges;
  std::uint64_t faces = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    scene.layers.push_back(read_layer(run, flags, options.inputs[i], names[i], options.layer));
    faces += scene.layers.back().triangles.size();
  }
  check_color(scene);
  run.report_count("layers", "layers", scene.layers.size());
  run.report_count("faces", "faces shown", faces);
  if (options.serve) {
    const io::EncodedScene encoded = run.stage(
        "compress", [&] { return io::encode_scene(scene, served_blocks, run.progress()); });
    run.finish();
    serve_page(viewer_page(), encoded, options.port);
    return;
  }
  write_page(run, options.output, scene);
  run.finish();
}

}  // namespace

void add_view(CLI::App& program, const SharedFlags& flags) {
  CLI::App* command =
      program.add_subcommand("view", "Look at meshes: writes a page that any browser opens");
  const auto options = std::make_shared<Options>();
  command->add_option("inputs", options->inputs, "meshes to read; each becomes a layer")
      ->required();
  command
      ->add_option("-o,--output", options->output,
                   "page to write (.html); default: the first mesh's name")
      ->type_name("FILE");
  add_view_flags(*command, options->view);
  command
      ->add_option("--max-faces", options->layer.max_faces,
                   "larger meshes are simplified for display")
      ->check(whole_number(1))
      ->capture_default_str();
  command->add_flag("!--no-patches", options->layer.patches, "without the patches as a colouring");
  CLI::Option* serve = command->add_flag(
      "--serve", options->serve, "write nothing; serve the page to this machine until Ctrl-C");
  command->add_option("--port", options->port, "of --serve; 0: a free one")
      ->check(whole_number(0, 65535))
      ->needs(serve)
      ->capture_default_str();
  command->footer(
      "The page needs no network: it can be moved, mailed and opened from disk. Two meshes can be\n"
      "compared with a slider.\n"
      "Examples: tessera view scan.ply --color quality\n"
      "          tessera view before.ply after.ply -o both.html");
  command->callback([=, &flags] {
    refuse_unused(*command, "--output", options->serve ? Used::no : Used::yes,
                  "is for a page that is written, and --serve writes none");
    Run run(flags);
    view(run, *options, flags);
  });
}

}  // namespace tessera::cli
