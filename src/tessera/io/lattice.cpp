// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/lattice.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "tessera/core/error.h"
#include "tessera/io/detail/mapped_file.h"
#include "tessera/io/detail/output_file.h"
#include "tessera/io/detail/source.h"
#include "tessera/io/detail/three_mf_package.h"
#include "tessera/io/format.h"

namespace tessera::io {
namespace {

constexpr std::string_view model_start =
    R"(<?xml version="1.0" encoding="UTF-8"?>
<model unit="millimeter" xml:lang="en-US" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" xmlns:b="http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02" requiredextensions="b">
 <resources>
  <object id="1" type="model"><mesh>
<vertices>
)";

void require_three_mf(const std::filesystem::path& path, const char* done) {
  if (format_of(path) != Format::three_mf)
    throw InputError(fmt::format("{}: lattices are {} as 3MF files (.3mf)", path.string(), done));
}

Vec3f single(const Vec3d& p, const std::string& name) {
  const Vec3f q = cast<float>(p);
  if (!std::isfinite(q[0]) || !std::isfinite(q[1]) || !std::isfinite(q[2]))
    throw InputError(name + ": coordinates are too large for the single precision of 3MF files");
  return q;
}

/// Beams between two vertices in one place are not allowed; nor are those without a radius.
bool has_place(const LatticeGraph& graph, std::size_t s) {
  const StrutNodes& n = graph.struts[s];
  return n[0] != n[1] && cast<float>(graph.nodes[n[0]]) != cast<float>(graph.nodes[n[1]]) &&
         std::min(graph.radii[s][0], graph.radii[s][1]) > 0;
}

}  // namespace

ReadLatticeResult read_lattice(const std::filesystem::path& path,
                               const ProgressCallback& progress) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw InputError(fmt::format("{}: cannot be read: it is a folder", path.string()));
  require_three_mf(path, "read");
  const detail::MappedFile file(path);
  return parse_lattice(file.bytes(), path.string(), progress);
}

ReadLatticeResult parse_lattice(std::span<const char> bytes, const std::string& name,
                                const ProgressCallback& progress) {
  ReadLatticeResult result = detail::read_three_mf_beams({bytes, name, progress});
  result.bytes = bytes.size();
  return result;
}

WriteLatticeResult write_lattice(const std::filesystem::path& path, const LatticeGraph& graph,
                                 const ProgressCallback& progress) {
  require_three_mf(path, "written");
  if (const auto wrong = graph.validate()) throw InputError(*wrong);
  const std::size_t struts = graph.struts.size();
  detail::OutputFile file(path);
  detail::ZipWriter zip(file);
  detail::add_package_parts(zip);
  constexpr std::uint64_t longest = 100;  // of a line
  zip.begin(detail::model_part, 4096 + longest * (graph.nodes.size() + struts));
  zip.append(model_start);
  Progress done(progress, "writing", graph.nodes.size() + struts);
  zip.append(graph.nodes.size(), done,
             [&](std::size_t first, std::size_t last, detail::TextBuffer& text) {
               constexpr std::string_view names[] = {"<vertex x=\"", "\" y=\"", "\" z=\""};
               for (std::size_t v = first; v < last; ++v) {
                 const Vec3f p = single(graph.nodes[v], path.string());
                 for (int i = 0; i < 3; ++i) {
                   text.put(names[i]);
                   text.put(p[i]);
                 }
                 text.put("\"/>\n");
               }
             });
  // A default radius is required; every beam has its own all the same.
  zip.append(
      "</vertices>\n<b:beamlattice radius=\"1\" minlength=\"0.000001\" cap=\"sphere\">\n"
      "<b:beams>\n");
  std::atomic<std::size_t> left_out{0};
  zip.append(struts, done, [&](std::size_t first, std::size_t last, detail::TextBuffer& text) {
    constexpr std::string_view names[] = {"<b:beam v1=\"", "\" v2=\"", "\" r1=\"", "\" r2=\""};
    for (std::size_t s = first; s < last; ++s) {
      if (!has_place(graph, s)) {
        ++left_out;
        continue;
      }
      for (int i = 0; i < 2; ++i) {
        text.put(names[i]);
        text.put(graph.struts[s][i]);
      }
      for (int i = 0; i < 2; ++i) {
        text.put(names[2 + i]);
        text.put(graph.radii[s][i]);
      }
      text.put("\"/>\n");
    }
  });
  zip.append(
      "</b:beams>\n</b:beamlattice>\n  </mesh></object>\n </resources>\n"
      " <build>\n  <item objectid=\"1\"/>\n </build>\n</model>\n");
  zip.end();
  zip.finish();
  if (left_out == struts)
    throw InputError(path.string() +
                     ": not written: the lattice has no strut with a length and a radius");
  file.commit();
  WriteLatticeResult result;
  result.struts = struts - left_out;
  result.bytes = file.size();
  if (left_out > 0)
    result.notes.push_back(
        fmt::format("3MF files have no room for struts without length or radius: {} were left out",
                    left_out.load()));
  return result;
}

}  // namespace tessera::io
