// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "volume_input.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "tessera/volume/boundary.h"
#include "tessera/volume/build.h"
#include "tessera/volume/quality.h"
#include "tessera/volume/soup.h"

namespace tessera::cli {
namespace {

std::string endings_of_volumes() {
  std::string list;
  for (const io::FormatInfo& format : io::formats())
    if (format.cells_writable) list += (list.empty() ? "" : ", ") + std::string(format.extension);
  return list;
}

std::string endings_that_can_be_shown() {
  std::string list;
  for (const io::FormatInfo& format : io::formats()) {
    if (!format.readable && !format.cells_readable) continue;
    list += (list.empty() ? "" : ", ") + std::string(format.extension);
    if (!format.second_extension.empty()) list += ", " + std::string(format.second_extension);
  }
  return list;
}

template <class Value>
Array<Value> of_cells(const Array<Value>& values, const Array<Index>& cells) {
  Array<Value> result(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) result[i] = values[cells[i]];
  return result;
}

/// Triangles of the boundary that have a cell behind them; all of them if there are no cells, but
/// each side of a face that is in no cell once.
TriangleSoup surface_of(const volume::Complex& complex) {
  volume::BoundarySurface boundary = volume::boundary_surface(complex);
  TriangleSoup mesh = std::move(boundary.mesh);
  Array<Index> kept;
  for (Index t = 0; t < mesh.triangles.size(); ++t)
    if (boundary.cells[t] != no_index || !boundary.faces[t].is_reversed()) kept.push_back(t);
  if (kept.size() < mesh.triangles.size()) {
    mesh.triangles = of_cells(mesh.triangles, kept);
    mesh.face_attributes = gather(mesh.face_attributes, kept);
    boundary.cells = of_cells(boundary.cells, kept);
  }
  for (const Index cell : boundary.cells)
    if (cell == no_index) return mesh;  // not every face has a cell to tell of
  const volume::CellQualities qualities = volume::cell_qualities(complex);
  mesh.face_attributes.push_back(
      {"scaled_jacobian", 1, of_cells(qualities.scaled_jacobians, boundary.cells)});
  mesh.face_attributes.push_back(
      {"aspect_ratio", 1, of_cells(qualities.aspect_ratios, boundary.cells)});
  mesh.face_attributes.push_back({"cell_volume", 1, of_cells(qualities.volumes, boundary.cells)});
  return mesh;
}

}  // namespace

void add_volume_output(CLI::App& command, std::string& path, io::WriteOptions& options) {
  command
      .add_option("output,-o,--output", path,
                  "file to write, here or behind -o: " + endings_of_volumes())
      ->required();
  const std::map<std::string, io::Encoding> encodings{{"binary", io::Encoding::binary},
                                                      {"text", io::Encoding::text}};
  command
      .add_option("--encoding", options.encoding,
                  "how VTU and Gmsh store numbers: binary (default) or text")
      ->transform(one_of(encodings))
      ->type_name("ENCODING");
  command.parse_complete_callback([&path, &options] { io::check_polyhedra_output(path, options); });
}

volume::Complex build_complex(Run& run, const std::string& path, const PolyhedralSoup& soup) {
  volume::BuildResult built =
      run.stage("build", [&] { return volume::build_complex(run.device(), soup); });
  for (const std::string& text : built.notes) run.note(path + ": " + text);
  return std::move(built.complex);
}

volume::Complex read_complex(Run& run, const std::string& path) {
  const io::ReadPolyhedraResult file = run.read_polyhedra(path);
  return build_complex(run, path, file.mesh);
}

void write_complex(Run& run, const std::string& path, const volume::Complex& complex,
                   const io::WriteOptions& options) {
  const PolyhedralSoup soup = run.stage("collect", [&] { return volume::to_soup(complex); });
  run.write_polyhedra(path, soup, options);
}

TriangleSoup read_for_view(Run& run, const std::string& path) {
  const std::optional<io::Format> format = io::format_of(path);
  if (!format)
    throw InputError(path + ": the name's ending tells no format; those that can be shown are " +
                     endings_that_can_be_shown());
  if (!io::info(*format).cells_readable) return run.read(path).mesh;
  const io::ReadPolyhedraResult file = run.read_polyhedra(path);
  if (file.mesh.cell_count() == 0 && io::info(*format).readable) return run.read(path).mesh;
  const volume::Complex complex = build_complex(run, path, file.mesh);
  return run.stage("boundary", [&] { return surface_of(complex); });
}

}  // namespace tessera::cli
