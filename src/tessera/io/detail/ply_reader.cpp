// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Binary elements of equal size, all lists being as long as those of the first, go the fast way:
// blocks in parallel, column by column. Otherwise one pass finds where elements and lists start
// (in binary data only one thread can), a second one parses in parallel.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tessera/core/parallel.h"
#include "tessera/io/detail/ply_columns.h"
#include "tessera/io/detail/ply_header.h"
#include "tessera/io/detail/ply_numbers.h"
#include "tessera/io/detail/polygons.h"
#include "tessera/io/detail/source.h"
#include "tessera/io/detail/table.h"

namespace tessera::io::detail {
namespace {

constexpr std::size_t block_size = 4096;

/// The range of the lengths of a list over all elements.
struct Lengths {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;

  bool constant() const { return least == most; }
  void add(std::uint64_t length) {
    least = std::min(least, length);
    most = std::max(most, length);
  }
};

/// The same, from many threads at once.
struct AtomicLengths {
  std::atomic<std::uint64_t> least{std::numeric_limits<std::uint64_t>::max()};
  std::atomic<std::uint64_t> most{0};

  void add(std::uint64_t length) {
    std::uint64_t seen = least.load(std::memory_order_relaxed);
    while (length < seen && !least.compare_exchange_weak(seen, length)) {
    }
    seen = most.load(std::memory_order_relaxed);
    while (length > seen && !most.compare_exchange_weak(seen, length)) {
    }
  }
};

/// What is known of an element, and where its numbers go.
struct Plan {
  const PlyElement& element;
  std::size_t corner_list;  ///< the property that names corners; `none` for vertices
  std::vector<Lengths> lengths;
  std::vector<PlySink> sinks;
  Attributes attributes;

  static constexpr std::size_t none = ~std::size_t{0};
};

class PlyReader {
 public:
  explicit PlyReader(const Source& source) : source_(source), header_(read_ply_header(source)) {
    const PlyElement* vertex = header_.find("vertex");
    if (vertex == nullptr) source_.fail("there is no element \"vertex\"");
    vertices_ = vertex->count;
    source_.check_counts(vertices_, 0);
    at_ = source.begin() + header_.size;
    if (header_.encoding == Encoding::text) {
      table_.emplace(source);
      row_ =
          LineTable(Source{source.bytes.first(header_.size), source.name, source.progress}).size();
    }
  }

  ReadResult read() {
    for (const PlyElement& element : header_.elements) {
      check_count(element);
      if (element.name == "vertex")
        read_vertices(element);
      else if (element.name == "face")
        read_faces(element);
      else if (element.name == "tristrips")
        read_strips(element);
      else
        skip(element);
    }
    note_rest();
    if (polygonal_) triangulate(source_, polygons_, result_);
    add_strips();
    return std::move(result_);
  }

 private:
  bool is_text() const { return header_.encoding == Encoding::text; }
  bool must_swap() const {
    return (header_.encoding == Encoding::binary_big_endian) ==
           (std::endian::native == std::endian::little);
  }
  std::uint64_t bytes_left() const { return static_cast<std::uint64_t>(source_.end() - at_); }
  BinaryNumbers binary_from(const char* position) const {
    return {position, source_.end(), must_swap()};
  }

  /// Fails where the file cannot hold that many, before anything is allocated for them.
  void check_count(const PlyElement& element) const {
    if (element.properties.empty()) return;
    // A number takes a character and a blank or line end, but for the very last.
    const std::uint64_t most = is_text()
                                   ? std::min(table_->size() - std::min(row_, table_->size()),
                                              (bytes_left() + 1) / (2 * element.properties.size()))
                                   : bytes_left() / element.least_size();
    if (element.count > most)
      source_.fail(
          fmt::format("the header announces {} of element \"{}\", but the file ends "
                      "after {} at most",
                      element.count, element.name, most));
  }

  void read_vertices(const PlyElement& element) {
    Plan plan{element, Plan::none, {}, {}, {}};
    for (const char* axis : {"x", "y", "z"}) {
      const PlyProperty* property = element.find(axis);
      if (property == nullptr || property->is_list())
        source_.fail(fmt::format("element \"vertex\" has no property \"{}\"", axis));
      if (property->type >= PlyType::int32 && property->type != PlyType::float32) single_ = false;
    }
    result_.mesh.precision = single_ ? Precision::float32 : Precision::float64;
    read_element(plan);
    result_.mesh.vertex_attributes = std::move(plan.attributes);
  }

  /// The list of vertex numbers, under either of its names.
  std::size_t find_corner_list(const PlyElement& element) const {
    for (std::size_t i = 0; i < element.properties.size(); ++i) {
      const PlyProperty& p = element.properties[i];
      if (p.is_list() && (p.name == "vertex_indices" || p.name == "vertex_index")) {
        if (!is_integer(p.type)) source_.fail("vertex numbers must be of an integer type");
        return i;
      }
    }
    source_.fail(
        fmt::format("element \"{}\" has no list property \"vertex_indices\"", element.name));
  }

  void read_faces(const PlyElement& element) {
    if (element.count == 0 && element.properties.empty()) return;
    Plan plan{element, find_corner_list(element), {}, {}, {}};
    source_.check_counts(0, element.count);
    read_element(plan);
    result_.mesh.face_attributes = std::move(plan.attributes);
  }

  void read_element(Plan& plan) {
    plan.lengths.resize(plan.element.properties.size());
    Progress progress(source_.progress, "reading " + plan.element.name, plan.element.count);
    if (is_text()) {
      read_text(plan, progress);
    } else if (!read_fixed(plan, progress)) {
      read_varying(plan, progress);
    }
  }

  // --- where numbers go -----------------------------------------------------------------------

  /// How many numbers property `i` has in every element; nothing where that varies.
  static std::optional<std::uint64_t> constant_length(const Plan& plan, std::size_t i) {
    if (!plan.element.properties[i].is_list()) return 1;
    if (!plan.lengths[i].constant()) return std::nullopt;
    return plan.lengths[i].most;
  }

  void allocate(Plan& plan) {
    const PlyElement& element = plan.element;
    plan.sinks.assign(element.properties.size(), {});
    plan.attributes.clear();
    std::vector<bool> taken(element.properties.size(), false);
    if (plan.corner_list == Plan::none) {
      result_.mesh.positions.resize(element.count);
      for (std::size_t i = 0; i < taken.size(); ++i) {
        const std::string& name = element.properties[i].name;
        if (name != "x" && name != "y" && name != "z") continue;
        taken[i] = true;
        if (element.count == 0) continue;  // nothing to point to
        plan.sinks[i] = {PlySink::Kind::coordinate,
                         reinterpret_cast<char*>(result_.mesh.positions.data()) +
                             static_cast<std::size_t>(name[0] - 'x') * sizeof(double),
                         sizeof(Vec3d)};
      }
    } else {
      taken[plan.corner_list] = true;
      allocate_corners(plan);
    }
    for (const PlyGroup& group : group_properties(element, taken))
      add_attribute(plan, group.attribute, group.properties, group.properties.size());
    for (std::size_t i = 0; i < taken.size(); ++i) {
      if (taken[i] || !element.properties[i].is_list()) continue;
      const auto length = constant_length(plan, i);
      if (length && *length > 0 && *length <= std::numeric_limits<int>::max())
        add_attribute(plan, element.properties[i].name, {i}, *length);
    }
  }

  void allocate_corners(Plan& plan) {
    const std::uint64_t faces = plan.element.count;
    const auto length = constant_length(plan, plan.corner_list);
    polygonal_ = faces > 0 && length != 3;
    if (!polygonal_) {
      polygons_ = {};
      result_.mesh.triangles.resize(faces);
      plan.sinks[plan.corner_list] = {PlySink::Kind::corner,
                                      reinterpret_cast<char*>(result_.mesh.triangles.data()),
                                      sizeof(Triangle)};
      return;
    }
    if (length) {
      polygons_.starts.resize(faces + 1);
      for (std::uint64_t i = 0; i <= faces; ++i) polygons_.starts[i] = i * *length;
    }
    polygons_.corners.resize(polygons_.starts.back());
    plan.sinks[plan.corner_list] = {PlySink::Kind::corner,
                                    reinterpret_cast<char*>(polygons_.corners.data()),
                                    length.value_or(0) * sizeof(Index)};
  }

  /// Adds an attribute whose components are those properties, or the numbers of one list.
  void add_attribute(Plan& plan, const std::string& name,
                     const std::vector<std::size_t>& properties, std::size_t components) {
    const PlyType type = plan.element.properties[properties.front()].type;
    plan.attributes.push_back(
        {name, static_cast<int>(components), make_values(type, plan.element.count * components)});
    char* base = std::visit([](auto& values) { return reinterpret_cast<char*>(values.data()); },
                            plan.attributes.back().values);
    if (base == nullptr) return;  // no elements, nothing to point to
    for (std::size_t k = 0; k < properties.size(); ++k)
      plan.sinks[properties[k]] = {PlySink::Kind::attribute, base + k * size_of(type),
                                   components * size_of(type)};
  }

  void note_varying_lists(const Plan& plan) {
    for (std::size_t i = 0; i < plan.sinks.size(); ++i)
      if (plan.element.count > 0 && plan.sinks[i].kind == PlySink::Kind::skip)
        result_.notes.push_back(
            fmt::format("lists of varying length were not read: property \"{}\" of element \"{}\"",
                        plan.element.properties[i].name, plan.element.name));
  }

  // --- binary elements of equal size ----------------------------------------------------------

  /// False where they are not of equal size.
  bool read_fixed(Plan& plan, Progress& progress) {
    const PlyElement& element = plan.element;
    if (element.count > 0 && element.has_lists()) {
      try {
        BinaryNumbers first = binary_from(at_);
        walk_record(first, element,
                    [&](std::size_t i, std::uint64_t length) { plan.lengths[i].add(length); });
      } catch (const RowError&) {
        return false;
      }
      if (plan.corner_list != Plan::none && plan.lengths[plan.corner_list].most == 0) return false;
    }
    std::vector<std::size_t> offsets;
    std::size_t stride = 0;
    for (std::size_t i = 0; i < element.properties.size(); ++i) {
      const PlyProperty& p = element.properties[i];
      if (p.is_list()) stride += size_of(*p.count_type);
      offsets.push_back(stride);
      stride += size_of(p.type) * (p.is_list() ? plan.lengths[i].most : 1);
    }
    if (element.count > 0 && bytes_left() / stride < element.count) return false;

    allocate(plan);
    std::atomic<bool> equal{true};
    FirstError errors;
    const std::size_t blocks = (element.count + block_size - 1) / block_size;
    parallel_for(blocks, [&](std::size_t b) {
      if (!equal.load(std::memory_order_relaxed)) return;
      const std::uint64_t first = b * block_size;
      const PlyBlock block{
          at_ + first * stride,
          stride,
          first,
          static_cast<std::size_t>(std::min<std::uint64_t>(block_size, element.count - first)),
          must_swap(),
          vertices_};
      for (std::size_t i = 0; i < offsets.size(); ++i) {
        const PlyProperty& p = element.properties[i];
        if (p.is_list() &&
            !all_lists_have(block, *p.count_type, offsets[i] - size_of(*p.count_type),
                            plan.lengths[i].most)) {
          equal.store(false, std::memory_order_relaxed);
          return;
        }
      }
      for (std::size_t i = 0; i < offsets.size(); ++i) {
        const std::size_t length = element.properties[i].is_list() ? plan.lengths[i].most : 1;
        const std::size_t wrong =
            move_numbers(block, plan.sinks[i], element.properties[i].type, offsets[i], length);
        if (wrong != PlyBlock::all_well)
          errors.report(block.records + wrong * stride, wrong_number(plan, i, first + wrong));
      }
      progress.advance(block.count);
    });
    if (!equal) return false;
    errors.raise_at_offset(source_);
    note_varying_lists(plan);
    at_ += element.count * stride;
    return true;
  }

  std::string wrong_number(const Plan& plan, std::size_t property, std::uint64_t number) const {
    if (property == plan.corner_list)
      return fmt::format("face {} refers to a vertex out of the range 0 to {}", number,
                         static_cast<std::int64_t>(vertices_) - 1);
    return fmt::format("vertex {} has a coordinate that is not finite", number);
  }

  // --- elements of any size -------------------------------------------------------------------

  void count_lists(Plan& plan, std::uint64_t number, std::size_t property, std::uint64_t length,
                   const char* where) {
    if (property != plan.corner_list) return;
    if (length == 0) throw RowError{where, fmt::format("face {} has no corners", number)};
    polygons_.starts[number] = length;
  }

  /// Turns the lengths of the corner lists into where they start.
  void sum_lengths(const Plan& plan) {
    if (plan.corner_list == Plan::none) return;
    std::uint64_t total = 0;
    for (std::uint64_t& start : polygons_.starts) total += std::exchange(start, total);
  }

  void prepare_starts(const Plan& plan) {
    if (plan.corner_list == Plan::none) return;
    polygons_.starts.resize(plan.element.count + 1);
    polygons_.starts.back() = 0;
  }

  template <class Numbers>
  void parse_record(Numbers& numbers, const Plan& plan, std::uint64_t number) const {
    for (std::size_t i = 0; i < plan.sinks.size(); ++i) {
      const PlyProperty& p = plan.element.properties[i];
      const std::uint64_t length = p.is_list() ? read_length(numbers, *p.count_type) : 1;
      PlySink sink = plan.sinks[i];
      if (sink.kind == PlySink::Kind::skip) {
        numbers.skip(p.type, length);
        continue;
      }
      if (i == plan.corner_list && polygonal_)
        sink = {sink.kind, sink.base + polygons_.starts[number] * sizeof(Index), 0};
      for (std::uint64_t k = 0; k < length; ++k) {
        const char* where = numbers.where();
        if (!store_number(sink, p.type, number, k, numbers.read(p.type), vertices_))
          throw RowError{where, wrong_number(plan, i, number)};
      }
    }
  }

  void read_varying(Plan& plan, Progress& progress) {
    const PlyElement& element = plan.element;
    prepare_starts(plan);
    plan.lengths.assign(element.properties.size(), {});
    BinaryNumbers numbers = binary_from(at_);
    std::vector<const char*> starts;
    std::uint64_t number = 0;
    try {
      for (; number < element.count; ++number) {
        if (number % block_size == 0) {
          starts.push_back(numbers.position);
          progress.advance(0);
        }
        walk_record(numbers, element, [&](std::size_t i, std::uint64_t length) {
          plan.lengths[i].add(length);
          count_lists(plan, number, i, length, numbers.position);
        });
      }
    } catch (const RowError& error) {
      source_.fail_at_offset(static_cast<std::size_t>(error.where - source_.begin()),
                             fmt::format("{} (element \"{}\", number {} of {})", error.message,
                                         element.name, number, element.count));
    }
    sum_lengths(plan);
    allocate(plan);
    FirstError errors;
    parallel_for(starts.size(), [&](std::size_t b) {
      BinaryNumbers block = binary_from(starts[b]);
      const std::uint64_t last = std::min<std::uint64_t>((b + 1) * block_size, element.count);
      try {
        for (std::uint64_t i = b * block_size; i < last; ++i) parse_record(block, plan, i);
      } catch (RowError& error) {
        errors.report(error.where, std::move(error.message));
      }
      progress.advance(last - b * block_size);
    });
    errors.raise_at_offset(source_);
    note_varying_lists(plan);
    at_ = numbers.position;
  }

  void read_text(Plan& plan, Progress& progress) {
    const PlyElement& element = plan.element;
    if (element.has_lists()) {
      prepare_starts(plan);
      std::vector<AtomicLengths> lengths(element.properties.size());
      table_->for_each(row_, element.count, progress, [&](std::uint64_t number, Scanner& text) {
        TextNumbers numbers{text};
        walk_record(numbers, element, [&](std::size_t i, std::uint64_t length) {
          lengths[i].add(length);
          count_lists(plan, number, i, length, text.position);
        });
      });
      for (std::size_t i = 0; i < lengths.size(); ++i)
        plan.lengths[i] = {lengths[i].least.load(), lengths[i].most.load()};
      sum_lengths(plan);
    }
    allocate(plan);
    table_->for_each(row_, element.count, progress, [&](std::uint64_t number, Scanner& text) {
      TextNumbers numbers{text};
      parse_record(numbers, plan, number);
      if (!at_row_end(text))
        throw RowError{text.position, "there are more numbers on this line than announced"};
    });
    note_varying_lists(plan);
    row_ += element.count;
  }

  // --- other elements -------------------------------------------------------------------------

  void skip(const PlyElement& element) {
    if (element.count > 0)
      result_.notes.push_back(
          fmt::format("{} of element \"{}\" were not read", element.count, element.name));
    if (is_text())
      row_ += element.properties.empty() ? 0 : element.count;
    else if (!element.has_lists())
      at_ += element.count * element.least_size();
    else
      pass(element, [&](auto& numbers) { walk_record(numbers, element, [](auto, auto) {}); });
  }

  /// Calls parse(numbers) for every element in turn and goes on behind the last.
  template <class Parse>
  void pass(const PlyElement& element, Parse parse) {
    if (element.properties.empty()) return;
    Progress progress(source_.progress, "reading " + element.name, element.count);
    BinaryNumbers binary = binary_from(at_);
    try {
      for (std::uint64_t i = 0; i < element.count; ++i) {
        if (is_text()) {
          Scanner text = table_->row(row_++);
          TextNumbers numbers{text};
          parse(numbers);
        } else {
          parse(binary);
        }
        if (i % block_size == block_size - 1) progress.advance(block_size);
      }
    } catch (const RowError& error) {
      if (is_text()) source_.fail_at_line(error.where, error.message);
      source_.fail_at_offset(static_cast<std::size_t>(error.where - source_.begin()),
                             error.message);
    }
    at_ = is_text() ? at_ : binary.position;
  }

  /// Strips of triangles, each sharing an edge with the one before; -1 starts a new strip.
  void read_strips(const PlyElement& element) {
    if (element.count == 0) return;
    const std::size_t list = find_corner_list(element);
    pass(element, [&](auto& numbers) {
      for (std::size_t i = 0; i < element.properties.size(); ++i) {
        const PlyProperty& p = element.properties[i];
        const std::uint64_t length = p.is_list() ? read_length(numbers, *p.count_type) : 1;
        if (i == list)
          add_strip(numbers, p.type, length);
        else
          numbers.skip(p.type, length);
      }
    });
  }

  template <class Numbers>
  void add_strip(Numbers& numbers, PlyType type, std::uint64_t length) {
    Triangle last{};
    std::uint64_t known = 0;
    for (std::uint64_t k = 0; k < length; ++k) {
      const char* where = numbers.where();
      const double value = numbers.read(type);
      if (value == -1) {
        known = 0;
        continue;
      }
      if (value < 0 || value >= static_cast<double>(vertices_))
        throw RowError{where, "a strip of triangles refers to a vertex that does not exist"};
      last = {last[1], last[2], static_cast<Index>(value)};
      if (++known < 3) continue;
      const bool odd = known % 2 == 1;  // every second triangle is turned
      strips_.push_back(odd ? last : Triangle{last[1], last[0], last[2]});
    }
  }

  void add_strips() {
    if (strips_.empty()) return;
    TriangleSoup& mesh = result_.mesh;
    source_.check_counts(0, mesh.triangles.size() + strips_.size());
    if (!mesh.face_attributes.empty()) {
      mesh.face_attributes.clear();
      result_.notes.push_back("attributes of faces were not read: strips of triangles have none");
    }
    mesh.triangles.insert(mesh.triangles.end(), strips_.begin(), strips_.end());
  }

  void note_rest() {
    if (is_text() && row_ < table_->size())
      result_.notes.push_back(
          fmt::format("{} lines behind the last element were not read", table_->size() - row_));
    if (!is_text() && bytes_left() > 0)
      result_.notes.push_back(
          fmt::format("{} bytes behind the last element were not read", bytes_left()));
  }

  const Source& source_;
  PlyHeader header_;
  ReadResult result_;
  std::uint64_t vertices_ = 0;
  bool single_ = true;              ///< all coordinates fit a float
  const char* at_ = nullptr;        ///< where the next element starts, in a binary file
  std::optional<LineTable> table_;  ///< of a text file
  std::uint64_t row_ = 0;           ///< where the next element starts, in a text file
  bool polygonal_ = false;          ///< faces go through polygons_
  PolygonSoup polygons_;
  Array<Triangle> strips_;
};

}  // namespace

ReadResult read_ply(const Source& source) {
  return PlyReader(source).read();
}

}  // namespace tessera::io::detail
