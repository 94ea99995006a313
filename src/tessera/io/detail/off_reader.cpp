// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Geomview's OFF: a header [ST][C][N]OFF, the counts, a row for each vertex (position, normal,
// colour, texture coordinates) and one for each face (corner count, corners, colour).
#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "tessera/core/error.h"
#include "tessera/core/parallel.h"
#include "tessera/io/detail/polygons.h"
#include "tessera/io/detail/source.h"
#include "tessera/io/detail/table.h"

namespace tessera::io::detail {
namespace {

struct Header {
  bool normals = false;
  bool colors = false;
  bool texcoords = false;
  std::uint64_t vertices = 0;
  std::uint64_t faces = 0;
  std::uint64_t first_row = 0;  ///< of the vertices
};

/// Colours as they stand in the file. Whether they are bytes or fractions shows only once all have
/// been read, for a fraction of 1 is often written as "1".
class Colors {
 public:
  Colors(std::uint64_t elements, int components)
      : components_(components), values_(elements * static_cast<std::uint64_t>(components)) {}

  int components() const { return components_; }

  /// Reads the colour of one element; any thread. False where there are not enough numbers.
  bool read(std::uint64_t element, Scanner& row) {
    float* out = values_.data() + element * static_cast<std::uint64_t>(components_);
    for (int i = 0; i < components_; ++i) {
      row.skip_blanks();
      const char* first = row.position;
      double value = 0.0;
      if (!row.read(value)) return false;
      if (!std::all_of(first, row.position, is_digit))
        raise(fractions_);
      else if (value > 255.0)
        raise(too_large_);
      else if (value > 1.0)
        raise(bytes_);
      out[i] = static_cast<float>(value);
    }
    return true;
  }

  /// Nothing where the numbers are neither bytes nor fractions throughout.
  std::optional<Attribute> attribute() {
    if (too_large_ || (fractions_ && bytes_)) return std::nullopt;
    if (!bytes_) return Attribute{"color", components_, std::move(values_)};
    Array<std::uint8_t> small(values_.size());
    parallel_for_ranges(values_.size(), 65536, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) small[i] = static_cast<std::uint8_t>(values_[i]);
    });
    return Attribute{"color", components_, std::move(small)};
  }

 private:
  /// Tests first: a store for each number would bounce the cache line between the threads.
  static void raise(std::atomic<bool>& flag) {
    if (!flag.load(std::memory_order_relaxed)) flag.store(true, std::memory_order_relaxed);
  }

  int components_;
  Array<float> values_;
  std::atomic<bool> fractions_{false};
  std::atomic<bool> bytes_{false};
  std::atomic<bool> too_large_{false};
};

/// How many tokens are left in the row.
std::int64_t count_tokens(Scanner row) {
  std::int64_t count = 0;
  for (; !at_row_end(row); ++count) row.token();
  return count;
}

class Reader {
 public:
  explicit Reader(const Source& source) : source_(source), table_(source) {}

  ReadResult read() {
    read_header();
    Progress progress(source_.progress, "reading", header_.vertices + header_.faces);
    read_vertices(progress);
    if (!read_triangles(progress)) read_polygons();
    if (const std::uint64_t rest =
            table_.size() - header_.first_row - header_.vertices - header_.faces)
      note("{} lines after the faces were not read", rest);
    return std::move(result_);
  }

 private:
  template <class... Args>
  void note(fmt::format_string<Args...> text, Args&&... args) {
    result_.notes.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  void read_header() {
    if (table_.size() == 0) source_.fail("the file is empty");
    Scanner text = table_.row(0);
    const char* start = text.position;
    std::string_view word = text.token();
    auto take = [&](std::string_view prefix) {
      if (!word.starts_with(prefix)) return false;
      word.remove_prefix(prefix.size());
      return true;
    };
    header_.texcoords = take("ST");
    header_.colors = take("C");
    header_.normals = take("N");
    if (word == "4OFF" || word == "nOFF" || word == "4nOFF")
      source_.fail_at_line(start, "OFF files of four or n dimensions are not supported");
    if (word != "OFF") source_.fail_at_line(start, "not an OFF file: it does not start with OFF");
    std::uint64_t next = 1;
    if (at_row_end(text)) {
      if (table_.size() < 2) source_.fail("the file ends before the number of vertices");
      text = table_.row(1);
      next = 2;
    }
    const char* counts = text.position;
    if (Scanner(text).token() == "BINARY")
      source_.fail_at_line(counts, "binary OFF files are not supported");
    if (!text.read(header_.vertices) || !text.read(header_.faces))
      source_.fail_at_line(counts, "expected the numbers of vertices and faces");
    header_.first_row = next;
    const std::uint64_t rows = table_.size() - next;
    source_.check_counts(header_.vertices, header_.faces);
    if (header_.vertices + header_.faces > rows)
      source_.fail(fmt::format("{} vertices and {} faces are announced, but only {} lines follow",
                               header_.vertices, header_.faces, rows));
  }

  void read_vertices(Progress& progress) {
    const std::uint64_t n = header_.vertices;
    if (n == 0) return;
    const int fixed = 3 + (header_.normals ? 3 : 0) + (header_.texcoords ? 2 : 0);
    const Scanner first = table_.row(header_.first_row);
    const std::int64_t columns = count_tokens(first);
    const bool four = columns == fixed + 4;
    const int color_columns = !header_.colors ? 0 : four ? 4 : 3;
    if (header_.colors && columns != fixed + color_columns)
      source_.fail_at_line(
          first.position,
          fmt::format("a vertex has {} numbers, where {} or {} are due with this header", columns,
                      fixed + 3, fixed + 4));
    result_.mesh.positions.resize(n);
    Array<float> normals(header_.normals ? 3 * n : 0);
    Array<float> texcoords(header_.texcoords ? 2 * n : 0);
    Colors colors(n, color_columns);
    std::atomic<bool> more{false};
    auto read_floats = [](Scanner& row, float* out, int count) {
      for (int i = 0; i < count; ++i) {
        double value = 0.0;
        if (!row.read(value)) return false;
        out[i] = static_cast<float>(value);
      }
      return true;
    };
    table_.for_each(header_.first_row, n, progress, [&](std::uint64_t i, Scanner& row) {
      Vec3d& p = result_.mesh.positions[i];
      if (!row.read(p[0]) || !row.read(p[1]) || !row.read(p[2]) ||
          (header_.normals && !read_floats(row, normals.data() + 3 * i, 3)) ||
          !colors.read(i, row) ||
          (header_.texcoords && !read_floats(row, texcoords.data() + 2 * i, 2)))
        throw RowError{row.position,
                       fmt::format("vertex {} needs {} numbers", i, fixed + color_columns)};
      if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2]))
        throw RowError{row.position,
                       fmt::format("vertex {} has a coordinate that is not finite", i)};
      if (at_row_end(row)) return;
      double extra = 0.0;
      if (!row.read(extra))
        throw RowError{row.position, fmt::format("vertex {} has a bad number", i)};
      more.store(true, std::memory_order_relaxed);
    });
    Attributes& attributes = result_.mesh.vertex_attributes;
    if (header_.normals) attributes.push_back({"normal", 3, std::move(normals)});
    if (header_.colors) add_colors(colors, attributes, "vertices");
    if (header_.texcoords) attributes.push_back({"texcoord", 2, std::move(texcoords)});
    if (more) note("numbers of vertices beyond those that the header names were not read");
  }

  void add_colors(Colors& colors, Attributes& attributes, std::string_view elements) {
    if (auto attribute = colors.attribute())
      attributes.push_back(std::move(*attribute));
    else
      note("colours of {} were not read: they are neither all 0 to 255 nor all 0 to 1", elements);
  }

  /// What follows a face's corners. One number is the index into a colour map, which no file
  /// brings.
  Colors face_colors() {
    if (header_.faces == 0) return {0, 0};
    Scanner row = table_.row(first_face());
    std::uint64_t corners = 0;
    row.read(corners);
    const std::int64_t rest = count_tokens(row) - static_cast<std::int64_t>(corners);
    return {header_.faces, rest == 3 || rest == 4 ? static_cast<int>(rest) : 0};
  }

  /// After the corners: this face's colour, if it has one like all the others.
  void read_color(std::uint64_t face, Scanner& row, Colors& colors) {
    if (colors.components() > 0 && !colors.read(face, row)) mixed_colors_ = true;
    if (!at_row_end(row)) mixed_colors_ = true;
  }

  void finish_colors(Colors& colors) {
    if (mixed_colors_)
      note("colours of faces were not read: they are not of one kind throughout");
    else if (colors.components() > 0)
      add_colors(colors, result_.mesh.face_attributes, "faces");
  }

  std::uint64_t first_face() const { return header_.first_row + header_.vertices; }

  Index read_corner(std::uint64_t face, Scanner& row) const {
    std::uint64_t corner = 0;
    if (!row.read(corner))
      throw RowError{row.position, fmt::format("face {} lacks a vertex number", face)};
    if (corner >= header_.vertices)
      throw RowError{row.position, fmt::format("face {} refers to vertex {}, but there are only {}",
                                               face, corner, header_.vertices)};
    return static_cast<Index>(corner);
  }

  std::uint64_t read_corner_count(std::uint64_t face, Scanner& row) const {
    std::uint64_t corners = 0;
    if (!row.read(corners) || corners == 0)
      throw RowError{row.position, fmt::format("face {} needs a number of corners", face)};
    return corners;
  }

  /// Nearly all files hold nothing but triangles: they go straight to their place. False, with
  /// nothing read, where there is a face of another kind, or an error: which of the two comes up
  /// first depends on the threads, so read_polygons() has the word.
  bool read_triangles(Progress& progress) {
    Array<Triangle> triangles(header_.faces);
    Colors colors = face_colors();
    std::atomic<bool> polygons{false};
    try {
      table_.for_each(first_face(), header_.faces, progress, [&](std::uint64_t f, Scanner& row) {
        if (polygons.load(std::memory_order_relaxed)) return;
        if (read_corner_count(f, row) != 3) {
          polygons.store(true, std::memory_order_relaxed);
          return;
        }
        for (int i = 0; i < 3; ++i) triangles[f][i] = read_corner(f, row);
        read_color(f, row, colors);
      });
    } catch (const InputError&) {
      polygons = true;
    }
    if (polygons) {
      mixed_colors_ = false;
      return false;
    }
    result_.mesh.triangles = std::move(triangles);
    finish_colors(colors);
    return true;
  }

  void read_polygons() {
    Progress progress(source_.progress, "reading polygons", 2 * header_.faces);
    PolygonSoup polygons;
    polygons.starts.resize(header_.faces + 1);
    polygons.starts[0] = 0;
    table_.for_each(first_face(), header_.faces, progress, [&](std::uint64_t f, Scanner& row) {
      const std::uint64_t corners = read_corner_count(f, row);
      // At least two characters each: what is announced never needs more memory than the file.
      const auto room =
          static_cast<std::uint64_t>(line_end(row.position, row.end) - row.position) / 2;
      if (corners > room)
        throw RowError{row.position, fmt::format("face {} lacks a vertex number", f)};
      polygons.starts[f + 1] = corners;
    });
    std::partial_sum(polygons.starts.begin(), polygons.starts.end(), polygons.starts.begin());
    polygons.corners.resize(polygons.starts.back());
    Colors colors = face_colors();
    table_.for_each(first_face(), header_.faces, progress, [&](std::uint64_t f, Scanner& row) {
      read_corner_count(f, row);
      for (std::uint64_t i = polygons.starts[f]; i < polygons.starts[f + 1]; ++i)
        polygons.corners[i] = read_corner(f, row);
      read_color(f, row, colors);
    });
    finish_colors(colors);
    triangulate(source_, polygons, result_);
  }

  const Source& source_;
  LineTable table_;
  Header header_;
  ReadResult result_;
  std::atomic<bool> mixed_colors_{false};
};

}  // namespace

ReadResult read_off(const Source& source) {
  return Reader(source).read();
}

}  // namespace tessera::io::detail
