// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/triangles.h"

#include <stdexcept>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "tessera/core/arena.h"
#include "tessera/core/error.h"
#include "tessera/io/detail/format_choice.h"
#include "tessera/io/detail/mapped_file.h"
#include "tessera/io/detail/sol.h"
#include "tessera/io/detail/source.h"
#include "tessera/io/detail/writers.h"

namespace tessera::io {
namespace {

ReadResult dispatch_read(const detail::Source& source, Format format) {
  const detail::Source text = source.without_byte_order_mark();
  switch (format) {
    case Format::obj:
      return detail::read_obj(text);
    case Format::ply:
      return detail::read_ply(text);
    case Format::stl:
      return detail::read_stl(source);  // which may be binary, and then start with anything
    case Format::off:
      return detail::read_off(text);
    case Format::three_mf:
      return detail::read_three_mf(source);
    case Format::medit:
      return detail::read_medit(text);
    case Format::vtp:
    case Format::vtu:
    case Format::glb:
    case Format::gmsh:
    case Format::tetgen:
    case Format::ovm:
      break;
  }
  throw std::logic_error("a format that is readable has no reader");
}

void dispatch_write(const detail::Target& target, Format format) {
  switch (format) {
    case Format::obj:
      return detail::write_obj(target);
    case Format::ply:
      return detail::write_ply(target);
    case Format::stl:
      return detail::write_stl(target);
    case Format::off:
      return detail::write_off(target);
    case Format::three_mf:
      return detail::write_three_mf(target);
    case Format::medit:
      return detail::write_medit(target);
    case Format::vtp:
      return detail::write_vtp(target);
    case Format::vtu:
      return detail::write_vtu(target);
    case Format::glb:
      return detail::write_glb(target);
    case Format::gmsh:
    case Format::tetgen:
    case Format::ovm:
      break;
  }
  throw std::logic_error("a format that is writable has no writer");
}

}  // namespace

ReadResult parse_triangles(std::span<const char> bytes, Format format, const std::string& name,
                           const ReadOptions& options) {
  detail::require(format, &FormatInfo::readable, "read", name);
  const detail::Source source{bytes, name, options.progress};
  ReadResult result = Arena(options.threads).execute([&] { return dispatch_read(source, format); });
  result.format = format;
  result.bytes = bytes.size();
  return result;
}

ReadResult read_triangles(const std::filesystem::path& path, const ReadOptions& options) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw InputError(fmt::format("{}: cannot be read: it is a folder", path.string()));
  const Format format = detail::choose_format(path, options.format, &FormatInfo::readable, "read");
  ReadResult result;
  {
    const detail::MappedFile file(path);
    result = parse_triangles(file.bytes(), format, path.string(), options);
  }
  if (format == Format::medit)
    result.bytes += detail::add_fields_beside(path, options, result.mesh.positions.size(),
                                              result.mesh.vertex_attributes, result.notes);
  return result;
}

void check_place(const std::filesystem::path& path) {
  detail::find_output_place(path);
}

void check_output(const std::filesystem::path& path, const WriteOptions& options) {
  check_place(path);
  detail::choose_format(path, options.format, &FormatInfo::writable, "written");
}

WriteResult write_triangles(const std::filesystem::path& path, const TriangleSoup& mesh,
                            const WriteOptions& options) {
  const Format format =
      detail::choose_format(path, options.format, &FormatInfo::writable, "written");
  const Precision precision =
      info(format).float64 ? options.precision.value_or(mesh.precision) : Precision::float32;
  return Arena(options.threads).execute([&] {
    if (const auto wrong = mesh.validate()) throw std::invalid_argument(*wrong);
    if (precision == Precision::float32)
      detail::check_single_precision(mesh.positions, path.string());
    WriteResult result;
    result.vertices = mesh.positions.size();
    result.faces = mesh.triangles.size();
    detail::OutputFile file(path);
    auto target = [&](detail::OutputFile& to) {
      return detail::Target{to, mesh, options.encoding, precision, options.progress, result};
    };
    try {
      dispatch_write(target(file), format);
    } catch (const InputError& error) {  // writers do not know the file's name
      throw InputError(fmt::format("{}: {}", path.string(), error.what()));
    }
    result.bytes = file.size();
    if (format != Format::medit && !mesh.ridges.empty())
      result.notes.push_back(fmt::format("{} files have no room for ridges", info(format).name));
    if (format == Format::medit)
      result.fields_file = detail::commit_with_fields(
          file, path,
          {mesh.vertex_attributes, mesh.positions.size(), options.progress, result.notes},
          result.bytes);
    else
      file.commit();
    return result;
  });
}

}  // namespace tessera::io
