// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/polyhedra.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "tessera/core/arena.h"
#include "tessera/core/error.h"
#include "tessera/io/detail/cells.h"
#include "tessera/io/detail/format_choice.h"
#include "tessera/io/detail/mapped_file.h"
#include "tessera/io/detail/sol.h"
#include "tessera/io/detail/source.h"

namespace tessera::io {
namespace {

ReadPolyhedraResult dispatch_read(const detail::Source& source, Format format) {
  const detail::Source text = source.without_byte_order_mark();
  switch (format) {
    case Format::medit:
      return detail::read_medit_cells(text);
    case Format::gmsh:
      return detail::read_gmsh(text);
    case Format::vtu:
      return detail::read_vtu(text);
    case Format::tetgen:
      return detail::read_tetgen(text, nullptr);
    case Format::ovm:
      return detail::read_ovm(text);
    default:
      throw std::logic_error("a format that is readable has no reader");
  }
}

/// TetGen's two files, whichever of them is named.
struct TetGenPaths {
  std::filesystem::path nodes;
  std::filesystem::path elements;

  explicit TetGenPaths(const std::filesystem::path& path) : nodes(path), elements(path) {
    const std::string ending = path.extension().string();
    const bool upper = ending == ".NODE" || ending == ".ELE";
    nodes.replace_extension(upper ? ".NODE" : ".node");
    elements.replace_extension(upper ? ".ELE" : ".ele");
  }
};

ReadPolyhedraResult read_tetgen_files(const std::filesystem::path& path,
                                      const ReadOptions& options) {
  const TetGenPaths paths(path);
  const bool has_elements = path == paths.elements || std::filesystem::exists(paths.elements);
  std::optional<detail::MappedFile> element_file;
  std::optional<detail::Source> elements;
  if (has_elements) {  // first, so that an error names it where it was the one asked for
    element_file.emplace(paths.elements);
    elements.emplace(
        detail::Source{element_file->bytes(), paths.elements.string(), options.progress}
            .without_byte_order_mark());
  }
  const detail::MappedFile node_file(paths.nodes);
  const detail::Source nodes{node_file.bytes(), paths.nodes.string(), options.progress};
  ReadPolyhedraResult result = Arena(options.threads).execute([&] {
    return detail::read_tetgen(nodes.without_byte_order_mark(), elements ? &*elements : nullptr);
  });
  result.bytes = node_file.bytes().size() + (element_file ? element_file->bytes().size() : 0);
  std::filesystem::path faces = paths.nodes;
  faces.replace_extension(paths.nodes.extension() == ".NODE" ? ".FACE" : ".face");
  if (has_elements && std::filesystem::exists(faces))
    result.notes.push_back(fmt::format(
        "{}, with faces of the boundary and their markers, was not read", faces.string()));
  if (!has_elements)
    result.notes.push_back(
        fmt::format("there is no {}, so the mesh has no cells", paths.elements.string()));
  return result;
}

void write_files(const std::filesystem::path& path, Format format, const PolyhedralSoup& mesh,
                 const WriteOptions& options, Precision precision, WritePolyhedraResult& result) {
  auto target = [&](detail::OutputFile& to) {
    return detail::CellTarget{to,        path.string(),    mesh,  options.encoding,
                              precision, options.progress, result};
  };
  if (format == Format::tetgen) {
    const TetGenPaths paths(path);
    detail::OutputFile nodes(paths.nodes);
    detail::OutputFile elements(paths.elements);
    detail::write_tetgen_nodes(target(nodes));
    detail::write_tetgen_elements(target(elements));
    result.bytes = nodes.size() + elements.size();
    nodes.commit();
    elements.commit();
    result.segments = result.polygons = 0;
    result.files = {paths.nodes, paths.elements};
    return;
  }
  detail::OutputFile file(path);
  if (format == Format::medit)
    detail::write_medit_cells(target(file));
  else if (format == Format::gmsh)
    detail::write_gmsh(target(file));
  else
    detail::write_vtu_cells(target(file));
  result.bytes = file.size();
  result.files = {path};
  if (format == Format::medit) {
    const auto fields = detail::commit_with_fields(
        file, path, {mesh.vertex_attributes, mesh.positions.size(), options.progress, result.notes},
        result.bytes);
    if (fields) result.files.push_back(*fields);
  } else {
    file.commit();
  }
}

}  // namespace

ReadPolyhedraResult parse_polyhedra(std::span<const char> bytes, Format format,
                                    const std::string& name, const ReadOptions& options) {
  detail::require(format, &FormatInfo::cells_readable, "read", name);
  const detail::Source source{bytes, name, options.progress};
  ReadPolyhedraResult result =
      Arena(options.threads).execute([&] { return dispatch_read(source, format); });
  result.format = format;
  result.bytes = bytes.size();
  return result;
}

ReadPolyhedraResult read_polyhedra(const std::filesystem::path& path, const ReadOptions& options) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw InputError(fmt::format("{}: cannot be read: it is a folder", path.string()));
  const Format format =
      detail::choose_format(path, options.format, &FormatInfo::cells_readable, "read");
  ReadPolyhedraResult result;
  if (format == Format::tetgen) {
    result = read_tetgen_files(path, options);
    result.format = format;
    return result;
  }
  {
    const detail::MappedFile file(path);
    result = parse_polyhedra(file.bytes(), format, path.string(), options);
  }
  if (format == Format::medit)
    result.bytes += detail::add_fields_beside(path, options, result.mesh.positions.size(),
                                              result.mesh.vertex_attributes, result.notes);
  return result;
}

void check_polyhedra_output(const std::filesystem::path& path, const WriteOptions& options) {
  check_place(path);
  const Format format =
      detail::choose_format(path, options.format, &FormatInfo::cells_writable, "written");
  if (format != Format::tetgen) return;
  const TetGenPaths paths(path);
  check_place(paths.nodes);
  check_place(paths.elements);
}

WritePolyhedraResult write_polyhedra(const std::filesystem::path& path, const PolyhedralSoup& mesh,
                                     const WriteOptions& options) {
  const Format format =
      detail::choose_format(path, options.format, &FormatInfo::cells_writable, "written");
  const Precision precision =
      info(format).float64 ? options.precision.value_or(mesh.precision) : Precision::float32;
  return Arena(options.threads).execute([&] {
    if (const auto wrong = mesh.validate()) throw std::invalid_argument(*wrong);
    if (precision == Precision::float32)
      detail::check_single_precision(mesh.positions, path.string());
    WritePolyhedraResult result;
    result.segments = mesh.segments.size();
    result.polygons = mesh.polygon_count();
    result.cells = mesh.cell_count();
    if (options.encoding == Encoding::binary_big_endian && info(format).binary)
      result.notes.push_back(fmt::format("{} files are written little-endian", info(format).name));
    write_files(path, format, mesh, options, precision, result);
    return result;
  });
}

}  // namespace tessera::io
