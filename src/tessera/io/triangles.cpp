// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/triangles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "tessera/core/arena.h"
#include "tessera/core/error.h"
#include "tessera/core/parallel.h"
#include "tessera/io/detail/mapped_file.h"
#include "tessera/io/detail/sol.h"
#include "tessera/io/detail/source.h"
#include "tessera/io/detail/writers.h"

namespace tessera::io {
namespace {

/// "OBJ (.obj), PLY (.ply), ...": the formats for which that can be done.
std::string list_formats(bool FormatInfo::*can) {
  std::string list;
  for (const FormatInfo& f : formats())
    if (f.*can) list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", f.name, f.extension);
  return list;
}

/// Throws where files of that format cannot be read or written.
void require(Format format, bool FormatInfo::*can, std::string_view verb, const std::string& name) {
  if (!(info(format).*can))
    throw InputError(fmt::format("{}: {} files cannot be {}, only {}", name, info(format).name,
                                 verb, list_formats(can)));
}

Format choose_format(const std::filesystem::path& path, std::optional<Format> wanted,
                     bool FormatInfo::*can, std::string_view verb) {
  const std::optional<Format> format = wanted ? wanted : format_of(path);
  if (!format)
    throw InputError(
        fmt::format("{}: the name's ending tells no format; those that can be {} are {}",
                    path.string(), verb, list_formats(can)));
  require(*format, can, verb, path.string());
  return *format;
}

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
  }
}

std::filesystem::path sol_path(std::filesystem::path mesh) {
  return mesh.replace_extension(".sol");
}

/// The fields beside a MEDIT mesh, if there are any.
void add_fields(const std::filesystem::path& mesh_path, const ReadOptions& options,
                ReadResult& result) {
  const std::filesystem::path path = sol_path(mesh_path);
  if (!std::filesystem::is_regular_file(path)) return;
  const detail::MappedFile file(path);
  const detail::Source source{file.bytes(), path.string(), options.progress};
  Attributes fields;
  try {
    fields = Arena(options.threads).execute([&] {
      return detail::read_sol(source.without_byte_order_mark(), result.mesh.positions.size());
    });
  } catch (const InputError& error) {  // the mesh is fine without
    result.notes.push_back(fmt::format("fields were not read: {}", error.what()));
    return;
  }
  for (Attribute& field : fields) result.mesh.vertex_attributes.push_back(std::move(field));
  result.bytes += file.bytes().size();
}

/// Throws where a coordinate would become infinite in single precision.
void check_single_precision(const TriangleSoup& mesh, const std::string& name) {
  const double largest = parallel_reduce(
      mesh.positions.size(), 16384, 0.0,
      [&](std::size_t begin, std::size_t end, double most) {
        for (std::size_t i = begin; i < end; ++i)
          for (const double x : mesh.positions[i].v) most = std::max(most, std::abs(x));
        return most;
      },
      [](double a, double b) { return std::max(a, b); });
  if (!std::isfinite(static_cast<float>(largest)))
    throw InputError(
        fmt::format("{}: the coordinate {} is too large for single precision", name, largest));
}

}  // namespace

ReadResult parse_triangles(std::span<const char> bytes, Format format, const std::string& name,
                           const ReadOptions& options) {
  require(format, &FormatInfo::readable, "read", name);
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
  const Format format = choose_format(path, options.format, &FormatInfo::readable, "read");
  ReadResult result;
  {
    const detail::MappedFile file(path);
    result = parse_triangles(file.bytes(), format, path.string(), options);
  }
  if (format == Format::medit) add_fields(path, options, result);
  return result;
}

void check_place(const std::filesystem::path& path) {
  detail::find_output_place(path);
}

void check_output(const std::filesystem::path& path, const WriteOptions& options) {
  check_place(path);
  choose_format(path, options.format, &FormatInfo::writable, "written");
}

WriteResult write_triangles(const std::filesystem::path& path, const TriangleSoup& mesh,
                            const WriteOptions& options) {
  const Format format = choose_format(path, options.format, &FormatInfo::writable, "written");
  const Precision precision =
      info(format).float64 ? options.precision.value_or(mesh.precision) : Precision::float32;
  return Arena(options.threads).execute([&] {
    if (const auto wrong = mesh.validate()) throw std::invalid_argument(*wrong);
    if (precision == Precision::float32) check_single_precision(mesh, path.string());
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
    if (format != Format::medit) {
      file.commit();
      return result;
    }
    const std::filesystem::path beside = sol_path(path);
    if (detail::has_fields(mesh)) {
      detail::OutputFile fields(beside);
      detail::write_sol(target(fields));
      result.bytes += fields.size();
      result.fields_file = beside;
      file.commit();
      fields.commit();
    } else {
      file.commit();
      if (std::filesystem::exists(beside))
        result.notes.push_back(
            fmt::format("{} is from before and will be read with the mesh", beside.string()));
    }
    return result;
  });
}

}  // namespace tessera::io
