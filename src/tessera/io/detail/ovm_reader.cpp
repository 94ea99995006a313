// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// OpenVolumeMesh's text format (.ovm): edges of vertices, faces of half-edges, cells of half-faces.
#include <algorithm>
#include <atomic>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "tessera/io/detail/cells.h"
#include "tessera/io/detail/elements.h"
#include "tessera/io/detail/named_cells.h"
#include "tessera/io/detail/select.h"
#include "tessera/io/detail/table.h"

namespace tessera::io::detail {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

class Reader {
 public:
  explicit Reader(const Source& source) : source_(source), table_(source) {}

  ReadPolyhedraResult read() {
    read_header();
    Progress progress(source_.progress, "reading", table_.size());
    read_vertices(progress);
    read_edges(progress);
    read_faces(progress);
    read_cells(progress);
    keep_lone_edges();
    name_polyhedra(result_.mesh);
    if (row_ < table_.size())
      result_.notes.push_back(fmt::format("{} lines behind the cells (properties) were not read",
                                          table_.size() - row_));
    return std::move(result_);
  }

 private:
  void read_header() {
    if (table_.size() == 0) source_.fail("the file is empty");
    Scanner row = table_.row(row_++);
    const char* where = row.position;
    const std::string name = lower(row.token());
    const std::string kind = lower(row.token());
    if (name != "ovm") source_.fail_at_line(where, "not an OVM file: it does not start with OVM");
    if (kind != "ascii")
      source_.fail_at_line(where,
                           fmt::format("OVM files of kind \"{}\" are not read, only ASCII", kind));
  }

  /// The number of elements of a section, whose rows then start at row_; 0 where the file has none.
  std::uint64_t find_section(const char* keyword) {
    if (row_ == table_.size()) return 0;
    Scanner row = table_.row(row_);
    const char* where = row.position;
    if (lower(row.token()) != lower(keyword)) {
      if (*where >= '0' && *where <= '9')
        source_.fail_at_line(where, fmt::format("expected {}; there may be more rows here than the "
                                                "section above announces",
                                                keyword));
      return 0;
    }
    ++row_;
    if (at_row_end(row) && row_ < table_.size()) row = table_.row(row_++);
    std::uint64_t count = 0;
    if (!row.read_whole(count) || !at_row_end(row))
      source_.fail_at_line(where, fmt::format("{} needs a number below it", keyword));
    if (count > table_.size() - row_)
      source_.fail(fmt::format("{} {} are announced, but only {} lines follow", count, keyword,
                               table_.size() - row_));
    if (count >= no_index / 2)
      source_.fail(fmt::format("{} {} are more than 32-bit indices can name", count, keyword));
    return count;
  }

  void read_vertices(Progress& progress) {
    const std::uint64_t count = find_section("Vertices");
    Array<Vec3d>& positions = result_.mesh.positions;
    positions.resize(count);
    table_.for_each(row_, count, progress, [&](std::uint64_t i, Scanner& row) {
      Vec3d p{};
      for (double& x : p.v)
        if (!row.read_whole(x))
          throw RowError{row.position, fmt::format("vertex {} needs 3 coordinates", i)};
      if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2]))
        throw RowError{row.position,
                       fmt::format("vertex {} has a coordinate that is not finite", i)};
      positions[i] = p;
      require_row_end(row, "vertex", i);
    });
    row_ += count;
  }

  /// A number of the row of element `i`, below `limit`.
  static Index read_index(Scanner& row, const char* kind, std::uint64_t i, const char* of,
                          std::uint64_t limit) {
    std::uint64_t value = 0;
    if (!row.read_whole(value))
      throw RowError{row.position, fmt::format("{} {} lacks a {}", kind, i, of)};
    if (value >= limit)
      throw RowError{row.position, fmt::format("{} {} refers to {} {}, but there are only {}", kind,
                                               i, of, value, limit)};
    return static_cast<Index>(value);
  }

  static void require_row_end(Scanner& row, const char* kind, std::uint64_t i) {
    if (!at_row_end(row))
      throw RowError{row.position,
                     fmt::format("{} {} has more in its row than it should", kind, i)};
  }

  void read_edges(Progress& progress) {
    const std::uint64_t count = find_section("Edges");
    PolyhedralSoup& mesh = result_.mesh;
    mesh.segments.resize(count);
    table_.for_each(row_, count, progress, [&](std::uint64_t i, Scanner& row) {
      for (Index& vertex : mesh.segments[i].v)
        vertex = read_index(row, "edge", i, "vertex", mesh.positions.size());
      require_row_end(row, "edge", i);
    });
    row_ += count;
  }

  /// How many numbers follow in each row of a section, the least being `least`.
  Array<ElementShape> read_sizes(std::uint64_t count, const char* kind, std::uint64_t least,
                                 ElementShape shape) {
    Array<ElementShape> shapes(count);
    const ProgressCallback silent;
    Progress progress(silent, "", count);
    table_.for_each(row_, count, progress, [&](std::uint64_t i, Scanner& row) {
      std::uint64_t size = 0;
      // A number takes two characters at least.
      if (!row.read_whole(size) || size < least || size > source_.bytes.size() / 2)
        throw RowError{
            row.position,
            fmt::format("{} {} needs a number from {} on, and as many behind it", kind, i, least)};
      shapes[i] = shape;
      shapes[i].size = static_cast<Index>(size);
    });
    std::uint64_t total = 0;
    for (const ElementShape& s : shapes) total += s.size;
    if (total > source_.bytes.size() / 2)
      source_.fail(fmt::format("the file is too short for its {}s", kind));
    return shapes;
  }

  /// Edges of faces are no segments of their own.
  void keep_lone_edges() {
    Array<Segment>& segments = result_.mesh.segments;
    const Array<Index> lone =
        select(segments.size(), [&](std::size_t i) { return has_face_[i] == 0; });
    Array<Segment> kept;
    for (const Index i : lone) kept.push_back(segments[i]);
    segments = std::move(kept);
  }

  void read_faces(Progress& progress) {
    const std::uint64_t count = find_section("Faces");
    PolyhedralSoup& mesh = result_.mesh;
    const Array<ElementShape> shapes = read_sizes(count, "face", 3, {ElementRole::polygon, {}, 0});
    has_face_.assign(mesh.segments.size(), 0);
    // Edges of the file are segments of the mesh, so make_room() is behind them.
    const ElementPlaces places = make_room(source_, shapes, mesh);
    table_.for_each(row_, count, progress, [&](std::uint64_t i, Scanner& row) {
      std::uint64_t size = 0;
      row.read_whole(size);
      Index* out = entries_of(mesh, shapes[i], places, i);
      Index last_end = 0;
      for (Index k = 0; k < shapes[i].size; ++k) {
        const Index half = read_index(row, "face", i, "half-edge", 2 * mesh.segments.size());
        const Segment& edge = mesh.segments[half / 2];
        std::atomic_ref(has_face_[half / 2]).store(1, std::memory_order_relaxed);
        out[k] = edge[static_cast<int>(half % 2)];
        if (k > 0 && out[k] != last_end) fail_at_gap(row, i);
        last_end = edge[1 - static_cast<int>(half % 2)];
      }
      if (last_end != out[0]) fail_at_gap(row, i);
      require_row_end(row, "face", i);
    });
    row_ += count;
  }

  [[noreturn]] static void fail_at_gap(const Scanner& row, std::uint64_t face) {
    throw RowError{row.position, fmt::format("the half-edges of face {} are no cycle", face)};
  }

  void read_cells(Progress& progress) {
    const std::uint64_t count = find_section("Polyhedra");
    PolyhedralSoup& mesh = result_.mesh;
    const Array<ElementShape> shapes =
        read_sizes(count, "polyhedron", 4, {ElementRole::cell, CellType::polyhedron, 0});
    const ElementPlaces places = make_room(source_, shapes, mesh);
    table_.for_each(row_, count, progress, [&](std::uint64_t i, Scanner& row) {
      std::uint64_t size = 0;
      row.read_whole(size);
      Index* out = entries_of(mesh, shapes[i], places, i);
      for (Index k = 0; k < shapes[i].size; ++k) {
        const Index half = read_index(row, "polyhedron", i, "half-face", 2 * mesh.polygon_count());
        out[k] = half % 2 == 0 ? half / 2 : ~(half / 2);
      }
      require_row_end(row, "polyhedron", i);
    });
    row_ += count;
  }

  const Source& source_;
  LineTable table_;
  std::uint64_t row_ = 0;
  Array<std::uint8_t> has_face_;  ///< of edges
  ReadPolyhedraResult result_;
};

}  // namespace

ReadPolyhedraResult read_ovm(const Source& source) {
  return Reader(source).read();
}

}  // namespace tessera::io::detail
