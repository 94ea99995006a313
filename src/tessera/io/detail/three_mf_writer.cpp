// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Not through lib3mf: its version 1.8 cuts coordinates off after six decimals, whatever their size,
// and gives every file random identifiers, so that no two files of a mesh are alike.
#include <cmath>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "tessera/core/error.h"
#include "tessera/core/parallel.h"
#include "tessera/io/detail/lost_attributes.h"
#include "tessera/io/detail/three_mf_package.h"
#include "tessera/io/detail/writers.h"
#include "tessera/io/detail/zip_writer.h"

namespace tessera::io::detail {
namespace {

constexpr std::string_view model_start =
    R"(<?xml version="1.0" encoding="UTF-8"?>
<model unit="millimeter" xml:lang="en-US" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02">
 <resources>
)";

bool is_degenerate(const Triangle& t) {
  return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
}

std::size_t count_degenerate(const Array<Triangle>& triangles) {
  return parallel_reduce(
      triangles.size(), 65536, std::size_t{0},
      [&](std::size_t begin, std::size_t end, std::size_t count) {
        for (std::size_t f = begin; f < end; ++f) count += is_degenerate(triangles[f]) ? 1 : 0;
        return count;
      },
      std::plus<>());
}

void put_vertices(const TriangleSoup& mesh, std::size_t first, std::size_t last, TextBuffer& text) {
  constexpr std::string_view names[] = {"<vertex x=\"", "\" y=\"", "\" z=\""};
  for (std::size_t v = first; v < last; ++v) {
    for (int i = 0; i < 3; ++i) {
      const auto x = static_cast<float>(mesh.positions[v][i]);
      if (!std::isfinite(x))
        throw InputError("coordinates are too large for the single precision of 3MF files");
      text.put(names[i]);
      text.put(x);
    }
    text.put("\"/>\n");
  }
}

void put_triangles(const TriangleSoup& mesh, std::size_t first, std::size_t last,
                   TextBuffer& text) {
  constexpr std::string_view names[] = {"<triangle v1=\"", "\" v2=\"", "\" v3=\""};
  for (std::size_t f = first; f < last; ++f) {
    if (is_degenerate(mesh.triangles[f])) continue;
    for (int i = 0; i < 3; ++i) {
      text.put(names[i]);
      text.put(mesh.triangles[f][i]);
    }
    text.put("\"/>\n");
  }
}

/// The mesh as the only object; 3MF has none without triangles, nor triangles with equal corners.
void put_model(const Target& target, ZipWriter& zip) {
  const TriangleSoup& mesh = target.mesh;
  auto& notes = target.result.notes;
  const std::size_t degenerate = count_degenerate(mesh.triangles);
  if (degenerate > 0)
    notes.push_back(fmt::format(
        "3MF files have no room for faces with equal corners: {} were left out", degenerate));
  target.result.faces -= degenerate;
  zip.append(model_start);
  if (degenerate == mesh.triangles.size()) {
    if (!mesh.positions.empty())
      notes.push_back(fmt::format("3MF files have no room for {} vertices without a face",
                                  mesh.positions.size()));
    target.result.vertices = 0;
    zip.append(" </resources>\n <build/>\n</model>\n");
    return;
  }
  Progress progress(target.progress, "writing", mesh.positions.size() + mesh.triangles.size());
  zip.append("  <object id=\"1\" type=\"model\"><mesh>\n<vertices>\n");
  zip.append(mesh.positions.size(), progress,
             [&](std::size_t first, std::size_t last, TextBuffer& text) {
               put_vertices(mesh, first, last, text);
             });
  zip.append("</vertices>\n<triangles>\n");
  zip.append(mesh.triangles.size(), progress,
             [&](std::size_t first, std::size_t last, TextBuffer& text) {
               put_triangles(mesh, first, last, text);
             });
  zip.append("</triangles>\n  </mesh></object>\n </resources>\n");
  zip.append(" <build>\n  <item objectid=\"1\"/>\n </build>\n</model>\n");
}

}  // namespace

void write_three_mf(const Target& target) {
  note_lost(target, "3MF", {});
  ZipWriter zip(target.file);
  add_package_parts(zip);
  // The longest line has 70 characters: "-1.1754944e-38" three times, or three numbers of 10
  // digits.
  constexpr std::uint64_t longest = 80;
  zip.begin(model_part,
            4096 + longest * (target.mesh.positions.size() + target.mesh.triangles.size()));
  put_model(target, zip);
  zip.end();
  zip.finish();
}

}  // namespace tessera::io::detail
