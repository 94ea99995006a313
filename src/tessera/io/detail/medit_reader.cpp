// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// MEDIT's text format (Frey, INRIA RT-0253, 2001): the surface part.
#include <atomic>
#include <cmath>

#include <fmt/format.h>

#include "tessera/core/parallel.h"
#include "tessera/io/detail/medit_text.h"
#include "tessera/io/detail/polygons.h"
#include "tessera/io/detail/source.h"
#include "tessera/io/detail/table.h"

namespace tessera::io::detail {
namespace {

/// The reference numbers of the elements of one kind, kept only if they say something.
class Refs {
 public:
  explicit Refs(std::size_t elements) : values_(elements) {}

  /// The end of an element's row: its reference, 0 where there is none. False if it is no number.
  bool read(std::size_t element, Scanner& row) {
    std::int32_t ref = 0;
    if (!at_row_end(row) && !(row.read(ref) && at_row_end(row))) return false;
    values_[element] = ref;
    if (ref != 0 && !any_.load(std::memory_order_relaxed))
      any_.store(true, std::memory_order_relaxed);
    return true;
  }

  void add_to(Attributes& attributes) {
    if (any_) attributes.push_back({"ref", 1, std::move(values_)});
  }

 private:
  Array<std::int32_t> values_;
  std::atomic<bool> any_{false};
};

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
    if (vertices == nullptr) source_.fail("the file has no Vertices");
    auto count = [](const MeditSection* section) { return section ? section->count : 0; };
    source_.check_counts(count(vertices), count(triangles) + 2 * count(quads));
    result_.mesh.precision = text_.version == 1 ? Precision::float32 : Precision::float64;
    Progress progress(source_.progress, "reading",
                      count(vertices) + count(triangles) + count(quads));
    read_vertices(*vertices, progress);
    if (count(quads) > 0)
      read_polygons(triangles, *quads, progress);
    else if (triangles != nullptr)
      read_triangles(*triangles, progress);
    for (const MeditSection& section : text_.sections)
      if (&section != vertices && &section != triangles && &section != quads)
        result_.notes.push_back(
            fmt::format("section {} of {} entries was not read", section.keyword, section.count));
    return std::move(result_);
  }

 private:
  void read_vertices(const MeditSection& section, Progress& progress) {
    Array<Vec3d>& positions = result_.mesh.positions;
    positions.resize(section.count);
    Refs refs(section.count);
    table_.for_each(section.first_row, section.count, progress, [&](std::uint64_t i, Scanner& row) {
      Vec3d p{};
      for (int k = 0; k < text_.dimension; ++k)
        if (!row.read(p[k]))
          throw RowError{row.position,
                         fmt::format("vertex {} needs {} coordinates", i + 1, text_.dimension)};
      if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2]))
        throw RowError{row.position,
                       fmt::format("vertex {} has a coordinate that is not finite", i + 1)};
      if (!refs.read(i, row)) fail_at_ref(row, "vertex", i);
      positions[i] = p;
    });
    refs.add_to(result_.mesh.vertex_attributes);
  }

  void read_triangles(const MeditSection& section, Progress& progress) {
    Array<Triangle>& triangles = result_.mesh.triangles;
    triangles.resize(section.count);
    Refs refs(section.count);
    table_.for_each(section.first_row, section.count, progress, [&](std::uint64_t f, Scanner& row) {
      read_face(row, "triangle", f, 3, &triangles[f][0]);
      if (!refs.read(f, row)) fail_at_ref(row, "triangle", f);
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
    Refs refs(faces);
    auto read_section = [&](const MeditSection& section, const char* kind, int corners,
                            std::uint64_t first) {
      table_.for_each(
          section.first_row, section.count, progress, [&](std::uint64_t f, Scanner& row) {
            read_face(row, kind, f, corners, polygons.corners.data() + polygons.starts[first + f]);
            if (!refs.read(first + f, row)) fail_at_ref(row, kind, f);
          });
    };
    if (triangles != nullptr) read_section(*triangles, "triangle", 3, 0);
    read_section(quads, "quadrilateral", 4, first_quad);
    refs.add_to(result_.mesh.face_attributes);
    triangulate(source_, polygons, result_);
  }

  void read_face(Scanner& row, const char* kind, std::uint64_t f, int corners, Index* out) const {
    const std::uint64_t vertices = result_.mesh.positions.size();
    for (int k = 0; k < corners; ++k) {
      std::uint64_t vertex = 0;
      if (!row.read(vertex))
        throw RowError{row.position, fmt::format("{} {} lacks a vertex number", kind, f + 1)};
      if (vertex == 0 || vertex > vertices)
        throw RowError{row.position, fmt::format("{} {} refers to vertex {}, but they are 1 to {}",
                                                 kind, f + 1, vertex, vertices)};
      out[k] = static_cast<Index>(vertex - 1);
    }
  }

  [[noreturn]] void fail_at_ref(const Scanner& row, const char* kind, std::uint64_t i) const {
    throw RowError{row.position,
                   fmt::format("{} {} must end with a 32-bit reference number", kind, i + 1)};
  }

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
