// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/lattice.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.h"
#include "tessera/core/box.h"
#include "tessera/io/facet_writer.h"
#include "tessera/lattice/clip.h"
#include "tessera/lattice/from_edges.h"
#include "tessera/lattice/generate.h"
#include "tessera/lattice/meta_mesh.h"
#include "tessera/lattice/triangulate.h"

namespace tessera::cli {
namespace {

constexpr const char* nowhere = "null:";

struct Options {
  std::string input;
  std::string output;
  lattice::GenerateOptions generate;
  std::string inside;
  std::string size = "10x10x10";
  std::string radius;
  std::vector<double> chord_errors{0.02};
};

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "20x20x5"
Vec<std::uint32_t, 3> parse_size(const std::string& text) {
  Vec<std::uint32_t, 3> size{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int i = 0; i < 3; ++i) {
    const auto [next, error] = std::from_chars(at, end, size[i]);
    const bool is_last = i == 2;
    if (error != std::errc{} || size[i] == 0 || (next == end) != is_last ||
        (!is_last && *next != 'x'))
      throw CLI::ValidationError("--size", fmt::format("'{}' is not like 20x20x5", text));
    at = is_last ? next : next + 1;
  }
  return size;
}

/// "0.1", or "0.1:0.2" from the bottom to the top.
void parse_radii(const std::string& text, lattice::GenerateOptions& options) {
  const std::size_t colon = text.find(':');
  const std::string_view all = text;
  const auto bottom = parse_number(all.substr(0, colon));
  const auto top = colon == std::string::npos ? bottom : parse_number(all.substr(colon + 1));
  if (!bottom || !top || !(*bottom > 0) || !(*top > 0))
    throw CLI::ValidationError("--radius", fmt::format("'{}' is not like 0.1 or 0.1:0.2", text));
  options.radius = *bottom;
  options.top_radius = *top;
}

Box box_of(const TriangleSoup& surface, const std::string& path) {
  if (surface.triangles.empty()) throw InputError(path + ": it has no faces to be inside of");
  Box box;
  for (const Triangle& t : surface.triangles)
    for (const Index v : t.v) box.add(surface.positions[v]);
  return box;
}

/// How many cells cover the box of a file's surface.
Vec<std::uint32_t, 3> cells_over(const Box& box, double cell_size, const std::string& path) {
  Vec<std::uint32_t, 3> size{};
  for (int i = 0; i < 3; ++i) {
    // Not a whole layer for what a file's rounding left over.
    constexpr double tolerance = 1e-5;
    const double cells = std::ceil((box.max[i] - box.min[i]) / cell_size - tolerance);
    if (!(cells < 1e9)) throw InputError(fmt::format("{}: its box is {} cells wide", path, cells));
    size[i] = static_cast<std::uint32_t>(std::max(cells, 1.0));
  }
  return size;
}

/// A lattice without struts would be a file that nobody reads; `why` says how that can be.
LatticeGraph kept(Run& run, lattice::ClipResult clipped, const std::string& why) {
  if (clipped.graph.struts.empty()) throw InputError(why);
  run.report_count("struts_dropped", "struts dropped", clipped.struts_dropped);
  return std::move(clipped.graph);
}

void report_graph(Run& run, const LatticeGraph& graph) {
  run.report_count("nodes", "nodes", graph.nodes.size());
  run.report_count("struts", "struts", graph.struts.size());
}

void write_graph(Run& run, const std::string& path, const LatticeGraph& graph) {
  const io::WriteLatticeResult result =
      run.file_stage("write", [&] { return io::write_lattice(path, graph, run.progress()); });
  run.report("file", "file", path, path);
  report_graph(run, graph);
  run.report_count("bytes", "bytes", result.bytes);
  for (const std::string& note : result.notes) run.note(note);
}

/// What the clipping meshes of a file leave of its lattice.
LatticeGraph clipped_by_file(Run& run, const exec::Stream& stream, io::ReadLatticeResult& file,
                             const std::string& path) {
  lattice::ClipResult clipped = run.stage("clip", [&] {
    return lattice::clip(stream, std::move(file.graph), file.clippings, run.progress());
  });
  run.note(fmt::format(
      "a mesh is to cut the beams off; none was cut, and the {} that end beyond it were dropped",
      clipped.struts_dropped));
  return kept(run, std::move(clipped), path + ": its clipping mesh leaves no strut");
}

void report_meta_mesh(Run& run, const lattice::MetaMesh& mesh) {
  const lattice::MetaReport& report = mesh.report();
  run.report_count("arcs", "arcs", mesh.arcs());
  run.report_count("capsules", "struts of their own", report.capsules);
  run.report_count("swallowed", "struts within a node", report.swallowed);
  run.report_count("pinched", "struts without radius", report.pinched);
  run.report_count("closed_nodes", "nodes closed strut by strut", report.closed_nodes);
}

/// part.stl at 0.05 is part-0.05.stl where there are several.
std::string output_for(const Options& options, double chord_error) {
  if (options.chord_errors.size() == 1 || options.output == nowhere) return options.output;
  const std::filesystem::path path(options.output);
  return path.parent_path() /
         fmt::format("{}-{}{}", path.stem().string(), chord_error, path.extension().string());
}

/// Triangulates block after block, so that only the graph and its arcs are held in memory.
void write_facets(Run& run, const lattice::MetaMesh& mesh, const std::string& path,
                  double chord_error) {
  std::optional<io::FacetWriter> writer;
  if (path != nowhere) writer.emplace(path);
  constexpr Index block = 1 << 15;
  std::uint64_t facets = 0;
  run.file_stage("triangulate", [&] {
    const ProgressCallback callback = run.progress();
    Progress progress(callback, "triangulating", mesh.struts());
    for (Index first = 0; first < mesh.struts(); first += block) {
      const Index count = std::min(block, mesh.struts() - first);
      const Array<Facet> part =
          exec::download(mesh.stream(), lattice::triangulate(mesh, chord_error, first, count));
      facets += part.size();
      if (writer) writer->append(part);
      progress.advance(count);
    }
  });
  std::uint64_t bytes = 0;
  if (writer) bytes = writer->finish();
  run.report("file", "file", path, path);
  run.report_count("facets", "facets", facets);
  if (writer) run.report_count("bytes", "bytes", bytes);
}

class Commands {
 public:
  Commands(CLI::App& parent, const SharedFlags& flags) : parent_(parent), flags_(flags) {}

  void add_generate() {
    const auto options = std::make_shared<Options>();
    using lattice::CellType;
    std::map<std::string, CellType> cells;
    for (const CellType type : {CellType::cubic, CellType::bcc, CellType::fcc, CellType::octet,
                                CellType::diamond, CellType::kelvin})
      cells[std::string(lattice::name_of(type))] = type;
    CLI::App* command = parent_.add_subcommand("generate", "Make a regular lattice");
    command->add_option("output", options->output, "3MF file to write")->required();
    command
        ->add_option("--cell", options->generate.cell,
                     "cubic, bcc, fcc, octet, diamond or kelvin (default: cubic)")
        ->transform(one_of(cells))
        ->type_name("CELL");
    command->add_option("--size", options->size, "cells along x, y and z")->capture_default_str();
    command->add_option("--cell-size", options->generate.cell_size, "side of a cell")
        ->check(positive_number())
        ->capture_default_str();
    command
        ->add_option("--radius", options->radius,
                     "of struts, or from the bottom to the top like 0.05:0.1 (default: 0.05)")
        ->type_name("R[:R]");
    command
        ->add_option("--inside", options->inside,
                     "closed surface to read: the lattice starts at the lower corner of its box, "
                     "covers it\nunless --size is given, and loses the struts with an end outside")
        ->type_name("SURFACE");
    command->footer("Example: tessera lattice generate foam.3mf --cell kelvin --size 20x20x5");
    on_command(*command, flags_, options, [command](Run& run, Options& o) {
      o.generate.size = parse_size(o.size);
      if (!o.radius.empty()) parse_radii(o.radius, o.generate);
      TriangleSoup surface;
      if (!o.inside.empty()) {
        surface = run.read(o.inside).mesh;
        const Box box = box_of(surface, o.inside);
        o.generate.origin = box.min;
        if (command->count("--size") == 0)
          o.generate.size = cells_over(box, o.generate.cell_size, o.inside);
      }
      LatticeGraph graph = run.stage("generate", [&] { return lattice::generate(o.generate); });
      if (!o.inside.empty())
        graph = kept(run,
                     run.stage("clip",
                               [&] {
                                 return lattice::keep_inside(run.device(), std::move(graph),
                                                             surface, run.progress());
                               }),
                     o.inside +
                         ": no strut lies inside; cells may be too large, or the surface "
                         "faces inwards");
      write_graph(run, o.output, graph);
    });
  }

  void add_from_edges() {
    const auto options = std::make_shared<Options>();
    CLI::App* command = parent_.add_subcommand("from-edges", "A strut for each edge of a mesh");
    command->add_option("input", options->input, "surface or volume mesh to read")->required();
    command->add_option("output", options->output, "3MF file to write")->required();
    command->add_option("--radius", options->radius, "of struts, or a vertex attribute of the mesh")
        ->type_name("R|NAME")
        ->required();
    command->footer("Example: tessera lattice from-edges bunny.ply wires.3mf --radius 0.001");
    on_command(*command, flags_, options, [](Run& run, Options& o) {
      const LatticeGraph graph = edge_graph(run, o);
      write_graph(run, o.output, graph);
    });
  }

  void add_mesh() {
    const auto options = std::make_shared<Options>();
    CLI::App* command = parent_.add_subcommand("mesh", "Closed triangle mesh of a lattice");
    command->add_option("input", options->input, "3MF file with a beam lattice")->required();
    command
        ->add_option("output", options->output,
                     "STL file to write, or null: to make all triangles and drop them")
        ->required();
    command
        ->add_option("--chord-error", options->chord_errors,
                     "how far triangles may be below the surface, in units of the radius;\n"
                     "several like 0.02,0.1 make several files from one meta-mesh")
        ->delimiter(',')
        ->check(number_between(1e-6, 0.5))
        ->capture_default_str();
    command->footer("Example: tessera lattice mesh foam.3mf foam.stl --chord-error 0.05");
    on_command(*command, flags_, options, [](Run& run, Options& o) {
      if (o.output != nowhere && !has_ending(o.output, ".stl"))
        throw InputError(o.output + ": lattices are meshed to STL files (.stl) or null:");
      if (o.output != nowhere) check_folder(o.output);
      io::ReadLatticeResult file =
          run.file_stage("read", [&] { return io::read_lattice(o.input, run.progress()); });
      for (const std::string& note : file.notes) run.note(note);
      const exec::Stream stream(run.device());
      if (!file.clippings.empty()) file.graph = clipped_by_file(run, stream, file, o.input);
      report_graph(run, file.graph);
      const lattice::MetaMesh mesh =
          run.stage("meta-mesh", [&] { return lattice::build_meta_mesh(stream, file.graph); });
      file.graph = {};
      report_meta_mesh(run, mesh);
      for (const double chord_error : o.chord_errors)
        write_facets(run, mesh, output_for(o, chord_error), chord_error);
    });
  }

 private:
  /// Of cells where the file has some, else of triangles.
  static LatticeGraph edge_graph(Run& run, const Options& o) {
    const std::optional<io::Format> format = io::format_of(o.input);
    if (format && io::info(*format).cells_readable) {
      const io::ReadPolyhedraResult file = run.read_polyhedra(o.input);
      if (file.mesh.cell_count() > 0) return edge_graph(run, o, file.mesh, file.mesh);
      if (!io::info(*format).readable)
        throw InputError(o.input + ": it has no cells, whose edges would be struts");
    }
    const io::ReadResult file = run.read(o.input);
    return edge_graph(run, o, file.mesh, file.mesh.triangles);
  }

  /// `elements` are those of the mesh that edges_of() takes.
  template <class Mesh, class Elements>
  static LatticeGraph edge_graph(Run& run, const Options& o, const Mesh& mesh,
                                 const Elements& elements) {
    const std::vector<float> radii = node_radii(mesh.vertex_attributes, mesh.positions.size(), o);
    return run.stage("edges", [&] {
      return lattice::lattice_from_edges(mesh.positions, lattice::edges_of(elements), radii);
    });
  }

  static std::vector<float> node_radii(const Attributes& attributes, std::size_t nodes,
                                       const Options& o) {
    const std::string& text = o.radius;
    if (const auto radius = parse_number(text)) {
      if (!(*radius > 0)) throw InputError("the radius is not positive");
      return {static_cast<float>(*radius)};
    }
    const Attribute* attribute = find(attributes, text);
    if (attribute == nullptr || attribute->components != 1)
      throw CLI::ValidationError(
          "--radius",
          fmt::format("'{}' is neither a number nor a vertex attribute of one number", text));
    std::vector<float> radii(nodes);
    std::visit(
        [&](const auto& values) {
          for (std::size_t v = 0; v < radii.size(); ++v) radii[v] = static_cast<float>(values[v]);
        },
        attribute->values);
    return radii;
  }

  CLI::App& parent_;
  const SharedFlags& flags_;
};

}  // namespace

void add_lattice(CLI::App& program, SharedFlags& flags) {
  CLI::App* parent = program.add_subcommand("lattice", "Lattices: generate, from-edges, mesh");
  parent->require_subcommand(1);
  Commands commands(*parent, flags);
  commands.add_generate();
  commands.add_from_edges();
  commands.add_mesh();
  for (CLI::App* command : parent->get_subcommands({})) add_shared_flags(*command, flags);
}

}  // namespace tessera::cli
