// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/format_choice.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tessera/core/error.h"
#include "tessera/core/parallel.h"

namespace tessera::io::detail {
namespace {

/// "OBJ (.obj), PLY (.ply), ...": the formats for which that can be done.
std::string list_formats(bool FormatInfo::*can) {
  std::string list;
  for (const FormatInfo& f : formats()) {
    if (!(f.*can)) continue;
    list += fmt::format("{}{} ({}", list.empty() ? "" : ", ", f.name, f.extension);
    list += f.second_extension.empty() ? ")" : fmt::format(", {})", f.second_extension);
  }
  return list;
}

}  // namespace

void require(Format format, bool FormatInfo::*can, std::string_view verb, const std::string& name) {
  if (info(format).*can) return;
  const bool cells = can == &FormatInfo::cells_readable || can == &FormatInfo::cells_writable;
  throw InputError(fmt::format("{}: {}{} files cannot be {}, only {}", name,
                               cells ? "volume cells of " : "", info(format).name, verb,
                               list_formats(can)));
}

Format choose_format(const std::filesystem::path& path, std::optional<Format> wanted,
                     bool FormatInfo::*can, std::string_view verb) {
  const std::optional<Format> format = wanted ? wanted : format_of(path);
  if (!format && path.extension() == ".pvtu")
    throw InputError(fmt::format(
        "{}: a PVTU file only names its pieces; give these, which end in .vtu", path.string()));
  if (!format)
    throw InputError(
        fmt::format("{}: the name's ending tells no format; those that can be {} are {}",
                    path.string(), verb, list_formats(can)));
  require(*format, can, verb, path.string());
  return *format;
}

void check_single_precision(const Array<Vec3d>& positions, const std::string& name) {
  const double largest = parallel_reduce(
      positions.size(), 16384, 0.0,
      [&](std::size_t begin, std::size_t end, double most) {
        for (std::size_t i = begin; i < end; ++i)
          for (const double x : positions[i].v) most = std::max(most, std::abs(x));
        return most;
      },
      [](double a, double b) { return std::max(a, b); });
  if (!std::isfinite(static_cast<float>(largest)))
    throw InputError(
        fmt::format("{}: the coordinate {} is too large for single precision", name, largest));
}

}  // namespace tessera::io::detail
