// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "info.h"
#include "tessera/volume/analysis.h"
#include "tessera/volume/boundary.h"
#include "tessera/volume/extract.h"
#include "tessera/volume/smooth.h"
#include "tessera/volume/subdivide.h"
#include "volume_input.h"

namespace tessera::cli {
namespace {

struct Options {
  std::string input;
  std::string output;
  io::WriteOptions write;
  volume::SmoothOptions smooth;
  volume::SubdivideOptions subdivide;
  std::string plane;
  bool other_side = false;
};

void report_statistics(Run& run, const char* key, const char* label,
                       const std::optional<volume::CellStatistics>& values) {
  if (!values) return;
  run.report(
      key, label,
      fmt::format("{:.4g} to {:.4g}, mean {:.4g}", values->min, values->max, values->mean),
      nlohmann::ordered_json{{"min", values->min}, {"mean", values->mean}, {"max", values->max}});
}

void report_complex(Run& run, const volume::ComplexInfo& info) {
  run.report_count("vertices", "vertices", info.vertices);
  run.report_count("edges", "edges", info.edges);
  run.report_count("faces", "faces", info.faces);
  run.report_count("cells", "cells", info.cells);
  constexpr const char* types[] = {"tetrahedra", "pyramids", "prisms", "hexahedra", "polyhedra"};
  for (std::size_t i = 0; i < info.cells_of_type.size(); ++i)
    run.report_count(types[i], std::string("  ") + types[i], info.cells_of_type[i]);
  run.report("euler_characteristic", "Euler characteristic",
             std::to_string(info.euler_characteristic), info.euler_characteristic);
  run.report_count("boundary_faces", "boundary faces", info.boundary_faces);
  run.report_count("boundary_edges", "boundary edges", info.boundary_edges);
  run.report_count("boundary_vertices", "boundary vertices", info.boundary_vertices);
  run.report_count("faces_without_cells", "faces without cells", info.faces_without_cells);
  run.report_count("edges_without_faces", "edges without faces", info.edges_without_faces);
  run.report_count("vertices_without_edges", "vertices without edges", info.vertices_without_edges);
  run.report_count("non_manifold_faces", "non-manifold faces", info.non_manifold_faces);
  run.report_count("non_manifold_edges", "non-manifold edges", info.non_manifold_edges);
  run.report_count("non_manifold_vertices", "non-manifold vertices", info.non_manifold_vertices);
  run.report("volume", "volume", fmt::format("{:.6g}", info.volume), info.volume);
  run.report_count("duplicate_cells", "duplicate cells", info.duplicate_cells);
  run.report_count("inverted_cells", "inverted cells", info.inverted_cells);
  run.report_count("bad_cells", "cells of Jacobian 0 or less", info.bad_cells);
  report_statistics(run, "scaled_jacobian", "scaled Jacobian", info.scaled_jacobian);
  report_statistics(run, "aspect_ratio", "aspect ratio", info.aspect_ratio);
  report_box(run, info.bounding_box);
}

/// "x", "z:0.5" or "1,0,0.5,2": normal and offset. Without an offset: through the middle.
volume::Plane parse_plane(const std::string& text, const volume::Complex& complex) {
  volume::Plane plane;
  const auto complain = [&] {
    throw CLI::ValidationError(
        "--plane", fmt::format("'{}' is not like z, z:0.5 or 1,0,0.5,2 (normal and offset)", text));
  };
  const auto number = [&](std::string_view part) {
    double value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc{} || end != part.data() + part.size()) complain();
    if (!std::isfinite(value))
      throw CLI::ValidationError("--plane", fmt::format("'{}' is not finite", part));
    return value;
  };
  const std::string_view axes = "xyz";
  const std::size_t axis = text.empty() ? axes.npos : axes.find(text[0]);
  if (axis != axes.npos) {
    plane.normal = {};
    plane.normal[static_cast<int>(axis)] = 1;
    if (text.size() > 1 && text[1] != ':') complain();
    if (text.size() > 1)
      plane.offset = number(std::string_view(text).substr(2));
    else if (const auto box = volume::bounding_box(complex))
      plane.offset = box->middle()[static_cast<int>(axis)];
    return plane;
  }
  double values[4] = {};
  std::string_view rest = text;
  for (int i = 0; i < 4; ++i) {
    const std::size_t comma = rest.find(',');
    if ((comma == rest.npos) != (i == 3)) complain();
    values[i] = number(rest.substr(0, comma));
    if (i < 3) rest.remove_prefix(comma + 1);
  }
  plane.normal = {values[0], values[1], values[2]};
  plane.offset = values[3];
  return plane;
}

class Commands {
 public:
  Commands(CLI::App& parent, const SharedFlags& flags) : parent_(parent), flags_(flags) {}

  void add_info() {
    const auto options = std::make_shared<Options>();
    CLI::App* command = add("info", "Counts, topology and quality of a volume mesh", *options);
    command->footer(
        "The scaled Jacobian of a cell is 1 for a cube or a regular tetrahedron, and negative "
        "where\n"
        "a corner is turned inside out. The aspect ratio is the longest edge over the shortest.");
    on_command(*command, flags_, options, [](Run& run, Options& o) {
      const io::ReadPolyhedraResult file = run.read_polyhedra(o.input);
      const volume::Complex complex = build_complex(run, o.input, file.mesh);
      run.report("file", "file", o.input, o.input);
      const std::string format(io::info(file.format).name);
      run.report("format", "format", format, format);
      report_complex(run, run.stage("analyze", [&] { return volume::analyze(complex); }));
      const PolyhedralSoup& mesh = file.mesh;
      report_attributes(run, "vertex_attributes", "vertex attributes", mesh.vertex_attributes);
      report_attributes(run, "edge_attributes", "edge attributes", mesh.segment_attributes);
      report_attributes(run, "face_attributes", "face attributes", mesh.polygon_attributes);
      report_attributes(run, "cell_attributes", "cell attributes", mesh.cell_attributes);
    });
  }

  void add_convert() {
    const auto options = std::make_shared<Options>();
    CLI::App* command = add("convert", "Write a volume mesh in another format", *options);
    add_volume_output(*command, options->output, options->write);
    command->footer("Example: tessera volume convert part.1.ele part.vtu");
    on_command(*command, flags_, options, [](Run& run, Options& o) {
      const io::ReadPolyhedraResult file = run.read_polyhedra(o.input);
      run.write_polyhedra(o.output, file.mesh, o.write);
    });
  }

  void add_boundary() {
    const auto options = std::make_shared<Options>();
    CLI::App* command = add("boundary", "The surface of a volume mesh", *options);
    add_output(*command, options->output, options->write);
    command->footer(
        "Faces that one cell has, or several on the same side, are seen from outside; a face\n"
        "without cells is written twice, once for each side.\n"
        "Example: tessera volume boundary part.vtu surface.ply");
    on_command(*command, flags_, options, [](Run& run, Options& o) {
      const volume::Complex complex = read_complex(run, o.input);
      const volume::BoundarySurface surface =
          run.stage("boundary", [&] { return volume::boundary_surface(complex); });
      run.write(o.output, surface.mesh, o.write);
    });
  }

  void add_smooth() {
    const auto options = std::make_shared<Options>();
    CLI::App* command =
        add("smooth", "Move inner vertices to the mean of their neighbours", *options);
    add_volume_output(*command, options->output, options->write);
    command->add_option("--iterations", options->smooth.iterations, "how often")
        ->check(whole_number(1, 1000000))
        ->capture_default_str();
    command
        ->add_option("--step", options->smooth.step, "how far towards the mean of the neighbours")
        ->check(number_between(0, 1))
        ->capture_default_str();
    command->footer("Example: tessera volume smooth part.vtu better.vtu --iterations 5");
    on_command(*command, flags_, options, [](Run& run, Options& o) {
      volume::Complex complex = read_complex(run, o.input);
      o.smooth.progress = run.progress();
      const volume::SmoothResult result =
          run.stage("smooth", [&] { return volume::smooth(complex, o.smooth); });
      const Index before = result.bad_cells_before.value_or(0);
      const Index after = result.bad_cells_after.value_or(0);
      if (after > before)
        run.note(fmt::format("{}: {} cells have a scaled Jacobian of 0 or less now, {} before",
                             o.input, after, before));
      write_complex(run, o.output, complex, o.write);
    });
  }

  void add_subdivide() {
    const auto options = std::make_shared<Options>();
    CLI::App* command = add("subdivide", "Volumetric Catmull-Clark subdivision", *options);
    add_volume_output(*command, options->output, options->write);
    command
        ->add_option("--levels", options->subdivide.levels,
                     "how often; a hexahedron becomes eight, a tetrahedron four")
        ->check(whole_number(0, 10))
        ->capture_default_str();
    command->footer(
        "The part is rounded: its boundary follows the rules of Catmull and Clark, which draw "
        "edges\n"
        "and corners in.\n"
        "Example: tessera volume subdivide part.1.ele fine.vtu --levels 2");
    on_command(*command, flags_, options, [](Run& run, Options& o) {
      const volume::Complex complex = read_complex(run, o.input);
      o.subdivide.progress = run.progress();
      const volume::Complex fine = run.stage("subdivide", [&] {
        require_memory_for_levels(run.device(), complex, o.subdivide.levels);
        return volume::subdivide(complex, o.subdivide);
      });
      write_complex(run, o.output, fine, o.write);
    });
  }

  void add_slice() {
    const auto options = std::make_shared<Options>();
    CLI::App* command = add("slice", "The cells behind a plane, to look inside", *options);
    add_volume_output(*command, options->output, options->write);
    command
        ->add_option("--plane", options->plane,
                     "x, y or z (through the middle), z:0.5, or normal and offset like 1,0,0.5,2")
        ->type_name("PLANE")
        ->required();
    command->add_flag("--other-side", options->other_side, "the cells in front of it instead");
    command->footer(
        "Cells stay whole: those whose middle is behind the plane are kept.\n"
        "Example: tessera volume slice part.vtu half.vtu --plane x && tessera view half.vtu");
    on_command(*command, flags_, options, [](Run& run, Options& o) {
      const volume::Complex complex = read_complex(run, o.input);
      const volume::Plane plane = parse_plane(o.plane, complex);
      const volume::Side side = o.other_side ? volume::Side::front : volume::Side::behind;
      const volume::Complex half =
          run.stage("slice", [&] { return volume::slice(complex, plane, side); });
      if (complex.cells() == 0)
        run.note(o.input + ": there are no cells to slice");
      else if (half.cells() == 0)
        run.note(o.input + ": no cell is on that side of the plane");
      write_complex(run, o.output, half, o.write);
    });
  }

 private:
  CLI::App* add(const std::string& name, const std::string& help, Options& options) {
    CLI::App* command = parent_.add_subcommand(name, help);
    command->add_option("input", options.input, "volume mesh to read")->required();
    return command;
  }

  /// Hexahedra take about 125 bytes each, and as much again while a level is made.
  static void require_memory_for_levels(const exec::Device& device, const volume::Complex& complex,
                                        int levels) {
    if (levels == 0) return;
    auto cells = static_cast<double>(complex.cell_vertices().entries.size());
    for (int level = 1; level < levels; ++level) cells *= 8;
    constexpr double bytes_a_cell = 250;
    Run::require_memory(device, cells, "cells", bytes_a_cell);
  }

  CLI::App& parent_;
  const SharedFlags& flags_;
};

}  // namespace

void add_volume(CLI::App& program, SharedFlags& flags) {
  CLI::App* parent =
      program.add_subcommand("volume", "Volume meshes: info, convert, boundary, smooth, ...");
  parent->require_subcommand(1);
  Commands commands(*parent, flags);
  commands.add_info();
  commands.add_convert();
  commands.add_boundary();
  commands.add_smooth();
  commands.add_subdivide();
  commands.add_slice();
  for (CLI::App* command : parent->get_subcommands({})) add_shared_flags(*command, flags);
}

}  // namespace tessera::cli
