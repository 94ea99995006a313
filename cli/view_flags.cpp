// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "view_flags.h"

#include <charconv>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "run.h"
#include "tessera/view/color_map.h"

namespace tessera::cli {

namespace {

/// "least:most", both finite.
FieldRange range_of_colors(const std::string& text) {
  FieldRange range;
  const char* end = text.data() + text.size();
  const auto least = std::from_chars(text.data(), end, range.min);
  if (least.ec == std::errc{} && least.ptr < end && *least.ptr == ':') {
    const auto most = std::from_chars(least.ptr + 1, end, range.max);
    if (most.ec == std::errc{} && most.ptr == end && range.min < range.max &&
        std::isfinite(range.min) && std::isfinite(range.max))
      return range;
  }
  throw CLI::ValidationError("--range", fmt::format("'{}' is not like -0.5:2", text));
}

}  // namespace

void add_view_flags(CLI::App& command, ViewFlags& flags) {
  CLI::Option* color =
      command
          .add_option("--color", flags.color,
                      "colour by an attribute of the file, or by quality, component or patch; a\n"
                      "volume mesh also by scaled_jacobian, aspect_ratio or cell_volume")
          ->type_name("NAME");
  command
      .add_option_function<std::string>(
          "--range", [&flags](const std::string& text) { flags.range = range_of_colors(text); },
          "values of the first and last colour, like -0.5:2 (default: all values, or all but\n"
          "outliers)")
      ->needs(color)
      ->type_name("LEAST:MOST");
  std::vector<std::string> maps;
  std::string list;
  for (const view::ColorMap& map : view::color_maps()) {
    maps.push_back(map.name);
    list += (list.empty() ? "" : ", ") + map.name;
  }
  command.add_option("--color-map", flags.color_map, list)
      ->check(CLI::IsMember(maps))
      ->type_name("NAME")
      ->capture_default_str();
  const std::map<std::string, view::Shading> shadings{{"flat", view::Shading::flat},
                                                      {"smooth", view::Shading::smooth}};
  command.add_option("--shading", flags.shading, "flat (default) or smooth")
      ->transform(one_of(shadings))
      ->type_name("HOW");
  command.add_flag("--edges", flags.edges, "draw the sides of all faces");
}

}  // namespace tessera::cli
