// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/lattice.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.h"
#include "lattice_mesh.h"
#include "tessera/core/box.h"
#include "tessera/io/lattice_file.h"
#include "tessera/lattice/clip.h"
#include "tessera/lattice/from_edges.h"
#include "tessera/lattice/generate.h"
#include "tessera/lattice/graph_blocks.h"

namespace tessera::cli {
namespace {

struct Options {
  std::string input;
  std::string output;
  lattice::GenerateOptions generate;
  std::string inside;
  std::string size = "10x10x10";
  std::string radius;
  LatticeMeshFlags mesh;
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
  if (!bottom || !top || !(*bottom > 0) || !(*top > 0) || !std::isfinite(*bottom + *top))
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

/// Nodes whose ball does not lie wholly outside of a surface.
lattice::NodeFilter filter_inside(Run& run, const TriangleSoup& surface) {
  const auto locator = std::make_shared<lattice::BallLocator>(run.device(), surface);
  return [locator](std::span<const Vec3d> nodes, std::span<const float> radii,
                   std::span<std::uint8_t> keep) {
    const Array<lattice::BallPlace> places = locator->places(nodes, radii);
    for (std::size_t i = 0; i < keep.size(); ++i)
      keep[i] = places[i] != lattice::BallPlace::outside ? 1 : 0;
  };
}

void check_is_lattice(const std::string& output, const char* what_else) {
  if (!has_ending(output, ".3mf") && !io::is_lattice_file(output))
    throw InputError(
        fmt::format("{}: lattices are written to 3MF files (.3mf) and lattice files (.tlat); {}",
                    output, what_else));
}

/// Struts that follow each other in a lattice file of blocks.
constexpr Index struts_a_block = 1 << 16;

void write_blocks(Run& run, const std::string& path, const LatticeSource& source) {
  std::uint64_t struts = 0;
  io::LatticeFileWriter writer(path);
  run.file_stage("write", [&] {
    const ProgressCallback callback = run.progress();
    Progress progress(callback, "lattice", source.struts(), "struts");
    for (std::uint64_t i = 0; i < source.blocks(); ++i) {
      const LatticeBlock block = source.block(i);
      writer.append(block);
      struts += block.count;
      progress.advance(block.count);
    }
  });
  if (struts == 0) throw InputError(path + ": not written: the lattice has no strut");
  run.report("file", "file", path, path);
  run.report_count("blocks", "blocks", source.blocks());
  run.report_count("struts", "struts", struts);
  run.report_count("bytes", "bytes", writer.finish());
}

void write_graph(Run& run, const std::string& path, LatticeGraph graph) {
  if (io::is_lattice_file(path)) {
    const auto source = run.stage("blocks", [&] {
      return std::make_unique<lattice::GraphBlocks>(std::move(graph), struts_a_block);
    });
    write_blocks(run, path, *source);
    return;
  }
  const io::WriteLatticeResult result =
      run.file_stage("write", [&] { return io::write_lattice(path, graph, run.progress()); });
  run.report("file", "file", path, path);
  run.report_count("nodes", "nodes", graph.nodes.size());
  run.report_count("struts", "struts", result.struts);
  run.report_count("bytes", "bytes", result.bytes);
  for (const std::string& note : result.notes) run.note(note);
}

/// Refuses meshes of lattices that are far too large, before hours of work.
void require_room(Run& run, const std::string& output, std::uint64_t struts) {
  if (output == nowhere) return;
  constexpr std::uint64_t least_facets = 6;  // of a strut, at the largest chord error
  constexpr std::uint64_t most_facets = 0xffffffff;
  if (struts > most_facets / least_facets)
    throw InputError(fmt::format("{}: the lattice has {} struts: more facets than a mesh can have",
                                 output, struts));
  if (!has_ending(output, ".stl"))
    Run::require_memory(run.device(), static_cast<double>(least_facets * struts),
                        "facets at least, which only STL files take one by one,", sizeof(Facet));
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
    command
        ->add_option(
            "output,-o,--output", options->output,
            "lattice to write as beams (.3mf) or in blocks (.tlat), or its mesh (.stl, ...),\n"
            "made block by block, so that no lattice is too large; null: drops the mesh")
        ->required();
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
    add_lattice_mesh_flags(*command, options->mesh);
    command->footer("Example: tessera lattice generate foam.3mf --cell kelvin --size 20x20x5");
    on_command(*command, flags_, options, [command](Run& run, Options& o) {
      const bool is_mesh = !has_ending(o.output, ".3mf") && is_lattice_mesh(o.output);
      if (!is_mesh) check_is_lattice(o.output, "meshes to .stl, .ply and others, or to null:");
      if (o.output != nowhere) check_folder(o.output);
      const exec::Device device = run.device();
      refuse_unused(*command, "--chord-error", is_mesh ? Used::yes : Used::no,
                    "is for meshes; the output is a lattice");
      refuse_unused(*command, "--memory", is_mesh ? Used::yes : Used::no,
                    "is for meshes; the output is a lattice");
      o.generate.size = parse_size(o.size);
      if (command->count("--radius") > 0) parse_radii(o.radius, o.generate);
      if (!o.inside.empty()) {
        const TriangleSoup surface = run.read(o.inside).mesh;
        const Box box = box_of(surface, o.inside);
        o.generate.origin = box.min;
        if (command->count("--size") == 0)
          o.generate.size = cells_over(box, o.generate.cell_size, o.inside);
        o.generate.filter = run.stage("inside", [&] { return filter_inside(run, surface); });
      }
      if (is_mesh) {
        const lattice::GeneratedBlocks source(
            o.generate, lattice::suitable_block(device, stream_options(run, o.mesh)));
        if (!o.generate.filter) require_room(run, o.output, source.struts());
        mesh_lattice(run, source, o.output, o.mesh);
      } else if (io::is_lattice_file(o.output)) {
        write_blocks(run, o.output, lattice::GeneratedBlocks(o.generate, struts_a_block));
      } else {
        LatticeGraph graph = run.stage("generate", [&] { return lattice::generate(o.generate); });
        if (graph.struts.empty())
          throw InputError(o.inside +
                           ": no strut lies inside; cells may be too large, or the surface faces "
                           "inwards");
        write_graph(run, o.output, std::move(graph));
      }
    });
  }

  void add_from_edges() {
    const auto options = std::make_shared<Options>();
    CLI::App* command = parent_.add_subcommand("from-edges", "A strut for each edge of a mesh");
    command->add_option("input", options->input, "surface or volume mesh to read")->required();
    command
        ->add_option("output,-o,--output", options->output,
                     "lattice to write as beams (.3mf) or in blocks (.tlat)")
        ->required();
    command->add_option("--radius", options->radius, "of struts, or a vertex attribute of the mesh")
        ->type_name("R|NAME")
        ->required();
    command->footer("Example: tessera lattice from-edges bunny.ply wires.3mf --radius 0.001");
    on_command(*command, flags_, options, [](Run& run, Options& o) {
      check_folder(o.output);
      check_is_lattice(o.output, "'tessera lattice mesh' makes meshes of these");
      run.device();  // refused, if there is no such one, before work
      write_graph(run, o.output, edge_graph(run, o));
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
      const auto single = static_cast<float>(*radius);
      if (!(single > 0) || !std::isfinite(single))
        throw CLI::ValidationError(
            "--radius", fmt::format("'{}' is no positive number of single precision", text));
      return {single};
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
  CLI::App* parent =
      program.add_subcommand("lattice", "Lattices: generate, from-edges, mesh, meta");
  parent->require_subcommand(1);
  Commands commands(*parent, flags);
  commands.add_generate();
  commands.add_from_edges();
  add_lattice_mesh(*parent, flags);
  add_lattice_meta(*parent, flags);
  for (CLI::App* command : parent->get_subcommands({})) add_shared_flags(*command, flags);
}

}  // namespace tessera::cli
