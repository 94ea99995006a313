// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "lattice_mesh.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "flags.h"
#include "tessera/io/facet_writer.h"
#include "tessera/io/format.h"
#include "tessera/io/lattice_file.h"
#include "tessera/lattice/clip.h"
#include "tessera/lattice/graph_blocks.h"

namespace tessera::cli {
namespace {

struct Options {
  std::string input;
  std::string output;
  LatticeMeshFlags mesh;
};

/// part.stl at 0.05 is part-0.05.stl where there are several.
std::string output_for(const std::string& output, const LatticeMeshFlags& flags,
                       double chord_error) {
  if (flags.chord_errors.size() == 1 || output == nowhere) return output;
  const std::filesystem::path path(output);
  return path.parent_path() /
         fmt::format("{}-{}{}", path.stem().string(), chord_error, path.extension().string());
}

/// Takes the facets of one chord error. STL files are written as facets come; files that share
/// vertices need all of them first.
class MeshOutput {
 public:
  explicit MeshOutput(const std::string& path) : path_(path) {
    if (has_ending(path, ".stl")) writer_ = std::make_unique<io::FacetWriter>(path);
    keeps_ = path != nowhere && !writer_;
  }
  void put(std::uint64_t first, std::span<const Facet> facets) {
    if (writer_) writer_->write(first, facets);
    if (!keeps_) return;
    const std::lock_guard lock(mutex_);
    if (facets_.size() < first + facets.size()) facets_.resize(first + facets.size());
    std::copy(facets.begin(), facets.end(), facets_.begin() + static_cast<std::ptrdiff_t>(first));
  }
  void finish(Run& run, std::uint64_t facets) {
    run.report_count("facets", "facets", facets);
    if (keeps_) {
      const TriangleSoup mesh =
          run.stage("weld", [&] { return io::weld_facets(facets_, run.progress()); });
      facets_ = {};
      run.write(path_, mesh, {});
      return;
    }
    run.report("file", "file", path_, path_);
    if (writer_) run.report_count("bytes", "bytes", writer_->finish());
  }

 private:
  std::string path_;
  std::unique_ptr<io::FacetWriter> writer_;
  bool keeps_ = false;
  std::mutex mutex_;
  Array<Facet> facets_;
};

void report_graph(Run& run, const LatticeGraph& graph) {
  run.report_count("nodes", "nodes", graph.nodes.size());
  run.report_count("struts", "struts", graph.struts.size());
}

/// Those of a lattice that is not read as a whole are not known before.
enum class Struts { known, unknown };

void report_stream(Run& run, const lattice::StreamReport& report, Struts struts, bool had_arcs) {
  if (struts == Struts::unknown) run.report_count("struts", "struts", report.struts);
  run.report_count("arcs", "arcs", report.arcs);
  if (had_arcs) return;
  run.report_count("capsules", "struts of their own", report.treated.capsules);
  run.report_count("swallowed", "struts within a node", report.treated.swallowed);
  run.report_count("pinched", "struts without radius", report.treated.pinched);
  run.report_count("closed_nodes", "nodes closed strut by strut", report.treated.closed_nodes);
}

Struts struts_of(const LatticeSource& source) {
  const bool is_graph = dynamic_cast<const lattice::GraphBlocks*>(&source) != nullptr;
  return is_graph ? Struts::known : Struts::unknown;
}

/// What the clipping meshes of a file leave of its lattice.
LatticeGraph clipped_by_file(Run& run, io::ReadLatticeResult& file, const std::string& path) {
  lattice::ClipResult clipped = run.stage("clip", [&] {
    return lattice::clip(run.device(), std::move(file.graph), file.clippings, run.progress());
  });
  run.note(fmt::format(
      "{}: a mesh is to cut the beams off; none was cut, and those that end beyond it ({}) were "
      "dropped",
      path, clipped.struts_dropped));
  if (clipped.graph.struts.empty()) throw InputError(path + ": its clipping mesh leaves no strut");
  run.report_count("struts_dropped", "struts dropped", clipped.struts_dropped);
  return std::move(clipped.graph);
}

/// A lattice from a 3MF file, or from a lattice file, which is not read as a whole.
std::unique_ptr<LatticeSource> open_lattice(Run& run, const std::string& path,
                                            const lattice::StreamOptions& options) {
  const Index block = lattice::suitable_block(run.device(), options);
  if (io::is_lattice_file(path)) {
    auto file = run.file_stage("open", [&] { return std::make_unique<io::LatticeFile>(path); });
    run.report_count("blocks", "blocks", file->blocks());
    // One block that is a whole lattice, as other programs may write it.
    if (file->blocks() != 1 || file->has_arcs() || file->largest_block() <= 4 * block) return file;
    LatticeBlock whole = run.file_stage("read", [&] { return file->block(0); });
    if (whole.count != whole.graph.struts.size()) return file;
    report_graph(run, whole.graph);
    return run.stage("blocks", [&] {
      return std::make_unique<lattice::GraphBlocks>(std::move(whole.graph), block);
    });
  }
  if (!has_ending(path, ".3mf"))
    throw InputError(path + ": lattices are read from 3MF files (.3mf) and lattice files (.tlat)");
  io::ReadLatticeResult file =
      run.file_stage("read", [&] { return io::read_lattice(path, run.progress()); });
  for (const std::string& note : file.notes) run.note(path + ": " + note);
  if (!file.clippings.empty()) file.graph = clipped_by_file(run, file, path);
  report_graph(run, file.graph);
  return run.stage("blocks", [&] {
    return std::make_unique<lattice::GraphBlocks>(std::move(file.graph), block);
  });
}

}  // namespace

bool is_lattice_mesh(const std::string& path) {
  if (path == nowhere) return true;
  const auto format = io::format_of(path);
  return format && io::info(*format).writable;
}

void add_lattice_memory_flag(CLI::App& command, LatticeMeshFlags& flags) {
  command
      .add_option("--memory", flags.memory,
                  "GiB that parts of the lattice in work may take, about (default: 2)")
      ->check(number_between(0.05, 1e6))
      ->type_name("GIB");
}

void add_lattice_mesh_flags(CLI::App& command, LatticeMeshFlags& flags) {
  command
      .add_option("--chord-error", flags.chord_errors,
                  "how far triangles may be from the surface, in units of the radius;\n"
                  "several like 0.02,0.1 make several files from one meta-mesh")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(number_between(1e-6, 0.5))
      ->capture_default_str();
  add_lattice_memory_flag(command, flags);
}

lattice::StreamOptions stream_options(Run& run, const LatticeMeshFlags& flags) {
  return {static_cast<std::size_t>(flags.memory * (std::size_t{1} << 30)), run.progress()};
}

void mesh_lattice(Run& run, const LatticeSource& source, const std::string& output,
                  const LatticeMeshFlags& flags) {
  std::vector<std::unique_ptr<MeshOutput>> outputs;
  for (const double error : flags.chord_errors)
    outputs.push_back(std::make_unique<MeshOutput>(output_for(output, flags, error)));
  const auto* const file = dynamic_cast<const io::LatticeFile*>(&source);
  const lattice::StreamReport report = run.stage("mesh", [&] {
    return lattice::mesh_stream(
        run.device(), source, flags.chord_errors, stream_options(run, flags),
        [&](std::size_t which, std::uint64_t first, std::span<const Facet> facets) {
          outputs[which]->put(first, facets);
        });
  });
  if (report.struts == 0) throw InputError(output + ": not written: the lattice has no strut");
  if (std::all_of(report.facets.begin(), report.facets.end(), [](auto n) { return n == 0; }))
    throw InputError(output + ": not written: no strut of the lattice has a radius");
  report_stream(run, report, struts_of(source), file != nullptr && file->has_arcs());
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i]->finish(run, report.facets[i]);
}

void add_lattice_mesh(CLI::App& parent, const SharedFlags& flags) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = parent.add_subcommand("mesh", "Closed triangle mesh of a lattice");
  command
      ->add_option("input", options->input, "3MF file with a beam lattice, or lattice file (.tlat)")
      ->required();
  command
      ->add_option("output,-o,--output", options->output,
                   "mesh to write: STL of any size, other formats from memory;\n"
                   "null: makes all triangles and drops them")
      ->required();
  add_lattice_mesh_flags(*command, options->mesh);
  command->footer("Example: tessera lattice mesh foam.3mf foam.stl --chord-error 0.05");
  on_command(*command, flags, options, [](Run& run, Options& o) {
    if (o.output != nowhere) check_output(o.output);
    const auto source = open_lattice(run, o.input, stream_options(run, o.mesh));
    mesh_lattice(run, *source, o.output, o.mesh);
  });
}

void add_lattice_meta(CLI::App& parent, const SharedFlags& flags) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = parent.add_subcommand(
      "meta", "Meta-mesh of a lattice: meshed later at any resolution, without its first half");
  command
      ->add_option("input", options->input, "3MF file with a beam lattice, or lattice file (.tlat)")
      ->required();
  command->add_option("output,-o,--output", options->output, "lattice file (.tlat) to write")
      ->required();
  add_lattice_memory_flag(*command, options->mesh);
  command->footer(
      "Example: tessera lattice meta foam.3mf foam.tlat; tessera lattice mesh foam.tlat foam.stl");
  on_command(*command, flags, options, [](Run& run, Options& o) {
    if (!io::is_lattice_file(o.output))
      throw InputError(o.output + ": meta-meshes are written to lattice files (.tlat)");
    check_folder(o.output);
    const auto source = open_lattice(run, o.input, stream_options(run, o.mesh));
    io::LatticeFileWriter writer(o.output);
    const lattice::StreamReport report = run.stage("meta-mesh", [&] {
      return lattice::meta_mesh_stream(run.device(), *source, stream_options(run, o.mesh),
                                       [&](const LatticeBlock& block) { writer.append(block); });
    });
    const auto* const file = dynamic_cast<const io::LatticeFile*>(source.get());
    if (report.struts == 0) throw InputError(o.output + ": not written: the lattice has no strut");
    report_stream(run, report, struts_of(*source), file != nullptr && file->has_arcs());
    run.report("file", "file", o.output, o.output);
    run.report_count("bytes", "bytes", writer.finish());
  });
}

}  // namespace tessera::cli
