// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "info.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.h"

namespace tessera::cli {
namespace {

std::string yes_no(bool value) {
  return value ? "yes" : "no";
}

std::string as_text(const Vec3d& p, const std::array<int, 3>& digits) {
  return fmt::format("({:.{}g}, {:.{}g}, {:.{}g})", p[0], digits[0], p[1], digits[1], p[2],
                     digits[2]);
}

/// As many digits as tell the two ends of a box apart, and six more for the length between them.
std::array<int, 3> digits_for(const Box& box, const Vec3d& extent) {
  std::array<int, 3> digits{};
  for (int i = 0; i < 3; ++i) {
    const double largest = std::max(std::abs(box.min[i]), std::abs(box.max[i]));
    const double common = extent[i] > 0 ? std::ceil(std::log10(largest / extent[i])) : 0;
    digits[static_cast<std::size_t>(i)] = static_cast<int>(std::clamp(6 + common, 6.0, 17.0));
  }
  return digits;
}

nlohmann::ordered_json as_json(const Vec3d& p) {
  return {p[0], p[1], p[2]};
}

}  // namespace

void report_box(Run& run, const std::optional<Box>& bounding_box) {
  if (bounding_box) {
    const Box& box = *bounding_box;
    const Vec3d extent = box.max - box.min;
    const auto digits = digits_for(box, extent);
    run.report("bounding_box", "bounding box",
               as_text(box.min, digits) + " to " + as_text(box.max, digits),
               nlohmann::ordered_json{{"min", as_json(box.min)}, {"max", as_json(box.max)}});
    run.report("extent", "extent", as_text(extent, {6, 6, 6}), as_json(extent));
  } else {
    run.report("bounding_box", "bounding box", "empty", nullptr);
    run.report("extent", "extent", "none", nullptr);
  }
}

void report_info(Run& run, const surface::MeshInfo& info) {
  const auto number = [&](const char* key, const char* label, double value) {
    run.report(key, label, fmt::format("{:.6g}", value), value);
  };
  // Of nothing, nothing can be said.
  const auto flag = [&](const char* key, const char* label, bool value) {
    if (info.faces == 0)
      run.report(key, label, "no faces", nullptr);
    else
      run.report(key, label, yes_no(value), value);
  };
  run.report_count("vertices", "vertices", info.vertices);
  run.report_count("edges", "edges", info.edges);
  run.report_count("faces", "faces", info.faces);
  run.report_count("components", "components", info.components);
  run.report("euler_characteristic", "Euler characteristic",
             std::to_string(info.euler_characteristic), info.euler_characteristic);
  if (info.genus) {
    run.report("genus", "genus", std::to_string(*info.genus), *info.genus);
  } else {
    run.report("genus", "genus", "not defined (no faces, not manifold or not orientable)", nullptr);
  }
  run.report_count("boundary_edges", "boundary edges", info.boundary_edges);
  run.report_count("boundary_loops", "boundary loops", info.boundary_loops);
  run.report_count("non_manifold_edges", "non-manifold edges", info.non_manifold_edges);
  run.report_count("non_manifold_vertices", "non-manifold vertices", info.non_manifold_vertices);
  run.report_count("unreferenced_vertices", "unreferenced vertices", info.unreferenced_vertices);
  run.report_count("duplicate_faces", "duplicate faces", info.duplicate_faces);
  run.report_count("degenerate_faces", "degenerate faces", info.degenerate_faces);
  run.report("closed", "closed", yes_no(info.closed), info.closed);
  flag("manifold", "manifold", info.manifold);
  flag("orientable", "orientable", info.orientable);
  flag("consistently_oriented", "consistently oriented", info.consistently_oriented);
  number("area", "area", info.area);
  if (info.volume) {
    number("volume", "volume", *info.volume);
  } else {
    run.report("volume", "volume", "not defined (open or inconsistently oriented)", nullptr);
  }
  report_box(run, info.bounding_box);
  number("min_edge_length", "min edge length", info.min_edge_length);
  number("mean_edge_length", "mean edge length", info.mean_edge_length);
  number("max_edge_length", "max edge length", info.max_edge_length);
  number("min_quality", "min quality", info.min_quality);
  number("mean_quality", "mean quality", info.mean_quality);
  number("min_angle", "min angle (degrees)", info.min_angle);
}

void report_attributes(Run& run, const char* key, const char* label, const Attributes& attributes) {
  if (attributes.empty()) return;
  std::vector<std::string> names;
  std::string text;
  for (const Attribute& attribute : attributes) {
    names.push_back(attribute.name);
    text += (text.empty() ? "" : ", ") + attribute.name;
    if (attribute.components > 1) text += fmt::format(" ({})", attribute.components);
  }
  run.report(key, label, text, names);
}

namespace {

void info(Run& run, const std::string& path) {
  const io::ReadResult file = run.read(path);
  surface::AnalyzeOptions options;
  options.progress = run.progress();
  const auto result =
      run.stage("analyze", [&] { return surface::analyze(run.device(), file.mesh, options); });
  run.report("file", "file", path, path);
  const std::string format(io::info(file.format).name);
  run.report("format", "format", format, format);
  report_info(run, result);
  if (file.polygons > 0) run.report_count("polygons", "polygons triangulated", file.polygons);
  report_attributes(run, "vertex_attributes", "vertex attributes", file.mesh.vertex_attributes);
  report_attributes(run, "face_attributes", "face attributes", file.mesh.face_attributes);
}

}  // namespace

void add_info(CLI::App& program, const SharedFlags& flags) {
  CLI::App* command =
      program.add_subcommand("info", "Counts, topology, size and quality of a mesh");
  const auto path = std::make_shared<std::string>();
  command->add_option("file", *path, "mesh to look at")->required();
  command->footer(
      "Quality is 2 * inradius / circumradius: 1 for an equilateral triangle, 0 for a degenerate\n"
      "one. Faces are counted as they are in the file; 'tessera repair' removes the bad ones.");
  command->callback([=, &flags] {
    Run run(flags);
    info(run, *path);
    run.finish();
  });
}

}  // namespace tessera::cli
