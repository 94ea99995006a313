// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// TetGen's .node and .ele files (https://wias-berlin.de/software/tetgen/fformats.html).
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "tessera/core/find_first.h"
#include "tessera/io/detail/cells.h"
#include "tessera/io/detail/curved.h"
#include "tessera/io/detail/elements.h"
#include "tessera/io/detail/table.h"

namespace tessera::io::detail {
namespace {

/// The first row of both files: how many elements there are, and what is in their rows.
struct Header {
  std::uint64_t count = 0;
  std::uint64_t second = 0;      ///< dimension of points, or nodes of a tetrahedron
  std::uint64_t attributes = 0;  ///< numbers behind that
  std::uint64_t markers = 0;     ///< 0 or 1, of points alone
};

Header read_header(const Source& source, LineTable& table, const char* what) {
  if (table.size() == 0) source.fail("the file is empty");
  Scanner row = table.row(0);
  const char* where = row.position;
  Header header;
  if (!row.read_whole(header.count) || !row.at_boundary())
    source.fail_at_line(where, fmt::format("expected the number of {}", what));
  for (std::uint64_t* field : {&header.second, &header.attributes, &header.markers})
    if (!at_row_end(row) && !row.read_whole(*field))
      source.fail_at_line(row.position, "expected a number");
  if (header.count > table.size() - 1)
    source.fail(fmt::format("{} {} are announced, but only {} lines follow", header.count, what,
                            table.size() - 1));
  // Checked before memory is taken: the rows are there, but their numbers may not be.
  if (header.attributes > source.bytes.size() / 2 ||
      header.count * header.attributes * 2 > source.bytes.size())
    source.fail_at_line(where, "the file is too short for its attributes");
  return header;
}

class Reader {
 public:
  explicit Reader(const Source& nodes) : nodes_(nodes) {}

  ReadPolyhedraResult read(const Source* elements) {
    read_nodes();
    if (elements != nullptr) read_elements(*elements);
    return std::move(result_);
  }

 private:
  /// The `count` numbers behind those that every row has; `number` is the element's own.
  static void read_attributes(Scanner& row, const char* kind, std::uint64_t number,
                              std::uint64_t count, double* out) {
    for (std::uint64_t k = 0; k < count; ++k)
      if (!row.read_whole(out[k]))
        throw RowError{row.position, fmt::format("{} {} lacks an attribute", kind, number)};
  }

  /// The number that a row starts with; rows are numbered from `first` on.
  static void check_number(Scanner& row, const char* kind, std::uint64_t expected) {
    std::uint64_t number = 0;
    if (!row.read_whole(number) || number != expected)
      throw RowError{row.position, fmt::format("expected {} {}", kind, expected)};
  }

  void read_nodes() {
    LineTable table(nodes_);
    const Header header = read_header(nodes_, table, "points");
    if (header.second != 3 && header.count > 0)
      nodes_.fail_at_line(
          table.row(0).position,
          fmt::format("points of dimension {} are not read, only 3", header.second));
    nodes_.check_counts(header.count, 0);
    if (header.count > 0) {
      Scanner row = table.row(1);
      if (!row.read_whole(first_) || first_ > 1)
        nodes_.fail_at_line(row.position, "points must be numbered from 0 or 1 on");
    }
    PolyhedralSoup& mesh = result_.mesh;
    mesh.positions.resize(header.count);
    Array<double> attributes(header.count * header.attributes);
    Array<std::int32_t> markers(header.count, 0);
    std::atomic<bool> any_marker{false};
    Progress progress(nodes_.progress, "reading", header.count);
    table.for_each(1, header.count, progress, [&](std::uint64_t i, Scanner& row) {
      check_number(row, "point", first_ + i);
      Vec3d p{};
      for (double& x : p.v)
        if (!row.read_whole(x))
          throw RowError{row.position, fmt::format("point {} needs 3 coordinates", first_ + i)};
      if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2]))
        throw RowError{row.position,
                       fmt::format("point {} has a coordinate that is not finite", first_ + i)};
      mesh.positions[i] = p;
      read_attributes(row, "point", first_ + i, header.attributes,
                      attributes.data() + i * header.attributes);
      if (header.markers > 0 && !at_row_end(row)) {
        if (!row.read_whole(markers[i]))
          throw RowError{row.position,
                         fmt::format("point {} must end with a 32-bit marker", first_ + i)};
        if (markers[i] != 0) any_marker.store(true, std::memory_order_relaxed);
      }
      if (!at_row_end(row))
        throw RowError{row.position, fmt::format("point {} has more numbers than the first line "
                                                 "announces",
                                                 first_ + i)};
    });
    note_rest(table, header, "points");
    if (header.attributes > 0)
      mesh.vertex_attributes.push_back(
          {"attribute", static_cast<int>(header.attributes), std::move(attributes)});
    if (any_marker) mesh.vertex_attributes.push_back({"ref", 1, std::move(markers)});
  }

  void read_elements(const Source& source) {
    LineTable table(source);
    Header header = read_header(source, table, "tetrahedra");
    if (header.count > 0 && header.second != 4 && header.second != 10)
      source.fail_at_line(
          table.row(0).position,
          fmt::format("tetrahedra of {} nodes are not read, only of 4 and 10", header.second));
    PolyhedralSoup& mesh = result_.mesh;
    const ElementShape shape = cell_shape(CellType::tetrahedron);
    const Array<ElementShape> shapes(header.count, shape);
    const ElementPlaces places = make_room(source, shapes, mesh);
    Array<double> attributes(header.count * header.attributes);
    Progress progress(source.progress, "reading", header.count);
    table.for_each(1, header.count, progress, [&](std::uint64_t i, Scanner& row) {
      check_number(row, "tetrahedron", first_ + i);
      Index* out = entries_of(mesh, shape, places, i);
      for (std::uint64_t k = 0; k < header.second; ++k) {
        std::uint64_t point = 0;
        if (!row.read_whole(point))
          throw RowError{row.position, fmt::format("tetrahedron {} lacks a point", first_ + i)};
        if (point < first_ || point - first_ >= mesh.positions.size())
          throw RowError{
              row.position,
              fmt::format("tetrahedron {} refers to point {}, but they are {} to {}", first_ + i,
                          point, first_,
                          static_cast<std::int64_t>(first_ + mesh.positions.size()) - 1)};
        if (k < 4) out[k] = static_cast<Index>(point - first_);
      }
      read_attributes(row, "tetrahedron", first_ + i, header.attributes,
                      attributes.data() + i * header.attributes);
      if (!at_row_end(row))
        throw RowError{row.position,
                       fmt::format("tetrahedron {} has more numbers than the first line announces",
                                   first_ + i)};
    });
    note_rest(table, header, "tetrahedra");
    if (header.attributes > 0) add_regions(header, std::move(attributes));
    drop_nodes_between_corners(header.second == 10 ? header.count : 0, result_);
  }

  /// One whole number for each tetrahedron is its region: "ref".
  void add_regions(const Header& header, Array<double> values) {
    constexpr double least = std::numeric_limits<std::int32_t>::min();
    constexpr double most = std::numeric_limits<std::int32_t>::max();
    const bool are_regions =
        header.attributes == 1 &&
        find_first(values.size(), [&](std::size_t i) {
          return !(values[i] >= least && values[i] <= most && std::floor(values[i]) == values[i]);
        }) == values.size();
    Attributes& attributes = result_.mesh.cell_attributes;
    if (!are_regions) {
      attributes.push_back({"attribute", static_cast<int>(header.attributes), std::move(values)});
      return;
    }
    Array<std::int32_t> regions(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      regions[i] = static_cast<std::int32_t>(values[i]);
    attributes.push_back({"ref", 1, std::move(regions)});
  }

  void note_rest(const LineTable& table, const Header& header, const char* what) {
    const std::uint64_t rest = table.size() - 1 - header.count;
    if (rest > 0)
      result_.notes.push_back(fmt::format("{} lines behind the {} were not read", rest, what));
  }

  const Source& nodes_;
  std::uint64_t first_ = 0;  ///< the number of the first point, and of the first tetrahedron
  ReadPolyhedraResult result_;
};

}  // namespace

ReadPolyhedraResult read_tetgen(const Source& nodes, const Source* elements) {
  return Reader(nodes).read(elements);
}

}  // namespace tessera::io::detail
