// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// MEDIT's text format (Frey, INRIA RT-0253, 2001): the surface part.
#include <fmt/format.h>

#include "tessera/core/parallel.h"
#include "tessera/io/detail/medit_rows.h"
#include "tessera/io/detail/medit_text.h"
#include "tessera/io/detail/polygons.h"
#include "tessera/io/detail/source.h"
#include "tessera/io/detail/table.h"

namespace tessera::io::detail {
namespace {

class Reader {
 public:
  explicit Reader(const Source& source)
      : source_(source),
        table_(source),
        text_(find_sections(source, table_, {"Vertices", "Triangles", "Quadrilaterals"}, 0)) {}

  ReadResult read() {
    const MeditSection* vertices = text_.find(source_, "Vertices");
    const MeditSection* triangles = text_.find(source_, "Triangles");
    const MeditSection* quads = text_.find(source_, "Quadrilaterals");
    const MeditSection* ridges = text_.find(source_, "Ridges");
    const MeditSection* edges = ridges != nullptr ? text_.find(source_, "Edges") : nullptr;
    if (vertices == nullptr) source_.fail("the file has no Vertices");
    auto count = [](const MeditSection* section) { return section ? section->count : 0; };
    source_.check_counts(count(vertices), count(triangles) + 2 * count(quads));
    result_.mesh.precision = text_.version == 1 ? Precision::float32 : Precision::float64;
    Progress progress(
        source_.progress, "reading",
        count(vertices) + count(triangles) + count(quads) + count(edges) + count(ridges));
    read_medit_vertices(table_, text_, *vertices, progress, result_.mesh.positions,
                        result_.mesh.vertex_attributes);
    if (count(quads) > 0)
      read_polygons(triangles, *quads, progress);
    else if (triangles != nullptr)
      read_triangles(*triangles, progress);
    if (count(ridges) > 0) read_ridges(*ridges, edges, progress);
    for (const MeditSection& section : text_.sections)
      if (&section != vertices && &section != triangles && &section != quads &&
          &section != ridges && &section != edges)
        result_.notes.push_back(
            fmt::format("section {} of {} entries was not read", section.keyword, section.count));
    return std::move(result_);
  }

 private:
  void read_triangles(const MeditSection& section, Progress& progress) {
    Array<Triangle>& triangles = result_.mesh.triangles;
    triangles.resize(section.count);
    MeditRefs refs(section.count);
    table_.for_each(section.first_row, section.count, progress, [&](std::uint64_t f, Scanner& row) {
      read_medit_corners(row, "triangle", f + 1, 3, vertex_count(), triangles[f].v);
      refs.set(f, read_medit_ref(row, "triangle", f + 1));
    });
    refs.add_to(result_.mesh.face_attributes);
  }

  /// Triangles and quadrilaterals, in this order.
  void read_polygons(const MeditSection* triangles, const MeditSection& quads, Progress& progress) {
    const std::uint64_t first_quad = triangles != nullptr ? triangles->count : 0;
    const std::uint64_t faces = first_quad + quads.count;
    PolygonSoup polygons;
    polygons.starts.resize(faces + 1);
    parallel_for_ranges(faces + 1, 65536, [&](std::size_t begin, std::size_t end) {
      for (std::uint64_t f = begin; f < end; ++f)
        polygons.starts[f] = f < first_quad ? 3 * f : 4 * f - first_quad;
    });
    polygons.corners.resize(polygons.starts.back());
    MeditRefs refs(faces);
    auto read_section = [&](const MeditSection& section, const char* kind, Index corners,
                            std::uint64_t first) {
      table_.for_each(section.first_row, section.count, progress,
                      [&](std::uint64_t f, Scanner& row) {
                        read_medit_corners(row, kind, f + 1, corners, vertex_count(),
                                           polygons.corners.data() + polygons.starts[first + f]);
                        refs.set(first + f, read_medit_ref(row, kind, f + 1));
                      });
    };
    if (triangles != nullptr) read_section(*triangles, "triangle", 3, 0);
    read_section(quads, "quadrilateral", 4, first_quad);
    refs.add_to(result_.mesh.face_attributes);
    triangulate(source_, polygons, result_);
  }

  /// The edges that are ridges, by their numbers.
  void read_ridges(const MeditSection& section, const MeditSection* edges, Progress& progress) {
    if (edges == nullptr) source_.fail_at_line(section.where, "there are Ridges but no Edges");
    for (const MeditSection* rows : {&section, edges})
      if (rows->first_row > table_.size() || rows->count > table_.size() - rows->first_row)
        source_.fail_at_line(
            rows->where, fmt::format("not all of the {} {} follow", rows->count, rows->keyword));
    Array<VertexPair> all(edges->count);
    table_.for_each(edges->first_row, edges->count, progress, [&](std::uint64_t i, Scanner& row) {
      read_medit_corners(row, "edge", i + 1, 2, vertex_count(), all[i].v);
      read_medit_ref(row, "edge", i + 1);
    });
    Array<VertexPair>& ridges = result_.mesh.ridges;
    ridges.resize(section.count);
    table_.for_each(section.first_row, section.count, progress, [&](std::uint64_t i, Scanner& row) {
      std::uint64_t edge = 0;
      if (!row.read_whole(edge) || !at_row_end(row) || edge == 0 || edge > all.size())
        throw RowError{row.position,
                       fmt::format("ridge {} is no edge from 1 to {}", i + 1, all.size())};
      ridges[i] = all[edge - 1];
    });
  }

  std::uint64_t vertex_count() const { return result_.mesh.positions.size(); }

  const Source& source_;
  LineTable table_;
  MeditText text_;
  ReadResult result_;
};

}  // namespace

ReadResult read_medit(const Source& source) {
  return Reader(source).read();
}

}  // namespace tessera::io::detail
